package io.journal.internal.read;

import java.util.Objects;

import io.journal.RecordHandler;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.segment.FrameCursor;

/**
 * Passes records to a handler: the first one as it is found, and those that follow it in loaded memory, in a loop that
 * does no more for each than verify it. That loop ends at whatever else there is, such as the end, a control frame or a
 * damaged one, and leaves it to the next search. For one thread at a time.
 */
final class RecordDelivery
{
    private final RecordFinder finder;
    private final RecordWalk walk;
    private final ReadableEnd readable;
    private final FrameCursor cursor;
    private final FoundRecord record;
    private RecordHandler.Action action;

    RecordDelivery(final RecordFinder finder, final RecordWalk walk, final ReadableEnd readable)
    {
        this.finder = finder;
        this.walk = walk;
        this.readable = readable;
        cursor = walk.cursor();
        record = walk.record();
    }

    /**
     * Passes the next record to a handler, and maybe some behind it. One of the handlers is null: they have call sites
     * of their own, so that a plain poll stays monomorphic. If the handler throws, the position is before that record.
     *
     * @param limit   number of records, 1 or more.
     * @param isFirst whether this is the first search of a poll.
     * @return number of records passed, without an aborted one; 0 if there is none.
     */
    int pass(
        final boolean isForward, final RecordHandler handler, final RecordHandler.Controlled controlled,
        final int limit, final boolean isFirst)
    {
        action = RecordHandler.Action.CONTINUE;
        if (!finder.find(isForward, isFirst))
        {
            return 0;
        }
        call(handler, controlled);
        if (RecordHandler.Action.ABORT == action)
        {
            return 0;
        }

        walk.pass(isForward);
        return isForward && RecordHandler.Action.CONTINUE == action ? 1 + follow(handler, controlled, limit - 1) : 1;
    }

    /** What a controlled handler returned for the last record; CONTINUE if there was none, or for a plain handler. */
    RecordHandler.Action action()
    {
        return action;
    }

    /** Whether the handler ended the poll. */
    boolean isStopped()
    {
        return RecordHandler.Action.ABORT == action || RecordHandler.Action.BREAK == action;
    }

    private int follow(final RecordHandler handler, final RecordHandler.Controlled controlled, final int limit)
    {
        final long first = walk.nextSequence();
        final long last = readable.published(first + limit - 1);
        final long basePosition = walk.basePosition();
        final int end = Math.min(walk.limit, cursor.loadedEnd());
        int offset = walk.offset;
        long sequence = first;
        try
        {
            while (sequence <= last && cursor.examineRecord(offset, end, sequence))
            {
                record.take(sequence, basePosition + offset);
                call(handler, controlled);
                if (RecordHandler.Action.ABORT == action)
                {
                    break;
                }
                offset += FrameHeader.alignedLength(record.length());
                sequence++;
                if (RecordHandler.Action.CONTINUE != action)
                {
                    break;
                }
            }
        }
        finally
        {
            // If the handler threw or aborted, the cursor shows the record that was not passed.
            walk.goBehind(offset, sequence, offset != cursor.offset() && cursor.isMore());
        }
        return (int)(sequence - first);
    }

    private void call(final RecordHandler handler, final RecordHandler.Controlled controlled)
    {
        if (null == controlled)
        {
            handler.onRecord(record.view(), 0, record.length(), record);
        }
        else
        {
            action = Objects.requireNonNull(
                controlled.onRecord(record.view(), 0, record.length(), record), "action");
        }
    }
}
