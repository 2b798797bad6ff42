package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.Segment;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Reads every record that can be read of a damaged journal, or of one segment file, in order, and reports what is
 * missing between them. Changes nothing and takes no lock.
 * <p>
 * A reader stops at damage, and a repair truncates the journal there; this class continues behind it. What it cannot
 * see is content that was replaced by other valid content and, without {@code journal.control} or in a file away from
 * its journal, what is missing at the end. Not thread-safe.
 */
public final class Salvage
{
    /** Number that is not known. */
    public static final long UNKNOWN = JournalException.UNKNOWN;

    /** Receives what is found, in order. */
    public interface Handler
    {
        /**
         * @param position of the record's frame.
         * @param buffer   holds the record, during the call only.
         */
        void onRecord(long sequence, long tag, long position, ByteBuffer buffer, int offset, int length);

        /** Called before the record that follows the gap, if there is one. */
        void onGap(Gap gap);
    }

    /**
     * Records that cannot be read.
     *
     * @param first  sequence of the first one; {@link #UNKNOWN} if nothing before it could be read, and it is not known
     *               where the records begin: then there may have been no record here at all.
     * @param next   sequence of the record that follows and can be read; {@link #UNKNOWN} if there is none: then, too,
     *               there may have been no record here at all.
     * @param file   where the damage begins.
     * @param offset of the damage in that file.
     * @param found  what is there.
     */
    public record Gap(long first, long next, String file, int offset, String found)
    {
    }

    private final Handler handler;
    private SegmentSalvage.Damage damage;
    // Behind what was found last; the position is that of the beginning until something is.
    private long expected = UNKNOWN;
    private long position = UNKNOWN;
    // Position behind the last valid frame.
    private long end;
    // Of what was found last.
    private long termNumber = UNKNOWN;

    private Salvage(final Handler handler)
    {
        this.handler = handler;
    }

    /**
     * Reads all segments of a journal.
     *
     * @param path of the journal's directory.
     * @throws CorruptJournalException if neither {@code journal.control} nor the header of any segment can be read.
     * @throws JournalException        if there is no journal, it cannot be read, or is of a newer format.
     */
    public static void read(final Path path, final Handler handler)
    {
        read(Backend.FILE_CHANNEL.store(path), path, handler);
    }

