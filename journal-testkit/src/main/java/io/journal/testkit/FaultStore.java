package io.journal.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.Window;

/**
 * Files in memory that fail when told to, and that know what a loss of power would leave of them. A journal uses them
 * instead of a directory's:
 * <pre>{@code
 * final FaultStore store = new FaultStore(Backend.MAPPED);
 * try (Journal journal = Journal.builder(directory).store(store).open())
 * {
 *     store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));
 *     assertThrows(JournalException.class, journal::force);
 * }
 * final FaultStore afterwards = store.crashPoint().disk(Tearing.SECTORS, seed);
 * }</pre>
 * The journal's own directory is still needed, and still has to exist: it holds the writer's lock, and nothing else.
 * <p>
 * The store behaves as a backend does: windows are mapped files or copies of them, as the backend has it. Bytes that
 * are written, or stored to mapped memory, are with the <em>operating system</em>. A force brings the 4096-byte pages
 * of its range to the <em>device</em>; until then each sector of a page may be there as it was at any time since the
 * last force of it, in any order. A name is on the device when its directory was forced, until then each creation,
 * renaming and deletion may be there or not; directories within this one are there at once. A file that was never
 * forced may be there without its length, or half of it; one that was extended may have any of its lengths since the
 * last force.
 * <p>
 * Safe for use by several threads. Files stay open as long as their user wants, also those of a store from which
 * another one was made.
 */
public final class FaultStore implements SegmentStore
{
    private final Backend backend;
    private final SegmentStore windows;
    private final boolean isMapping;
    private final Device device;
    private final Folder folder;
    private final String prefix;

    /**
     * An empty directory.
     *
     * @param backend whose ways the store has.
     */
    public FaultStore(final Backend backend)
    {
        this(backend, new Device(new Folder()));
    }

    FaultStore(final Backend backend, final Device device)
    {
        this(backend, device, device.root, "");
    }

    private FaultStore(final Backend backend, final Device device, final Folder folder, final String prefix)
    {
        this.backend = Objects.requireNonNull(backend, "backend");
        windows = backend.store(Path.of(""));
        isMapping = windows.newWindow(1).isShared();
        this.device = device;
        this.folder = folder;
        this.prefix = prefix;
    }

    /**
     * Decides what fails from now on.
     *
     * @param plan asked before each call; replaces the one before it.
     */
    public void faults(final FaultPlan plan)
    {
        Objects.requireNonNull(plan, "plan");
        synchronized (device)
        {
            device.plan(plan);
        }
    }

    /**
     * Limits the lengths of all files together. Creating or extending a file that would go beyond fails with
     * {@link io.journal.store.NoSpaceException} and leaves nothing of it, until files are deleted or the limit is
     * raised.
     *
     * @param bytes the limit; {@link Long#MAX_VALUE} unless set.
     */
    public void capacity(final long bytes)
    {
        synchronized (device)
        {
            device.capacity(bytes);
        }
    }

    /**
     * Lengths of all files together.
     *
     * @return length in bytes.
     */
    public long usedBytes()
    {
        synchronized (device)
        {
            return device.root.usedBytes();
        }
    }

    /**
     * This moment, to be looked at as if the process or the operating system had ended in it. The store goes on
     * undisturbed. Pages of mapped files that were changed are seen as they are now; what they were in between counts
     * if this method or any other of the store was called then.
     *
     * @return the moment.
     */
    public CrashPoint crashPoint()
    {
        synchronized (device)
        {
            device.observe();
            return new CrashPoint(backend, device.root.image());
        }
    }

    /**
     * Turns one bit of a file round, with the operating system and on the device: damage.
     *
     * @param name   of the file, after the names of the directories it is in.
     * @param offset of the byte.
     * @param bit    of the byte, 0 to 7.
     * @throws IOException if there is no such file, or it has no such byte.
     */
    public void flip(final String name, final long offset, final int bit) throws IOException
    {
        synchronized (device)
        {
            device.observe();
            final int end = name.lastIndexOf('/');
            final Folder owner = end < 0 ? folder : folder.child(name.substring(0, end));
            final Inode inode = owner.find(name.substring(end + 1));
            if (offset < 0 || offset >= inode.length())
            {
                throw new IOException("outside the file: file=" + name + ", offset=" + offset);
            }
            inode.flip(offset, bit);
        }
    }

    /**
     * A number that tells stores apart: stores with the same names, lengths and bytes have the same, others hardly
     * ever.
     *
     * @return the number.
     */
    public long fingerprint()
    {
        synchronized (device)
        {
            device.observe();
            return device.root.image().hash();
        }
    }

    /**
     * Does nothing: the directory is there.
     */
    @Override
    public void makeDirectory() throws IOException
    {
        synchronized (device)
        {
            device.before(StoreStep.of(StoreStep.Kind.MAKE_DIRECTORY, prefix, 0, 0));
        }
    }

    @Override
    public List<String> list() throws IOException
    {
        synchronized (device)
        {
            return folder.list();
        }
    }

    @Override
    public SegmentFile create(final String name, final long length) throws IOException
    {
        synchronized (device)
        {
            device.before(StoreStep.of(StoreStep.Kind.CREATE, prefix + name, 0, length));
            folder.checkAbsent(name);
            device.checkSpace(prefix + name, length);
            final Inode inode = new Inode(Math.toIntExact(length));
            folder.add(name, inode);
            return new FaultFile(device, inode, prefix + name, true, isMapping);
        }
    }

    @Override
    public SegmentFile open(final String name, final Access access) throws IOException
    {
        synchronized (device)
        {
            device.before(StoreStep.of(StoreStep.Kind.OPEN, prefix + name, 0, 0));
            return new FaultFile(device, folder.find(name), prefix + name, Access.WRITE == access, isMapping);
        }
    }

    @Override
    public void rename(final String from, final String to) throws IOException
    {
        synchronized (device)
        {
            final Fault fault = device.before(StoreStep.rename(prefix + from, prefix + to));
            if (!fault.isIgnored())
            {
                folder.rename(from, to);
            }
        }
    }

    @Override
    public void delete(final String name) throws IOException
    {
        synchronized (device)
        {
            if (folder.contains(name))
            {
                final Fault fault = device.before(StoreStep.of(StoreStep.Kind.DELETE, prefix + name, 0, 0));
                if (!fault.isIgnored())
                {
                    folder.delete(name);
                }
            }
        }
    }

    @Override
    public void force() throws IOException
    {
        synchronized (device)
        {
            final Fault fault = device.before(StoreStep.of(StoreStep.Kind.FORCE_DIRECTORY, prefix, 0, 0));
            if (!fault.isIgnored())
            {
                folder.force();
            }
        }
    }

    @Override
    public SegmentStore child(final String name) throws IOException
    {
        synchronized (device)
        {
            device.before(StoreStep.of(StoreStep.Kind.MAKE_DIRECTORY, prefix + name, 0, 0));
            return new FaultStore(backend, device, folder.child(name), prefix + name + "/");
        }
    }

    @Override
    public Window newWindow(final int length)
    {
        return windows.newWindow(length);
    }

    @Override
    public String toString()
    {
        return "FaultStore{backend=" + backend + ", usedBytes=" + usedBytes() + '}';
    }
}
