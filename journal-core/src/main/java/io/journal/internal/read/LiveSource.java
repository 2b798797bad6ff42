package io.journal.internal.read;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.Segment;
import io.journal.internal.files.Window;
import io.journal.internal.write.Positions;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentStore;

/**
 * Readers' view of the journal that this process writes.
 */
public final class LiveSource implements ReadSource
{
    private static final int WINDOW_LENGTH = 64 * 1024;

    private final SegmentStore store;
    private final Supplier<JournalMeta> meta;
    private final Positions positions;
    private final FailureLatch latch;
    private final TailWriter tail;
    private final BooleanSupplier isClosed;
    private final SegmentIndex index = new SegmentIndex();

    public LiveSource(
        final SegmentStore store,
        final Supplier<JournalMeta> meta,
        final Positions positions,
        final FailureLatch latch,
        final TailWriter tail,
        final BooleanSupplier isClosed)
    {
        this.store = store;
        this.meta = meta;
        this.positions = positions;
        this.latch = latch;
        this.tail = tail;
        this.isClosed = isClosed;
    }

    @Override
    public int segmentLength()
    {
        return meta.get().segmentLength;
    }

    @Override
    public JournalMeta.State state()
    {
        return meta.get().state;
    }

    @Override
    public long lastSequence(final End which)
    {
        if (End.FORCED == which)
        {
            return positions.forcedSequence();
        }

        return isWritable() ? positions.appendedSequence() : positions.writtenSequence();
    }

    @Override
    public long readableSequence(final End which)
    {
        return lastSequence(which);
    }

    @Override
    public long readableEnd(final End which, final long position)
    {
        if (End.FORCED == which)
        {
            return positions.forcedPosition();
        }

        final long end = positions.writtenPosition();
        if (position < end || positions.appendedPosition() <= end || !isWritable())
        {
            return end;
        }

        tail.writeUpTo(positions.appendedPosition());
        return positions.writtenPosition();
    }

    @Override
    public Segment openSegment(final long ordinal) throws IOException
    {
        final JournalMeta meta = this.meta.get();
        return Segment.open(store, SegmentStore.Access.READ, false, meta.uuid, ordinal, meta.segmentLength);
    }

    @Override
    public Window newWindow()
    {
        return Window.of(store, WINDOW_LENGTH);
    }

    @Override
    public SegmentIndex index()
    {
        return index;
    }

    @Override
    public void checkWhole()
    {
        // Reads no mapped memory of its own.
    }

    @Override
    public boolean isClosed()
    {
        return isClosed.getAsBoolean();
    }

    /**
     * Whether a reader may have appended records written in order to read them: until the journal failed, or until its
     * closing, which writes all of them, has ended.
     */
    private boolean isWritable()
    {
        return !latch.isFailed() && !isClosed();
    }
}
