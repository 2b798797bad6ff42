// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalNotFoundException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.segment.Segment;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;

/**
 * Copies every readable record of a damaged journal into a new journal, and reports missing records. The damaged
 * journal is only read, without its lock.
 * <p>
 * A reader stops at damage, and a repair truncates the journal there; this class continues after it. It cannot detect
 * content that was replaced by other valid content nor, without {@code journal.control}, records missing at the end.
 */
public final class Salvage
{
    /** Number that is not known. */
    public static final long UNKNOWN = JournalException.UNKNOWN;

    /** Receives records and gaps, in order. */
    interface Handler
    {
        /** Called with a record, which the buffer holds during the call only, and the position of its frame. */
        void onRecord(long sequence, long tag, long position, ByteBuffer buffer, int offset, int length);

        /** Called before the record that follows the gap, if there is one. */
        void onGap(Gap gap);
    }

    /**
     * Records that cannot be read.
     *
     * @param first  sequence of the first missing record; {@link #UNKNOWN} if nothing before it could be read, and it
     *               is not known where the records begin: then there may have been no record here at all.
     * @param last   sequence of the last missing record; {@link #UNKNOWN} if no record follows that can be read: then,
     *               too, there may have been no record here at all.
     * @param file   where the damage begins.
     * @param offset of the damage in that file.
     * @param found  what is there.
     */
    public record Gap(long first, long last, String file, int offset, String found)
    {
    }

    /**
     * Consecutive records that were copied.
     *
     * @param first    sequence of the first record.
     * @param last     sequence of the last record.
     * @param newFirst sequence of the first record in the new journal.
     */
    public record Range(long first, long last, long newFirst)
    {
    }

    /**
     * Result of a salvage.
     *
     * @param records number of records.
     * @param copied  their sequences, ascending.
     * @param missing gaps of records that could not be read; empty if nothing is missing.
     */
    public record Result(long records, List<Range> copied, List<Gap> missing)
    {
    }

    private final Handler handler;
    private SalvageSource source;
    private SegmentSalvage.Damage damage;
    // Sequence and position after the last found record; the position is the beginning's until a record is found.
    private long expected = UNKNOWN;
    private long position = UNKNOWN;
    // Position after the last valid frame.
    private long end;

    Salvage(final Handler handler)
    {
        this.handler = handler;
    }

    /**
     * Copies all records that can be read. The new journal begins with the sequence of the first of them; after a
     * missing record the new sequences are lower than the old ones, unless missing records are filled. Cursors,
     * snapshots and the boundaries of batches are not copied.
     * <p>
     * The target appears once it is complete and durable. Until then it is in a directory beside it, with
     * {@code .unfinished} appended to its name, which is deleted if the copy fails.
     *
     * @param source        directory of the damaged journal.
     * @param target        directory of the new journal, which must not exist; its parent must.
     * @param segmentLength of the new journal in bytes, or 0 for the old journal's.
     * @param fillTag       tag of an empty record that takes the place of each missing record, so that all sequences
     *                      stay; empty for none.
     * @return the copied and the missing records.
     * @throws IllegalArgumentException if the target exists or lies within the source, the segment length is invalid,
     *                                  or a record does not fit.
     * @throws CorruptJournalException  if neither {@code journal.control} nor the header of any segment can be read.
     * @throws JournalNotFoundException if there is no journal.
     * @throws JournalException         if the source cannot be read or is of a newer format, the target cannot be
     *                                  written, or the calling thread is interrupted.
     */
    public static Result copy(
        final Path source, final Path target, final int segmentLength, final OptionalLong fillTag)
    {
        try
        {
            final SalvageSource found = SalvageSource.of(Backend.FILE_CHANNEL.store(source), source);
            return new SalvageCopy(target, 0 == segmentLength ? found.layout.segmentLength : segmentLength, fillTag)
                .run(found, source);
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot salvage the journal: path=" + source + ", target=" + target + "; cause=" + ex, ex);
        }
    }

    /** Reads all segments. Returns the sequence after the last record, or {@link #UNKNOWN}. */
    long read(final SalvageSource source) throws IOException
    {
        this.source = source;
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

        // The log may end with a cut after which no segment was made.
        end = source.live(layout.place(end));
        final long last = layout.ordinal(end);
        final String found = source.ordinals.contains(last) ? "nothing" : "no file";
        finish(layout, source.forcedPosition, JournalFiles.segment(last), found);
        return expected;
    }

    /** Notes damage, unless damage was noted since the last valid frame. */
    void damaged(final String file, final int offset, final String found)
    {
        damage = null == damage ? new SegmentSalvage.Damage(file, offset, found) : damage;
    }

    /**
     * Whether a frame of this sequence can be at this position: not before the records found, nor further after them
     * than records fit in between, nor cut.
     */
    boolean isPossible(final long sequence, final long framePosition)
    {
        if (framePosition < source.rebuiltPosition && sequence >= source.rebuiltSequence)
        {
            return false;
        }
        final long distance = sequence - expected;
        return UNKNOWN == expected || distance >= 0 &&
            distance <= (framePosition - position) / SegmentSalvage.MIN_RECORD_LENGTH + 1;
    }

    void foundControl(final long sequence, final long framePosition)
    {
        reach(sequence);
        position = framePosition;
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

    /** Notes the position after the frame that was found. */
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
     * Reports records that are missing at the end.
     *
     * @param forcedPosition up to which the journal is known to have been durable.
     * @param file           that has, or had, the bytes after the last valid frame.
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
        final long last = UNKNOWN == next ? UNKNOWN : next - 1;
        return null == damage ? new Gap(expected, last, "", 0, "sequence " + next) :
            new Gap(expected, last, damage.file(), damage.offset(), damage.found());
    }
}
