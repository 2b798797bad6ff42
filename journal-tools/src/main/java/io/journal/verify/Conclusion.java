package io.journal.verify;

import java.util.ArrayList;
import java.util.List;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.verify.Finding.Place;
import io.journal.verify.Finding.Severity;
import io.journal.verify.SegmentCheck.Break;

/**
 * Combines the checks of single segments: where the journal ends, what is corruption, and what is merely after the end.
 * Normative text: {@code docs/format.md}, "Opening", steps 3 to 7.
 */
final class Conclusion
{
    private static final long UNKNOWN = Place.UNKNOWN;

    private final Inventory files;
    private final Layout layout;
    private final List<SegmentCheck> checks;
    private final List<Finding> findings = new ArrayList<>();
    // Segments with frames, and where the last of them ends.
    private final List<SegmentCheck> begun = new ArrayList<>();
    private long begunEnd;

    private final long forced;
    private long expectedSequence;
    private long records;
    private long tailLength;
    private boolean isClosed;

    // End of the valid part, fixed once something is not valid; isEnded if the journal ends there.
    private boolean isBroken;
    private boolean isEnded;
    private long endPosition;
    private long endSequence;

    Conclusion(final Inventory files, final List<SegmentCheck> checks)
    {
        this.files = files;
        this.checks = checks;
        layout = files.layout;
        final long least = Math.max(files.forcedPosition(), files.meta.state.startPosition + SegmentHeader.LENGTH);
        forced = checks.stream().mapToLong((check) -> check.forcedPosition).reduce(least, Math::max);
        expectedSequence = files.meta.state.startSequence;
    }

    Verdict conclude()
    {
        files.strays.forEach((name) -> add(new Finding(
            Severity.DAMAGE, Place.of(name), 0, "20 digits before .journal", "another name",
            "not a file of this journal: move it out of the directory, or let repair do it")));

        long ordinal = layout.ordinal(files.meta.state.startPosition);
        for (final SegmentCheck check : checks)
        {
            if (ordinal < check.ordinal)
            {
                // One finding for a run of missing segments.
                missing(ordinal, check.ordinal - 1, check.firstSequence());
            }
            conclude(check);
            ordinal = check.ordinal + 1;
        }
        finish(ordinal);

        return new Verdict(
            List.copyOf(findings), List.copyOf(checks), records, files.meta.state.startSequence, endSequence - 1,
            endPosition, forced, tailLength, isCleanlyClosed());
    }

    private void missing(final long first, final long last, final long nextSequence)
    {
        add(new Finding(
            Severity.DAMAGE, place(first, 0), lost(nextSequence), "a segment",
            last == first ? "no file" : "no file, nor any other up to " + JournalFiles.segment(last),
            "a part of the journal is missing: restore it from a backup"));
        expectedSequence = UNKNOWN;
    }

    private void conclude(final SegmentCheck check)
    {
        if (null != check.unreadable)
        {
            concludeUnreadable(check, check.unreadable);
            return;
        }
        if (isEnded)
        {
            if (!isLeftPrepared(check))
            {
                tail(check, SegmentHeader.LENGTH);
            }
            return;
        }

        begun.add(check);
        begunEnd = layout.position(check.ordinal, check.endOffset);
        records += check.records();
        isClosed = check.isClosed();
        final long first = check.firstSequence();
        if (UNKNOWN != expectedSequence && check.isFirstFrameValid() && first != expectedSequence)
        {
            add(new Finding(
                Severity.DAMAGE, place(check.ordinal, SegmentHeader.LENGTH), lost(first),
                "sequence " + expectedSequence, "sequence " + first,
                "records before this segment are missing, or it is an older version of the file: restore the journal " +
                    "from a backup"));
        }
        for (final Break at : check.breaks)
        {
            conclude(check, at);
            if (isEnded)
            {
                return;
            }
        }

        if (check.endsUnread())
        {
            expectedSequence = UNKNOWN;
        }
        else if (UNKNOWN != check.nextSequence())
        {
            expectedSequence = check.nextSequence();
        }
        if (!isBroken)
        {
            endPosition = layout.position(check.ordinal, check.endOffset);
            endSequence = expectedSequence;
        }
    }

    /** Whether the next opening leaves a segment as it is: prepared by a writer that closed the journal cleanly. */
    private boolean isLeftPrepared(final SegmentCheck check)
    {
        return isCleanlyClosed() && check.isPrepared() &&
            check.ordinal == layout.ordinal(layout.place(endPosition)) + 1;
    }

    private void concludeUnreadable(final SegmentCheck check, final Break at)
    {
        final Place place = place(check.ordinal, 0);
        final long lost = lost(firstSequenceAfter(check));
        if (Break.Kind.FRAME == at.kind())
        {
            add(new Finding(
                Severity.DAMAGE, place, lost, "a segment of this journal", at.found(),
                "nothing in this file can be read: restore it from a backup"));
        }
        else
        {
            addUnknown(place, at, lost, "a segment of this journal");
        }
        expectedSequence = UNKNOWN;
    }

