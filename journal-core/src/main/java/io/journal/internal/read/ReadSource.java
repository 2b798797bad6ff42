package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.Segment;
import io.journal.internal.files.Window;

/**
 * What readers need of a journal, in the process that writes it or in one that follows it. Thread-safe.
 */
public interface ReadSource
{
    /** How far readers may read. */
    enum End
    {
        /** To the last written record. */
        WRITTEN,
        /** To the durable watermark. */
        FORCED
    }

    int segmentLength();

    /**
     * The current state. As long as it is the same object, nothing was pruned or truncated.
     *
     * @throws JournalException if it cannot be determined.
     */
    JournalMeta.State state();

    /**
     * Sequence of the newest record that readers may return.
     */
    long lastSequence(End which);

    /**
     * Sequence of the newest record whose sequence is published. Call before {@link #readableEnd}: there may be more
     * records below that end, and they must not be returned yet. {@link Long#MAX_VALUE} if the end alone is the limit.
     */
    long readableSequence(End which);

    /**
     * Position up to which the journal may be read: beyond the given one, unless nothing more is readable.
     */
    long readableEnd(End which, long position);

    /**
     * Opens a segment. The caller closes it.
     *
     * @throws CorruptJournalException if it is absent or invalid.
     */
    Segment openSegment(long ordinal) throws IOException;

    /**
     * A window that shows segments of {@link #openSegment}.
     */
    Window newWindow();

    /**
     * Cache of the first watermark frames of segments.
     */
    SegmentIndex index();

    /**
     * Whether the journal is closed: no records will follow.
     */
    boolean isClosed();

    /**
     * Checks, after a fault in mapped memory, whether it came from memory of this source: such a fault surfaces late,
     * anywhere in the thread that read there.
     *
     * @throws JournalException if it did.
     */
    void checkWhole();
}
