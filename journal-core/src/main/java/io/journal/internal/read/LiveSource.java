// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.journal.JournalReader;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.write.Positions;
import io.journal.internal.write.RecordWakeup;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentStore;

/**
 * Readers' view of the journal that this process writes. Lock-free, except that a reader at the end may write the
 * appended records, for which it takes the writer's locks.
 */
public final class LiveSource extends ReadSource
{
    private final Supplier<History> history;
    private final Positions positions;
    private final FailureLatch latch;
    private final TailWriter tail;
    private final BooleanSupplier isClosed;

    public LiveSource(
        final SegmentStore store,
        final UUID uuid,
        final int segmentLength,
        final Supplier<History> history,
        final Positions positions,
        final FailureLatch latch,
        final TailWriter tail,
        final BooleanSupplier isClosed)
    {
        super(store, uuid, segmentLength, true);
        this.history = history;
        this.positions = positions;
        this.latch = latch;
        this.tail = tail;
        this.isClosed = isClosed;
    }

    @Override
    public History history()
    {
        return history.get();
    }

    @Override
    public long lastSequence(final JournalReader.Limit which)
    {
        if (JournalReader.Limit.FORCED == which)
        {
            return positions.forcedSequence();
        }

        return isWritable() ? positions.appendedSequence() : positions.writtenSequence();
    }

    @Override
    public long readableEnd(final JournalReader.Limit which, final long position)
    {
        if (JournalReader.Limit.FORCED == which)
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
    public RecordWakeup wakeup(final JournalReader.Limit which)
    {
        return JournalReader.Limit.FORCED == which ? positions.forcedWakeup : positions.appendedWakeup;
    }

    @Override
    long knownTerm(final long sequence)
    {
        final TailWriter.CurrentTerm current = tail.currentTerm();
        return sequence >= current.firstSequence() ? current.term() : Term.NONE;
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
