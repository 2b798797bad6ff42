// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

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

import io.journal.JournalLockedException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.platform.CleanUp;
import io.journal.internal.platform.PendingFault;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.jspecify.annotations.Nullable;

/**
 * {@code journal.control} as its writer uses it. The state is written to the slot of the older generation, and is
 * durable on return. The durable watermark and the fence lie in shared memory that survives a crash of the process and
 * is never fsynced for its own sake. They can make an opening fail, or rewrite more than necessary, but never make it
 * accept what it would otherwise reject.
 * <p>
 * One thread at a time changes the state, and one thread at a time fsyncs segments; any thread may check the fence.
 */
public final class ControlFile implements AutoCloseable
{
    public static final String TEMPORARY = JournalFiles.SPARE_PREFIX + "control";

    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The content when this file was opened, after other writers were fenced. */
    public final ControlContent content;
    private final SegmentFile file;
    private final boolean isHeap;
    private final ByteBuffer buffer;
    private final ByteBuffer scratch = allocateWatermark();
    private final CRC32C crc = new CRC32C();
    // Threads that force and the background agent may read at once: one thread takes the buffer, another allocates its
    // own.
    private final AtomicReference<ByteBuffer> unused;
    private final long fence;
    private long watermarkGeneration;
    private volatile ControlState state;

    private ControlFile(
        final SegmentStore store, final SegmentFile file, final ControlContent content, final long fence)
        throws IOException
    {
        this.file = file;
        this.content = content;
        this.fence = fence;
        state = content.state();
        isHeap = SegmentStore.Memory.HEAP == store.memory();
        unused = new AtomicReference<>(allocateFence());
        buffer = file.map();
        // The next watermark overwrites a watermark whose term no state names, even a newer one: failed openings leave
        // such watermarks.
        final int newest =
            ControlContent.newestWatermark(buffer, ControlContent.WATERMARKS_OFFSET, state.history.term);
        watermarkGeneration = newest < 0 ? 0 : buffer.getLong(newest);
    }

    /**
     * Creates the file of a journal in the given state, durably. Under its own name its existence makes the directory a
     * journal.
     *
     * @param watermark below which everything is durable; null if that is not known, so that an opening rewrites the
     *                  records it keeps.
     */
    public static void create(
        final SegmentStore store, final String name, final UUID uuid, final int segmentLength,
        final ControlState state, final ControlState.@Nullable End watermark, final long timeMs) throws IOException
    {
        try (SegmentFile file = store.create(TEMPORARY, ControlContent.LENGTH))
        {
            file.write(0, identity(uuid, segmentLength, timeMs));
            file.write(ControlContent.slotOffset(state.generation), encoded(state));
            if (null == watermark)
            {
                writeLong(file, ControlContent.FORCING_OFFSET, 1);
            }
            else
            {
                final ByteBuffer encoded = allocateWatermark();
                encode(
                    encoded, new CRC32C(), 1, state.history.term, watermark.position(), watermark.nextSequence());
                file.write(watermarkOffset(1), encoded);
            }
            file.force(0, ControlContent.LENGTH);
        }
        store.rename(TEMPORARY, name);
        try
        {
            store.force();
        }
        catch (final Throwable ex)
        {
            // The next fsync of the directory may succeed although a power loss still takes the name.
            CleanUp.after(ex, () -> store.delete(name));
            throw ex;
        }
    }

    /**
     * Opens the file for writing. First it stores a new fence: from then on, records acknowledged by an earlier writer
     * are visible in the content, or in segments that are read afterwards.
     */
    public static ControlFile open(final SegmentStore store) throws IOException
    {
        final SegmentFile file = store.open(JournalFiles.CONTROL, SegmentStore.Access.WRITE);
        try
        {
            final ByteBuffer identity = Block.allocate(1);
            ControlContent.checkLength(file);
            file.read(0, identity);
            ControlContent.checkIdentity(identity, true);

            final long fence = newFence();
            writeLong(file, ControlContent.FENCE_OFFSET, fence);
            final ControlContent content = ControlContent.read(file, true);
            // A copy of a directory may have holes, and on a full device a store to a mapped hole crashes the process.
            final ByteBuffer block = Block.allocate(1);
            file.read(ControlContent.WATERMARKS_OFFSET, block);
            file.write(ControlContent.WATERMARKS_OFFSET, block.clear());
            return new ControlFile(store, file, content, fence);
        }
        catch (final Throwable ex)
        {
            file.close();
            throw ex;
        }
    }