    static void read(final SegmentStore store, final Path path, final Handler handler)
    {
        try
        {
            new Salvage(handler).read(SalvageSource.of(store, path));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Reads one segment file, wherever it is and whatever its name, also what was truncated in it.
     *
     * @param file of the segment.
     * @throws CorruptJournalException if its header is damaged.
     * @throws JournalException        if it cannot be read, or is of a newer format.
     */
    public static void readSegment(final Path file, final Handler handler)
    {
        try
        {
            new Salvage(handler).read(SegmentSource.of(file.toAbsolutePath()));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the file: file=" + file + "; cause=" + ex, ex);
        }
    }

    /** Length of the segments of a journal, as far as it is known without a valid {@code journal.control}. */
    public static int segmentLength(final Path path)
    {
        try
        {
            return SalvageSource.of(Backend.FILE_CHANNEL.store(path), path).layout.segmentLength;
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    private void read(final SalvageSource source) throws IOException
    {
        // What was cut is left out.
        termNumber = Long.MAX_VALUE;
        expected = source.startSequence;
        position = source.startPosition;
        end = source.startPosition;
        final Layout layout = source.layout;
        if (source.ordinals.isEmpty())
        {
            damaged(JournalFiles.segment(layout.ordinal(end)), 0, "no file");
        }
        long expectedOrdinal = layout.ordinal(source.startPosition);
        for (final long ordinal : source.ordinals)
        {
            final String name = JournalFiles.segment(ordinal);
            if (source.isMissing(expectedOrdinal, ordinal))
            {
                damaged(name, 0, "no file for the segment before it");
            }
            expectedOrdinal = ordinal + 1;
            if (source.stretches(ordinal).isEmpty())
            {
                continue;
            }
            try (SegmentFile file = source.open(ordinal))
            {
                final ByteBuffer header = source.header(file, ordinal);
                if (null == header)
                {
                    damaged(name, 0, "a header that cannot be rebuilt");
                    continue;
                }
                for (final SalvageSource.Stretch stretch : source.stretches(ordinal))
                {
                    new SegmentSalvage(this, name, stretch.to(), file.length()).run(
                        Segment.of(source.open(ordinal), header, ordinal, layout.segmentLength), stretch.from());
                }
            }
            catch (final IOException ex)
            {
                damaged(name, 0, "cannot be read: " + ex);
            }
        }

        final long last = layout.ordinal(layout.place(end));
        final String found = source.ordinals.contains(last) ? "nothing" : "no file";
        finish(layout, source.forcedPosition, JournalFiles.segment(last), found);
    }

    private void read(final SegmentSource source) throws IOException
    {
        final Layout layout = new Layout(source.segmentLength());
        expected = source.startSequence();
        position = layout.position(source.ordinal(), SegmentHeader.LENGTH);
        end = position;
        try (SegmentFile file = source.file())
        {
            new SegmentSalvage(this, source.name(), source.segmentLength(), file.length()).run(
                Segment.of(file, source.header(), source.ordinal(), source.segmentLength()), SegmentHeader.LENGTH);
        }
        finish(layout, source.forcedPosition(), source.name(), "nothing");
    }

    /** Notes damage, unless some was noted since the last valid frame. */
    void damaged(final String file, final int offset, final String found)
    {
        damage = null == damage ? new SegmentSalvage.Damage(file, offset, found) : damage;
    }

    /**
     * Whether a frame of this sequence can be at this position: not before what was found, nor further behind it than
     * records fit in between.
     */
    boolean isPossible(final long sequence, final long framePosition)
    {
        final long distance = sequence - expected;
        return UNKNOWN == expected || distance >= 0 &&
            distance <= (framePosition - position) / SegmentSalvage.MIN_RECORD_LENGTH + 1;
    }

    /** Whether a term is later than that of the frames that were found. */
    boolean isLaterTerm(final long number)
    {
        return UNKNOWN != termNumber && number > termNumber;
    }

    /** @param number of the term that goes on or begins, 0 if it does not say so. */
    void foundControl(final long sequence, final long framePosition, final long number)
    {
        reach(sequence);
        position = framePosition;
        termNumber = Math.max(termNumber, number);
    }

    void found(
        final long sequence,
        final long tag,
        final long framePosition,
        final ByteBuffer buffer,
        final int offset,
        final int length)
    {
        reach(sequence);
        handler.onRecord(sequence, tag, framePosition, buffer, offset, length);
        expected = sequence + 1;
        position = framePosition;
    }

    /** Notes the position behind the frame that was found. */
    void end(final long end)
    {
        this.end = end;
    }

    private void reach(final long sequence)
    {
        if (UNKNOWN == expected ? null != damage && sequence > 1 : sequence > expected)
        {
            handler.onGap(gap(sequence));
        }
        expected = sequence;
        damage = null;
    }

    /**
     * Reports what is missing at the end.
     *
     * @param forcedPosition up to which the journal is known to have been durable.
     * @param file           that has, or had, what follows the last valid frame.
     * @param found          what is there.
     */
    private void finish(final Layout layout, final long forcedPosition, final String file, final String found)
    {
        final long place = layout.place(end);
        final boolean isDurableMissing = layout.place(forcedPosition) > place;
        if (isDurableMissing)
        {
            damaged(
                file, layout.offset(place),
                found + ", but the journal was durable up to position " + forcedPosition);
        }
        if (isDurableMissing || null != damage)
        {
            handler.onGap(gap(UNKNOWN));
        }
    }

    private Gap gap(final long next)
    {
        return null == damage ? new Gap(expected, next, "", 0, "sequence " + next) :
            new Gap(expected, next, damage.file, damage.offset, damage.found);
    }
}
