// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Files in memory that fail on demand, and that model what a power loss leaves of files. A journal uses them instead of
 * the files of a directory:
 * <pre>{@code
 * final FaultStore store = new FaultStore(Backend.MAPPED); try (Journal journal =
 * Journal.builder(directory).backend(Backend.MAPPED).store(store).open()) {
 * store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error())); assertThrows(JournalException.class,
 * journal::force); } final FaultStore afterwards = store.crashPoint().disk(Tearing.SECTORS, seed); }</pre> The
 * journal's own directory must still exist. It holds only the writer's lock. Name the same backend twice, because the
 * builder's backend determines the write window. {@code openReadOnly} always reads files, never a store like this.
 * <p>
 * The store behaves like its backend, which writes records to mapped files, or with calls. {@code DIRECT} behaves like
 * {@code FILE_CHANNEL}, because both rewrite, and may tear, the same sectors. Bytes that are written, or stored to
 * mapped memory, are in the <em>page cache</em> of the operating system. A force is an fsync: it writes the 4096-byte
 * pages of its range to the <em>device</em>. Until then each sector of a page may have, on the device, any content
 * since the last fsync of that page, independently of all other sectors. Creations, renames and deletions, also of
 * subdirectories, are durable once the directory was fsynced. Until then a power loss may keep or undo each of them. A
 * file that was never fsynced may be there empty or with half its length. A file that was extended may have any length
 * that it has had since the last fsync.
 * <p>
 * Thread-safe. A crash point closes no files: those of the original store stay open until they are closed.
 */
public final class FaultStore implements SegmentStore
{
    private final Backend backend;
    private final Memory memory;
    private final Device device;
    private final Folder folder;
    private final String prefix;

    /**
     * Creates an empty directory.
     *
     * @param backend whose behaviour the store imitates.
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
        memory = backend.store(Path.of("")).memory();
        this.device = device;
        this.folder = folder;
        this.prefix = prefix;
    }

    /**
     * Sets the plan that decides which calls fail from now on.
     *
     * @param plan invoked before each call; replaces the previous plan.
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
     * Limits the total length of all files. Creating or extending a file beyond the limit throws {@link
     * SegmentStore.NoSpaceException} and has no effect, until files are deleted or the limit is raised. Segments that
     * the background agent prepares take space as well: open the journal with {@code backgroundThread(false)} if a test
     * depends on how many records fit.
     *
     * @param bytes the limit; {@link Long#MAX_VALUE} by default.
     */
    public void capacity(final long bytes)
    {
        synchronized (device)
        {
            device.capacity(bytes);
        }
    }

    /**
     * Total length of all files.
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
     * Captures the state of this moment, to derive what a crash of the process or of the machine leaves. The store
     * continues undisturbed. Mapped files are observed only at each {@link StoreStep} and by this method. So a content
     * that a page had only between two observations is never among those that a power loss may leave.
     *
     * @return the crash point.
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
     * Flips one bit of a file, in the page cache and on the device: corruption.
     *
     * @param name   of the file; a file in a subdirectory is preceded by the directory's name and a slash.
     * @param offset of the byte.
     * @param bit    of the byte, 0 to 7.
     * @throws IOException if the file does not exist or is too short.
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
     * Hash of all names, lengths and bytes in the page cache. Equal stores have equal fingerprints; different stores
     * almost never do.
     *
     * @return the hash.
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
     * Changes nothing: the directory always exists.
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
            return new FaultFile(device, inode, prefix + name, true);
        }
    }

    @Override
    public SegmentFile open(final String name, final Access access) throws IOException
    {
        synchronized (device)
        {
            device.before(StoreStep.of(StoreStep.Kind.OPEN, prefix + name, 0, 0));
            return new FaultFile(device, folder.find(name), prefix + name, Access.READ != access);
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
    public Memory memory()
    {
        return memory;
    }

    @Override
    public String toString()
    {
        return "FaultStore{backend=" + backend + ", usedBytes=" + usedBytes() + '}';
    }
}
