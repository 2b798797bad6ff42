package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.ReadLimit;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.Segment;
import io.journal.store.Window;

/**
 * What readers need of a journal: that of the process that writes it, or one that is followed from elsewhere. For any
 * thread.
 */
public interface ReadSource
{
    int segmentLength();

    /**
     * The present state. As long as it is the same object, nothing was pruned or cut.
     *
     * @throws JournalException if it cannot be told.
     */
    JournalMeta.State state();

    /**
     * What was cut lowest since an epoch.
     *
     * @return the cut, or null if there was none.
     */
    JournalMeta.Cut cutSince(long epoch);

    /**
     * The newest record that may be handed out.
     */
    long lastSequence(ReadLimit limit);

    /**
     * The newest record whose sequence is published. To be asked before {@link #readableEnd}: at present it may know
     * fewer records than lie below that, never more.
     */
    long readableSequence(ReadLimit limit);

    /**
     * Up to where the journal may be read, once that is further than a position or nothing more can be had.
     */
    long readableEnd(ReadLimit limit, long position);

    /**
     * Opens a segment, to be closed by the caller.
     *
     * @throws CorruptJournalException if it is not there or not what it should be.
     */
    Segment openSegment(long ordinal) throws IOException;

    /**
     * A window that shows segments of {@link #openSegment}.
     */
    Window newWindow();

    /**
     * What is remembered of where segments begin.
     */
    SegmentIndex index();

    /**
     * Whether nothing more will ever come.
     */
    boolean isClosed();

    /**
     * Checks, after a fault in mapped memory, whether it was that of this source: such a fault shows up anywhere later
     * in the thread that read there.
     *
     * @throws JournalException if it was.
     */
    void checkWhole();
}
