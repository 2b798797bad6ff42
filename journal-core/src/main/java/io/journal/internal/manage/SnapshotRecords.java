package io.journal.internal.manage;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.read.FoundRecord;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.RecordWalk;
import io.journal.internal.control.Term;
import io.journal.internal.write.Positions;

/**
 * Relates snapshots to the records of their journal: the origin of a snapshot, and whether it matches. Calls of methods
 * that throw an {@link IOException} must exclude prune and truncation, by {@link SegmentLifecycle#exclusively}.
 */
final class SnapshotRecords
{
    private final ReadSource source;
    private final Positions positions;
    private final SegmentLifecycle segments;

    SnapshotRecords(final ReadSource source, final Positions positions, final SegmentLifecycle segments)
    {
        this.source = source;
        this.positions = positions;
        this.segments = segments;
    }

    /**
     * Checks that a snapshot may end at a sequence.
     */
    void checkRange(final long sequence)
    {
        segments.checkRange(sequence, segments.firstSequence() - 1, positions.appendedSequence());
    }

    /** Number of the term in which a snapshot is begun now. */
    long beginNumber()
    {
        return segments.history().number;
    }

    /**
     * Origin of a snapshot that ends with a durable record.
     *
     * @param number of the term in which it was begun.
     */
    SnapshotFile.Origin origin(final long sequence, final long number) throws IOException
    {
        checkNotTruncated(sequence, number);
        checkRange(sequence);
        if (sequence > positions.forcedSequence())
        {
            throw truncatedMeanwhile(sequence);
        }

        final boolean hasRecord = sequence >= segments.firstSequence();
        return new SnapshotFile.Origin(
            source.uuid(), source.terms().of(sequence), hasRecord, hasRecord ? recordChecksum(sequence) : 0);
    }

    /**
     * Checks that nothing was truncated since a snapshot was begun.
     *
     * @param number of the term in which it was begun.
     */
    void checkNotTruncated(final long sequence, final long number)
    {
        if (number != segments.history().number)
        {
            throw truncatedMeanwhile(sequence);
        }
    }

    /**
     * Checks that no snapshot is ahead of the journal. A corrupt one counts: its presence shows that the journal had
     * its records.
     */
    void checkNotAhead(final long newest)
    {
        final long last = positions.appendedSequence();
        if (newest > last)
        {
            throw mismatch(
                newest, "the journal ends before its newest snapshot",
                "restore the journal from a newer backup, or accept that the records behind " + last +
                    " are lost: snapshots().discardAfter(" + last + "), and load again");
        }
    }

    /**
     * Checks that a truncation leaves no snapshot ahead of the journal.
     */
    void checkTruncation(final long newest, final long sequence)
    {
        if (newest > sequence)
        {
            throw new IllegalStateException(
                describe(
                    newest, "a snapshot contains records that are to be truncated",
                    "nothing was changed; to discard it as well, snapshots().discardAfter(" + sequence + ") first"));
        }
    }

    /**
     * Checks that a snapshot contains records that the journal has or had.
     */
    Void check(final SnapshotFile file, final SnapshotFile.Origin origin) throws IOException
    {
        final long sequence = file.sequence();
        if (!isOfThisHistory(sequence, origin))
        {
            throw mismatch(
                sequence, "the snapshot contains other records than the journal",
                "restore the journal from the backup that belongs to it, or give the snapshot up: " +
                    "snapshots().discardAfter(" + (sequence - 1) + "), and load again");
        }
        return null;
    }

    /**
     * Checks that the journal has the records behind a snapshot.
     */
    void checkNoGap(final long sequence)
    {
        if (sequence + 1 < segments.firstSequence())
        {
            throw mismatch(
                sequence, "records between the newest usable snapshot and the journal's first one are missing",
                "restore the journal from a backup");
        }
    }

    /**
     * Checks that the journal needs no snapshot.
     */
    void checkComplete()
    {
        if (segments.firstSequence() > 1)
        {
            throw mismatch(
                -1, "there is no usable snapshot, and the journal does not begin with record 1",
                "restore the journal from a backup");
        }
    }

    private CorruptJournalException mismatch(final long sequence, final String what, final String remedy)
    {
        return new CorruptJournalException(describe(sequence, what, remedy));
    }

    private String describe(final long sequence, final String what, final String remedy)
    {
        return what + ": snapshot=" + sequence + ", firstSequence=" + segments.firstSequence() + ", lastSequence=" +
            positions.appendedSequence() + "; " + remedy;
    }

    private boolean isOfThisHistory(final long sequence, final SnapshotFile.Origin origin) throws IOException
    {
        if (!source.uuid().equals(origin.uuid()))
        {
            return false;
        }

        // Not only the record must be the same, but all before: the term distinguishes it from one that was appended
        // again, after a truncation or in a directory that was rolled back.
        final long term = source.terms().of(sequence);
        final boolean isOfTerm = Term.NONE == term || Term.NONE == origin.term() || term == origin.term();
        return isOfTerm && (!origin.hasRecord() || sequence < segments.firstSequence() ||
            recordChecksum(sequence) == origin.recordChecksum());
    }

    private int recordChecksum(final long sequence) throws IOException
    {
        try (RecordWalk walk = new RecordWalk(source, ReadSource.End.WRITTEN))
        {
            walk.seek().to(sequence);
            if (!walk.next())
            {
                throw new JournalException("cannot read the record of a snapshot: sequence=" + sequence);
            }

            final FoundRecord record = walk.record();
            return SnapshotFile.recordChecksum(
                sequence, record.tag(), record.buffer(), record.index(), record.length());
        }
        catch (final InternalError ex)
        {
            // A page of a mapped segment cannot be read.
            throw new JournalException(
                "cannot read the record of a snapshot: sequence=" + sequence + "; cause=" + ex, ex);
        }
    }

    private static IllegalStateException truncatedMeanwhile(final long sequence)
    {
        return new IllegalStateException("records were truncated while a snapshot was saved: sequence=" + sequence);
    }
}
