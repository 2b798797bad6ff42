package io.journal.internal.files;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;

import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.platform.PendingFault;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * {@code journal.mark}: the writer's durable watermark and incarnation, in shared memory that survives a
 * crash of the process. Normative text: {@code docs/format.md}, "journal.mark".
 * <pre>
 *     0  block  identity
 *  4096  slot   watermark, even generations: 0 generation, 8 epoch, 16 position, 24 sequence, 32 CRC32C
 *  4608  slot   watermark, odd generations
 *  5120  int64  not 0 while a force is in progress or has failed
 * 16376  int64  incarnation: a random number that each opening for writing replaces
 * </pre>
 * The file is never fsynced. It can make an opening fail, or rewrite more than necessary, but never makes an opening
 * accept what it would otherwise reject.
 */
public final class MarkFile implements AutoCloseable
{
    public static final String MAGIC = "JRNLMARK";
    public static final int LENGTH = 4 * Block.LENGTH;

    public static final int SLOT_0_OFFSET = Block.LENGTH;
    static final int SLOTS_LENGTH = 1024;
    static final int SLOT_1_OFFSET = SLOT_0_OFFSET + 512;

    // At the end of the file, so that reading it also verifies that the file was not cut short.
    private static final int INCARNATION_OFFSET = LENGTH - Long.BYTES;
    private static final int SLOT_CHECKED_LENGTH = 32;
    private static final Slots SLOTS = new Slots(SLOT_0_OFFSET, SLOT_1_OFFSET - SLOT_0_OFFSET, SLOT_CHECKED_LENGTH);
    private static final int FORCING_OFFSET = SLOT_0_OFFSET + SLOTS_LENGTH;
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final SegmentFile file;
    private final boolean isHeap;
    private final ByteBuffer buffer;
    private final ByteBuffer scratch =
        ByteBuffer.allocate(SLOT_CHECKED_LENGTH + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    // Threads that force and the background agent may read at once: one takes the buffer, another allocates its own.
    private final AtomicReference<ByteBuffer> unused;
    private final long incarnation;
    private long generation;

    private MarkFile(final SegmentStore store, final SegmentFile file, final long incarnation) throws IOException
    {
        this.file = file;
        isHeap = SegmentStore.Memory.HEAP == store.memory();
        unused = new AtomicReference<>(allocateIncarnation());
        buffer = file.map();
        this.incarnation = incarnation;
        final int slot = newestSlot(buffer);
        generation = slot < 0 ? 0 : buffer.getLong(slot);
    }

    /**
     * Reads the state that the last writer left. If the file is absent, damaged or belongs to another journal, the
     * result has no watermark and an unfinished force.
     */
    public static MarkContent read(final SegmentStore store, final UUID uuid) throws IOException
    {
        if (!store.list().contains(JournalFiles.MARK))
        {
            return MarkContent.NONE;
        }

        final ByteBuffer buffer = Block.allocate(LENGTH / Block.LENGTH);
        try (SegmentFile file = openToRead(store, uuid))
        {
            if (null == file || LENGTH != file.length())
            {
                return MarkContent.NONE;
            }
            file.read(0, buffer);
        }

        final int slot = newestSlot(buffer);
        return slot < 0 ? MarkContent.NONE : new MarkContent(
            buffer.getLong(slot), buffer.getLong(slot + 8), buffer.getLong(slot + 16),
            0 != buffer.getLong(FORCING_OFFSET));
    }

    /** Opens the file for reading. Returns null if it is damaged or belongs to another journal. */
    static SegmentFile openToRead(final SegmentStore store, final UUID uuid) throws IOException
    {
        final ByteBuffer identity = Block.allocate(1);
        final SegmentFile file = store.open(JournalFiles.MARK, SegmentStore.Access.READ);
        boolean isUsable = false;
        try
        {
            if (file.length() >= Block.LENGTH)
            {
                file.read(0, identity);
                isUsable = isOf(identity, uuid);
            }
        }
        finally
        {
            if (!isUsable)
            {
                file.close();
            }
        }

        return isUsable ? file : null;
    }

    /**
     * Fences a writer that has lost its lock without noticing, where files are changed without opening the journal.
     *
     * @param isForcing whether to record an fsync in progress: then the next opening rewrites what is not durable, also
     *                  if an fsync of the changes fails.
     */
    public static void fence(final SegmentStore store, final boolean isForcing) throws IOException
    {
        if (store.list().contains(JournalFiles.MARK))
        {
            try (SegmentFile file = store.open(JournalFiles.MARK, SegmentStore.Access.WRITE))
            {
                fence(file, isForcing);
            }
        }
    }

    /**
     * Opens the file for writing; repairs or recreates it if necessary. Stores a new incarnation, which fences a writer
     * that opened the journal before.
     */
    public static MarkFile open(final SegmentStore store, final UUID uuid) throws IOException
    {
        final boolean isPresent = store.list().contains(JournalFiles.MARK);
        SegmentFile file = isPresent ? store.open(JournalFiles.MARK, SegmentStore.Access.WRITE) : null;
        try
        {
            if (null != file && !isWhole(file, uuid))
            {
                // Not rewritten: a power loss could combine this journal's identity with the watermark of another.
                fence(file, false);
                file.close();
                store.delete(JournalFiles.MARK);
                file = null;
            }
            if (null == file)
            {
                file = store.create(JournalFiles.MARK, LENGTH);
            }

            final long incarnation = newIncarnation();
            write(file, uuid, incarnation);
            return new MarkFile(store, file, incarnation);
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(file);
            throw ex;
        }
    }

    private static boolean isWhole(final SegmentFile file, final UUID uuid) throws IOException
    {
        final ByteBuffer identity = Block.allocate(1);
        if (LENGTH != file.length())
        {
            return false;
        }

        file.read(0, identity);
        return isOf(identity, uuid);
    }

    /**
     * Advances the durable watermark: everything below the position is durable. The sequence is that of the record at
     * the position, or 0 if it is unknown.
     */
    public void forced(final long epoch, final long position, final long nextSequence) throws IOException
    {
        generation++;
        final int slot = SLOTS.offset(generation);
        // The checksum is computed over private memory: over a mapped file that was cut short it would crash the JVM.
        scratch.putLong(0, generation);
        scratch.putLong(8, epoch);
        scratch.putLong(16, position);
        scratch.putLong(24, nextSequence);
        crc.reset();
        crc.update(scratch.array(), 0, SLOT_CHECKED_LENGTH);
        scratch.putInt(SLOT_CHECKED_LENGTH, (int)crc.getValue());
        // If this write is torn, the slot fails its checksum and the other slot counts.
        buffer.put(slot, scratch.array());
        checkStored(slot, generation);
    }

    /**
     * Records that an fsync begins, unless another writer has opened the journal. Until it returned, see
     * {@link MarkContent#isForceUnfinished}.
     */
    public void forceBegins() throws IOException
    {
        checkOwned();
        LONG.setRelease(buffer, FORCING_OFFSET, 1L);
        VarHandle.fullFence();
        checkStored(FORCING_OFFSET, 1);
    }

    /** Checks that a store was not rejected, as on a full device that copies what is written again. */
    private void checkStored(final int offset, final long expected) throws IOException
    {
        // Without the fence the compiler takes the value stored for the value read.
        VarHandle.acquireFence();
        final long found = (long)LONG.getVolatile(buffer, offset);
        if (found != expected)
        {
            PendingFault.check();
            throw new IOException(
                "bytes stored into a mapped file are not in it, as on a full device that copies what is written " +
                    "again: file=" + JournalFiles.MARK + ", offset=" + offset + ", expected=" + expected +
                    ", found=" + found);
        }
    }

    /** Records that an fsync returned without an error. */
    public void forceReturned() throws IOException
    {
        LONG.setRelease(buffer, FORCING_OFFSET, 0L);
        checkStored(FORCING_OFFSET, 0);
    }

    /**
     * Whether the mapped file still holds this writer's incarnation: a check cheap enough for each record. If not,
     * {@link #checkOwned()} throws the reason. A plain read: call it after a volatile one, which makes it read again.
     */
    boolean isOwned()
    {
        return incarnation == buffer.getLong(INCARNATION_OFFSET);
    }

    /**
     * Checks that no other writer has opened the journal since. Must run after the durable watermark is stored and
     * before the fsync is acknowledged: an opening that replaces the incarnation later then sees the watermark.
     * <p>
     * Also checks that the file was not cut short: the fault of a store to a lost page may surface anywhere later in
     * the thread, even while it acquires a lock.
     */
    public void checkOwned() throws IOException
    {
        final long found = readIncarnation();
        if (incarnation != found)
        {
            throw new JournalLockedException(
                "another writer has opened the journal since, although this one holds its lock: file=" +
                    JournalFiles.MARK + ", offset=" + INCARNATION_OFFSET + ", expected=" + incarnation + ", found=" +
                    found + "; was " + JournalFiles.LOCK + " deleted, or opened by other code of this process?");
        }
    }

    private long readIncarnation() throws IOException
    {
        final ByteBuffer taken = unused.getAndSet(null);
        final ByteBuffer found = null != taken ? taken : allocateIncarnation();
        try
        {
            file.read(INCARNATION_OFFSET, found.clear());
            return found.getLong(0);
        }
        catch (final EOFException ex)
        {
            throw new IOException(
                "file was cut short while in use: file=" + JournalFiles.MARK + ", expected=" + LENGTH, ex);
        }
        finally
        {
            unused.set(found);
        }
    }

    /** In memory that is read into without a copy: without memory for one, a force would fail. */
    private ByteBuffer allocateIncarnation()
    {
        final ByteBuffer allocated =
            isHeap ? ByteBuffer.allocate(Long.BYTES) : ByteBuffer.allocateDirect(Long.BYTES);
        return allocated.order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close()
    {
        file.close();
    }

    private static void fence(final SegmentFile file, final boolean isForcing) throws IOException
    {
        // In a shorter file the writer finds that it was cut short.
        if (file.length() >= LENGTH)
        {
            writeLong(file, INCARNATION_OFFSET, newIncarnation());
            if (isForcing)
            {
                writeLong(file, FORCING_OFFSET, 1);
            }
        }
    }

    private static long newIncarnation()
    {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    private static void writeLong(final SegmentFile file, final int offset, final long value) throws IOException
    {
        final ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.write(offset, number.putLong(0, value));
    }

    /**
     * Writes the whole file: a copy of a directory may have holes, and on a full device a store to a mapped hole
     * crashes the process.
     */
    private static void write(final SegmentFile file, final UUID uuid, final long incarnation) throws IOException
    {
        // Before the content is read: another writer does not acknowledge anything that it stores from here on.
        writeLong(file, INCARNATION_OFFSET, incarnation);

        final ByteBuffer content = Block.allocate(LENGTH / Block.LENGTH);
        file.read(0, content);
        content.clear();
        if (!isOf(content, uuid))
        {
            content.put(new byte[LENGTH]).clear();
            Block.identify(content, MAGIC, uuid);
            Block.seal(content, 0);
            content.putLong(INCARNATION_OFFSET, incarnation);
        }
        file.write(0, content);
    }

    private static boolean isOf(final ByteBuffer buffer, final UUID uuid)
    {
        try
        {
            Block.check(buffer, MAGIC, JournalFiles.MARK, true);
            return Block.uuid(buffer).equals(uuid);
        }
        catch (final JournalException ignore)
        {
            return false;
        }
    }

    /** Offset of the current slot, or {@link Slots#NONE}. */
    static int newestSlot(final ByteBuffer buffer)
    {
        return SLOTS.newest(buffer, (slot) -> isPossible(buffer, slot));
    }

    private static boolean isPossible(final ByteBuffer buffer, final int slot)
    {
        // The bounds prevent crafted values from overflowing.
        return buffer.getLong(slot) > 0 && buffer.getLong(slot) < Layout.MAX_POSITION &&
            buffer.getLong(slot + 16) >= 0 && buffer.getLong(slot + 16) < Layout.MAX_POSITION;
    }
}
