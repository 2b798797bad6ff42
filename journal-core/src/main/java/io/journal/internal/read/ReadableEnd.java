// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

/**
 * How far a {@link RecordWalk} may read. It asks the source again only when the walk reaches the end that it knows. For
 * one thread at a time.
 */
final class ReadableEnd
{
    private final ReadSource source;
    private final ReadSource.End which;
    private final int segmentLength;
    private long position;
    private long sequence;
    // Whether the source had no end at any time since watch().
    private boolean wasMissing;

    ReadableEnd(final ReadSource source, final ReadSource.End which)
    {
        this.source = source;
        this.which = which;
        segmentLength = source.segmentLength();
    }

    /**
     * Whether there is anything to read at a position.
     */
    boolean isAfter(final long position)
    {
        return position < this.position || refresh(position);
    }

    /**
     * Whether a sequence at a position is published, and not just its frame.
     */
    boolean isPublished(final long sequence, final long position)
    {
        return sequence <= this.sequence || refresh(position) && sequence <= this.sequence;
    }

    /**
     * The lower of a sequence and the newest sequence that is known to be published.
     */
    long published(final long sequence)
    {
        return Math.min(sequence, this.sequence);
    }

    /**
     * Offset up to which a segment may be read, from an offset in it; 0 if nothing may be read there.
     */
    int limit(final long basePosition, final int offset)
    {
        // The end may be far below the segment, because it is 0 while it is not known.
        return isAfter(basePosition + offset) ? (int)Math.min(segmentLength, position - basePosition) : 0;
    }

    /** Position up to which the journal may be read, as far as is known here. */
    long position()
    {
        return position;
    }

    /**
     * Forgets the end: it may be lower now.
     */
    void forget()
    {
        position = 0;
        sequence = 0;
    }

    /**
     * Whether there is a record, as far as sequences tell.
     */
    boolean isReadable(final long sequence)
    {
        return source.isReadable(sequence, which);
    }

    /** Whether it is known which records may be read. */
    boolean isKnown()
    {
        return source.isEndKnown(which);
    }

    long lastSequence()
    {
        return source.lastSequence(which);
    }

    /**
     * Position up to which the journal may be read now; 0 if it is closed, or if it is not known what is durable.
     */
    long current()
    {
        return source.readableEnd(which, 0);
    }

    /**
     * The highest position up to which the journal may be read, though finding it may take long.
     */
    long newest()
    {
        final long newest = source.readableEnd(which, Long.MAX_VALUE);
        wasMissing |= 0 == newest;
        return newest;
    }

    /** Begins to watch for {@link #wasMissing}. */
    void watch()
    {
        wasMissing = false;
    }

    /**
     * Whether the source had no end at any time since {@link #watch}: it was not known what is durable, or the source
     * is closed, or the journal empty.
     */
    boolean wasMissing()
    {
        return wasMissing;
    }

    private boolean refresh(final long position)
    {
        // The sequence is read first: it is published after its position, and a reader must not return a record beyond
        // lastSequence().
        sequence = source.readableSequence(which);
        this.position = source.readableEnd(which, position);
        wasMissing |= 0 == this.position;
        return position < this.position;
    }
}