    private void conclude(final SegmentCheck check, final Break at)
    {
        expectedSequence = UNKNOWN == at.sequence() ? expectedSequence : at.sequence();
        final Place place = place(check.ordinal, at.offset());
        final long next = UNKNOWN == at.nextSequence() ? firstSequenceAfter(check) : at.nextSequence();
        if (Break.Kind.SEQUENCE == at.kind())
        {
            add(new Finding(
                Severity.DAMAGE, place, lost(next), "sequence " + expectedSequence, at.found(),
                "a valid frame that does not belong here: restore the file from a backup"));
        }
        else if (Break.Kind.FRAME != at.kind())
        {
            addUnknown(place, at, lost(next), "a frame");
        }
        else if (layout.place(forced) > layout.place(place.position()))
        {
            add(new Finding(
                Severity.DAMAGE, place, lost(next), "a valid frame", at.found(),
                "this was durable, up to position " + forced + ", and is not what was written: restore the file from " +
                    "a backup"));
        }
        else
        {
            isEnded = true;
            begunEnd = place.position();
            if (SegmentHeader.LENGTH == at.offset())
            {
                begun.remove(check);
            }
            if (!isBroken)
            {
                endPosition = place.position();
                endSequence = expectedSequence;
            }
            tail(check, at.offset());
        }
    }

    /**
     * Something that this version cannot read: it may be intact.
     */
    private void addUnknown(final Place place, final Break at, final long lost, final String expected)
    {
        add(Break.Kind.READ == at.kind() ?
            new Finding(
                Severity.UNREADABLE, place, lost, expected, at.found(),
                "it may be intact: fix its permissions or the device, then verify again") :
            new Finding(
                Severity.NEWER_FORMAT, place, UNKNOWN, "a format that this version knows", at.found(),
                "written by a newer version of the library: read the journal with that"));
    }

    /**
     * The first known sequence after a segment.
     */
    private long firstSequenceAfter(final SegmentCheck check)
    {
        return checks.stream().skip(checks.indexOf(check) + 1L).mapToLong(SegmentCheck::firstSequence)
            .filter((sequence) -> UNKNOWN != sequence).findFirst().orElse(UNKNOWN);
    }

    private long lost(final long nextSequence)
    {
        return UNKNOWN == nextSequence || UNKNOWN == expectedSequence ? UNKNOWN :
            Math.max(0, nextSequence - expectedSequence);
    }

    private void tail(final SegmentCheck check, final int offset)
    {
        final int length = new SegmentScan(files, check.ordinal).contentEnd(offset, expectedSequence) - offset;
        if (length > 0)
        {
            tailLength += length;
            add(new Finding(
                Severity.TAIL, place(check.ordinal, offset), UNKNOWN, "nothing", length + " bytes after the end",
                files.isMarkUsable() ?
                    "not known to be durable: a torn tail that a crash left, or what an active writer is appending; " +
                        "the next opening moves it into quarantine" :
                    "a torn tail that a crash left, or, as journal.mark is lost, durable records that are " +
                        "damaged: keep a copy of the directory; the next opening moves it into quarantine"));
        }
    }

    private void finish(final long ordinal)
    {
        final boolean isEndMissing = !isEnded && null == files.meta.state.pending &&
            layout.place(forced) > layout.place(layout.position(ordinal, 0));
        if (isEndMissing || checks.isEmpty() && findings.isEmpty())
        {
            missing(ordinal, ordinal, UNKNOWN);
        }

        checkHistory();
        final String fault = files.truncationFault();
        if (null != fault)
        {
            add(new Finding(
                Severity.DAMAGE, Place.of(JournalFiles.META), UNKNOWN, "a truncation that can be completed", fault,
                "no writer can have begun this truncation: restore the journal from a backup"));
        }
        SideFiles.findings(files, isBroken ? UNKNOWN : endPosition, endSequence).forEach(this::add);
    }

    /** Whether a segment is an older copy from before a truncation: by what the next one knows, or the state. */
    private void checkHistory()
    {
        for (int i = 0; i < begun.size(); i++)
        {
            final SegmentCheck check = begun.get(i);
            final SegmentCheck next = i + 1 < begun.size() ? begun.get(i + 1) : null;
            if (null == next)
            {
                checkHistory(check, files.meta.state.epoch, files.meta.state.cutPosition(), layout.place(begunEnd));
            }
            else if (next.isFirstFrameValid() && check.ordinal + 1 == next.ordinal)
            {
                checkHistory(check, next.firstEpoch, next.firstCutPosition, layout.position(next.ordinal, 0));
            }
        }
    }

    private void checkHistory(
        final SegmentCheck check, final long epoch, final long cutPosition, final long end)
    {
        final String fault = new SegmentScan(files, check.ordinal).historyFault(epoch, cutPosition, end);
        if (null != fault)
        {
            // Of no position, unless all of it is behind other damage: in an older copy, what is before the place may
            // be other records, too, and a truncation would keep them.
            final long position = layout.position(check.ordinal, SegmentHeader.LENGTH);
            final Place segment = new Place(
                JournalFiles.segment(check.ordinal), 0, isBroken && endPosition <= position ? position : UNKNOWN,
                UNKNOWN);
            add(Finding.of(
                Severity.DAMAGE, segment, fault, "a watermark frame of epoch " + epoch,
                "not what was written after the last truncation, maybe an older copy of the file: restore the " +
                    "journal from a backup"));
        }
    }

    private Place place(final long ordinal, final int offset)
    {
        return new Place(
            JournalFiles.segment(ordinal), offset, layout.position(ordinal, offset), expectedSequence);
    }

    private void add(final Finding finding)
    {
        if (!isBroken && finding.isDamage() && UNKNOWN != finding.place().position())
        {
            isBroken = true;
            endPosition = finding.place().position();
            endSequence = expectedSequence;
        }
        findings.add(finding);
    }

    private boolean isCleanlyClosed()
    {
        return isClosed && !isBroken && 0 == tailLength && !files.mark.isForceUnfinished &&
            files.forcedPosition() == endPosition;
    }
}