    /**
     * Fences a writer that has lost its lock without noticing, for callers that change files without opening the
     * journal.
     *
     * @param isForcing whether to record an fsync in progress: then the next opening rewrites what is not durable, even
     *                  if an fsync of the changes fails.
     */
    public static void fence(final SegmentStore store, final boolean isForcing) throws IOException
    {
        if (store.list().contains(JournalFiles.CONTROL))
        {
            try (SegmentFile file = store.open(JournalFiles.CONTROL, SegmentStore.Access.WRITE))
            {
                // If the file is shorter, the writer itself finds that it was cut short.
                if (file.length() >= ControlContent.LENGTH)
                {
                    writeLong(file, ControlContent.FENCE_OFFSET, newFence());
                    if (isForcing)
                    {
                        writeLong(file, ControlContent.FORCING_OFFSET, 1);
                    }
                }
            }
        }
    }

    /**
     * Rewrites the whole file in place, where readers that follow the journal see it. The identity is written last:
     * until then, the file is either damaged as before or already complete.
     *
     * @param state with a generation that no reader has seen.
     */
    public static void rewrite(
        final SegmentStore store, final UUID uuid, final int segmentLength, final ControlState state,
        final long timeMs) throws IOException
    {
        try (SegmentFile file = store.open(JournalFiles.CONTROL, SegmentStore.Access.WRITE))
        {
            writeState(file, state);
            writeState(file, state.again());
            file.write(0, identity(uuid, segmentLength, timeMs));
            file.force(0, ControlContent.LENGTH);
        }
    }

    public ControlState state()
    {
        return state;
    }

    /**
     * Writes the current state again. After a failed fsync the page cache may hold a state that is not durable. Then
     * only the other slot is durable, and must not be overwritten before this call.
     */
    public void confirm() throws IOException
    {
        changeBegins();
        writeState(file, state);
        changeReturned();
    }

    /**
     * Changes the state. If a term begins, everything before it is durable, and no fsync is in flight.
     *
     * @param isForGood whether to change it in both slots, so that neither the rot of one nor the late write of a
     *                  writer that lost its lock brings back the state before. If false, a loss by a rotten slot is
     *                  noticed, or does not matter.
     */
    public void replace(final ControlState next, final boolean isForGood) throws IOException
    {
        changeBegins();
        final Cut begin = next.history.newest();
        if (state.history.term != begin.term())
        {
            // Stored first: an opening that finds the state also finds the watermark.
            forced(begin.term(), begin.to(), begin.sequence());
        }
        write(next);
        if (isForGood)
        {
            write(next.again());
        }
        checkOwned();
        changeReturned();
    }

    /** Whether a state fits into a slot, and so does the state with which the next opening begins a term. */
    public static boolean hasRoom(final ControlState state)
    {
        // An empty cut is dropped once the next cut is made.
        final int next = state.history.newest().isEmpty() ? 0 : ControlState.CUT_LENGTH;
        return state.length() + next <= ControlContent.SLOT_LENGTH;
    }

    private void write(final ControlState next) throws IOException
    {
        assert next.generation == state.generation + 1 : "generation=" + next.generation;
        checkOwned();
        writeState(file, next);
        state = next;
    }

    private static void writeState(final SegmentFile file, final ControlState state) throws IOException
    {
        final int offset = ControlContent.slotOffset(state.generation);
        file.write(offset, encoded(state));
        file.force(offset, offset + state.length());
    }

    private static ByteBuffer encoded(final ControlState state)
    {
        final int length = state.length();
        final ByteBuffer encoded = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        state.encode(encoded);
        encoded.putInt(length - Integer.BYTES, Block.checksum(encoded, 0, length - Integer.BYTES));
        return encoded.clear();
    }

    private static int watermarkOffset(final long generation)
    {
        return ControlContent.WATERMARKS_OFFSET + (int)(generation & 1) * ControlContent.WATERMARK_DISTANCE;
    }

