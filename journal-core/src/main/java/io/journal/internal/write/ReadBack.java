// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentStore;

/**
 * Reads the frames of a mapped journal back from the file before their fsync is acknowledged, each once and in order.
 * <p>
 * A store into a mapping can fail after the program has continued, if no block can be allocated: on a full
 * copy-on-write file system, or in a hole. The page stays clean, so an fsync of it succeeds. The checksums, calculated
 * before the bytes were stored, tell whether they arrived. Guarded by the lock of the {@link Forcer}.
 */
final class ReadBack implements AutoCloseable
{
    private static final int WINDOW_LENGTH = 64 * 1024;

    private final FrameCursor cursor;
    private int offset;
    private long nextSequence;

    ReadBack(final SegmentStore store)
    {
        cursor = new FrameCursor(Window.copying(store, WINDOW_LENGTH));
    }

    /** Starts at the end that recovery found or a truncation left. */
    void start(final int offset, final long nextSequence)
    {
        cursor.close();
        this.offset = offset;
        this.nextSequence = nextSequence;
    }

    /**
     * Checks the frames up to an offset, at which one ends.
     *
     * @throws CorruptJournalException if the file does not contain them.
     */
    void check(final Segment segment, final int to) throws IOException
    {
        if (segment != cursor.segment())
        {
            // Cannot fail: the caller uses the segment already, so it is not closed.
            segment.retain();
            cursor.attach(segment);
        }
        while (offset < to)
        {
            final FrameCursor.Verdict verdict = cursor.examine(offset, to, nextSequence);
            if (FrameCursor.Verdict.VALID != verdict)
            {
                throw cursor.corrupt(
                    "records stored into the mapped file are not in it", verdict, nextSequence,
                    "; a full device that copies what is written again, or a hole in the file, causes that");
            }
            offset = cursor.nextOffset();
            nextSequence = cursor.nextSequence();
        }
    }

    /** Continues with the beginning of the next segment. */
    void roll(final int offset)
    {
        cursor.close();
        this.offset = offset;
    }

    @Override
    public void close()
    {
        cursor.close();
    }
}