    private static ByteBuffer allocateWatermark()
    {
        return ByteBuffer.allocate(ControlContent.WATERMARK_CHECKED_LENGTH + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void encode(
        final ByteBuffer buffer, final CRC32C crc, final long generation, final long term, final long position,
        final long nextSequence)
    {
        buffer.putLong(0, generation);
        buffer.putLong(8, term);
        buffer.putLong(16, position);
        buffer.putLong(24, nextSequence);
        crc.reset();
        crc.update(buffer.array(), 0, ControlContent.WATERMARK_CHECKED_LENGTH);
        buffer.putInt(ControlContent.WATERMARK_CHECKED_LENGTH, (int)crc.getValue());
    }

    /**
     * Advances the durable watermark: everything below the position is durable.
     *
     * @param nextSequence of the record at the position.
     */
    public void forced(final long term, final long position, final long nextSequence) throws IOException
    {
        watermarkGeneration++;
        final int slot = watermarkOffset(watermarkGeneration);
        // The checksum is computed over private memory: over a mapped file that was cut short it would crash the JVM.
        encode(scratch, crc, watermarkGeneration, term, position, nextSequence);
        // If this write is torn, the slot fails its checksum and the other slot counts.
        buffer.put(slot, scratch.array());
        checkStored(slot, watermarkGeneration);
    }

    /**
     * Records that an fsync of segments begins, unless another writer has opened the journal. Until the fsync has
     * returned, see {@link ControlContent#isForceUnfinished}.
     */
    public void forceBegins() throws IOException
    {
        checkOwned();
        store(ControlContent.FORCING_OFFSET, 1);
    }

    /** Records that the fsync returned without an error. */
    public void forceReturned() throws IOException
    {
        store(ControlContent.FORCING_OFFSET, 0);
    }

    private void changeBegins() throws IOException
    {
        checkOwned();
        store(ControlContent.CHANGING_OFFSET, 1);
    }

    private void changeReturned() throws IOException
    {
        store(ControlContent.CHANGING_OFFSET, 0);
    }

    private void store(final int offset, final long value) throws IOException
    {
        LONG.setRelease(buffer, offset, value);
        VarHandle.fullFence();
        checkStored(offset, value);
    }

    /** Checks that a store was not rejected, as on a full copy-on-write file system. */
    private void checkStored(final int offset, final long expected) throws IOException
    {
        // Without the fence the compiler would reuse the stored value instead of reading it.
        VarHandle.acquireFence();
        final long found = (long)LONG.getVolatile(buffer, offset);
        if (found != expected)
        {
            PendingFault.check();
            throw new IOException(
                "bytes stored into a mapped file are not in it, as on a full device that copies what is written " +
                    "again: file=" + JournalFiles.CONTROL + ", offset=" + offset + ", expected=" + expected +
                    ", found=" + found);
        }
    }

    /**
     * Whether the mapped file still holds this writer's fence: a check cheap enough for each record. If not,
     * {@link #checkOwned()} throws the reason. A plain read: call it after a volatile one, which makes it read again.
     */
    boolean isOwned()
    {
        return fence == buffer.getLong(ControlContent.FENCE_OFFSET);
    }

    /**
     * Checks that no other writer has opened the journal since. Must run after the durable watermark is stored and
     * before the fsync is acknowledged: an opening that replaces the fence later then sees the watermark.
     * <p>
     * Also checks that the file was not cut short: the fault of a store to a lost page may surface anywhere later in
     * the thread, even while it acquires a lock.
     */
    public void checkOwned() throws IOException
    {
        final long found = readFence();
        if (fence != found)
        {
            throw new JournalLockedException(
                "another writer has opened the journal since, although this one holds its lock: file=" +
                    JournalFiles.CONTROL + ", offset=" + ControlContent.FENCE_OFFSET + ", expected=" + fence +
                    ", found=" + found + "; was " + JournalFiles.LOCK +
                    " deleted, or opened by other code of this process?",
                null);
        }
    }

    private long readFence() throws IOException
    {
        final ByteBuffer taken = unused.getAndSet(null);
        final ByteBuffer found = null != taken ? taken : allocateFence();
        try
        {
            file.read(ControlContent.FENCE_OFFSET, found.clear());
            return found.getLong(0);
        }
        catch (final EOFException ex)
        {
            throw new IOException(
                "file was cut short while in use: file=" + JournalFiles.CONTROL + ", expected=" +
                    ControlContent.LENGTH,
                ex);
        }
        finally
        {
            unused.set(found);
        }
    }

    /**
     * Allocates direct memory, which is read into without a copy: running out of memory for a copy would fail a force.
     */
    private ByteBuffer allocateFence()
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

    private static long newFence()
    {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    private static void writeLong(final SegmentFile file, final int offset, final long value) throws IOException
    {
        final ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.write(offset, number.putLong(0, value));
    }

    private static ByteBuffer identity(final UUID uuid, final int segmentLength, final long timeMs)
    {
        final ByteBuffer identity = Block.allocate(1);
        Block.identify(identity, ControlContent.MAGIC, uuid);
        identity.putLong(ControlContent.SEGMENT_LENGTH_OFFSET, segmentLength);
        identity.putLong(ControlContent.TIME_OFFSET, timeMs);
        Block.seal(identity, 0);
        return identity;
    }
}
