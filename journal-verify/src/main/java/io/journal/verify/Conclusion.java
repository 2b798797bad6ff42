// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.util.ArrayList;
import java.util.List;

import io.journal.internal.control.ControlState;
import io.journal.internal.control.Cut;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.FileType;
import io.journal.verify.Finding.Place;
import io.journal.verify.Finding.Severity;
import io.journal.verify.SegmentCheck.Break;
import io.journal.verify.SegmentCheck.Mark;

/**
 * Combines the checks of single segments: finds where the journal ends, and distinguishes corruption from bytes after
 * the end. Normative text: {@code docs/format.md}, "Opening".
 */
final class Conclusion
{
    private static final long UNKNOWN = Place.UNKNOWN;
    private static final String OLDER_COPY = "it may be an older copy of the file: restore the journal from a backup";

    private final Inventory files;
    private final Layout layout;
    private final List<SegmentCheck> checks;
    private final List<Finding> findings = new ArrayList<>();

    private final long forced;
    private final Break laterTerm;
    private SegmentCheck previous;
    private long expectedSequence;
    private long records;
    private long tailLength;

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
        forced = checks.stream().mapToLong((check) -> check.forcedPosition)
            .reduce(Inventory.forcedPosition(files.control), Math::max);
        laterTerm = checks.stream().map((check) -> check.laterTerm).filter((mark) -> null != mark).findFirst()
            .orElse(null);
        expectedSequence = files.history.startSequence;
    }

    Verdict conclude()
    {
        files.strays.forEach((name) -> add(new Finding(
            Severity.DAMAGE, Place.of(name), 0, "20 digits before .journal", "another name",
            "not a file of this journal: move it out of the directory")));

        long ordinal = layout.ordinal(files.history.startPosition);
        for (final SegmentCheck check : checks)
        {
            missing(ordinal, check.ordinal, check.firstSequence);
            conclude(check);
            ordinal = check.ordinal + 1;
        }
        finish(ordinal);

        return new Verdict(
            List.copyOf(findings), (int)checks.stream().filter((check) -> !check.isPrepared()).count(), records,
            files.history.startSequence, endSequence - 1,
            checks.stream().mapToLong((check) -> check.nextSequence).max().orElse(0) - 1, files.history.firstPosition(),
            endPosition, forced, tailLength, isCleanlyClosed());
    }

    /** Adds one finding for a run of missing segments, except segments that hold no part of the log. */
    private void missing(final long from, final long to, final long nextSequence)
    {
        final long first = files.firstMissing(from, to);
        final long last = to - 1;
        if (first <= last)
        {
            add(new Finding(
                Severity.DAMAGE, place(first, 0), isEnded ? UNKNOWN : lost(nextSequence), "a segment",
                last == first ? "no file" : "no file, nor any other up to " + JournalFiles.segment(last),
                isEnded ? "it is after the end of the journal, which does not open without it" :
                    "a part of the journal is missing: restore it from a backup"));
            expectedSequence = isEnded ? expectedSequence : UNKNOWN;
            previous = null;
        }
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
            tail(check, SegmentHeader.LENGTH);
            return;
        }

        checkStart(check);
        for (final Break at : check.breaks)
        {
            conclude(check, at);
            if (isEnded)
            {
                records += recordsBefore(at, check);
                return;
            }
        }

        records += check.records;
        if (check.endsUnread())
        {
            expectedSequence = UNKNOWN;
            previous = null;
        }
        else
        {
            expectedSequence = UNKNOWN == check.nextSequence ? expectedSequence : check.nextSequence;
            previous = check;
        }
        if (!isBroken)
        {
            endPosition = check.end == layout.position(check.ordinal + 1, SegmentHeader.LENGTH) ?
                check.endPosition() : check.end;
            endSequence = expectedSequence;
        }
    }

    /** Number of records of a segment before the end. Frames that are left after the end do not count. */
    private static long recordsBefore(final Break end, final SegmentCheck check)
    {
        return check.breaks.get(0) != end ? check.records :
            UNKNOWN == end.sequence() || UNKNOWN == check.firstSequence ? 0 :
                Math.max(0, end.sequence() - check.firstSequence);
    }

    /** Checks that a segment continues where the segment before it ends, as a walk over both does. */
    private void checkStart(final SegmentCheck check)
    {
        final Mark mark = check.firstMark;
        final Cut cut = check.firstCut;
        final long first = null == cut ? check.firstSequence : cut.sequence();
        if (null != cut && null != previous)
        {
            final boolean isCrossed = previous.end == cut.to();
            if (!isCrossed && !(layout.place(previous.end) == layout.place(cut.from()) &&
                previous.chain.isBefore(cut, previous.nextSequence)))
            {
                olderCopy(check, "the records after which something was truncated, up to " + (cut.sequence() - 1),
                    "sequence " + previous.nextSequence);
            }
            expectedSequence = cut.sequence();
        }
        else if (null != cut)
        {
            expectedSequence = cut.sequence();
        }
        else if (null != mark && UNKNOWN != expectedSequence && first != expectedSequence)
        {
            add(new Finding(
                Severity.DAMAGE, place(check.ordinal, SegmentHeader.LENGTH), lost(first),
                "sequence " + expectedSequence, "sequence " + first,
                "records before this segment are missing, or it is an older copy of the file: restore the journal " +
                    "from a backup"));
        }
        else if (null != mark && null != previous &&
            !previous.chain.isNext(mark.number(), mark.term(), mark.previousTerm(), mark.sequence()))
        {
            olderCopy(check, "a watermark frame that follows those of " + JournalFiles.segment(previous.ordinal),
                "one of term " + mark.number());
        }
        else if (null != mark && null == previous && check.ordinal == layout.ordinal(files.history.startPosition) &&
            files.history.startTerm != mark.previousTerm() && 0 != files.history.startTerm && 0 != mark.previousTerm())
        {
            olderCopy(check, "a watermark frame after the record before the journal's start",
                "a frame after another record");
        }
    }

    /**
     * The finding has no position, unless all of it is after other damage. It is unknown which of the two files is
     * older, so a truncation could keep the wrong records.
     */
    private void olderCopy(final SegmentCheck check, final String expected, final String found)
    {
        final long position = layout.position(check.ordinal, SegmentHeader.LENGTH);
        add(new Finding(
            Severity.DAMAGE, new Place(
                JournalFiles.segment(check.ordinal), SegmentHeader.LENGTH,
                isBroken && endPosition <= position ? position : UNKNOWN, UNKNOWN),
            UNKNOWN, expected, found, "this segment or the one before it is not what was written; " + OLDER_COPY));
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
        previous = null;
    }

    private void conclude(final SegmentCheck check, final Break at)
    {
        expectedSequence = UNKNOWN == at.sequence() ? expectedSequence : at.sequence();
        final int offset = (int)(at.position() - check.startPosition);
        final Place place = place(check.ordinal, offset);
        final long next = UNKNOWN == at.nextSequence() ? firstSequenceAfter(check) : at.nextSequence();
        if (Break.Kind.SEQUENCE == at.kind())
        {
            add(new Finding(
                Severity.DAMAGE, place, lost(next), "sequence " + expectedSequence, at.found(),
                "a valid frame that does not belong here: restore the file from a backup"));
        }
        else if (Break.Kind.HISTORY == at.kind())
        {
            add(new Finding(
                Severity.DAMAGE, new Place(
                    JournalFiles.segment(check.ordinal), offset,
                    isBroken && endPosition <= at.position() ? at.position() : UNKNOWN, expectedSequence),
                UNKNOWN, "the records after which something was truncated", at.found(), OLDER_COPY));
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
            if (!isBroken)
            {
                endPosition = place.position();
                endSequence = expectedSequence;
            }
            tail(check, offset);
        }
    }

    /**
     * Adds a finding for bytes that this version cannot read, and that may be intact.
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
        return checks.stream().skip(checks.indexOf(check) + 1L).mapToLong((other) -> other.firstSequence)
            .filter((sequence) -> UNKNOWN != sequence).findFirst().orElse(UNKNOWN);
    }

    private long lost(final long nextSequence)
    {
        return UNKNOWN == nextSequence || UNKNOWN == expectedSequence ? UNKNOWN :
            Math.max(0, nextSequence - expectedSequence);
    }

    private void tail(final SegmentCheck check, final int offset)
    {
        final int length = null != laterTerm || files.isClosed() && !isBroken ? 0 :
            new SegmentScan(files, check.ordinal).contentEnd(offset, expectedSequence) - offset;
        if (length > 0)
        {
            tailLength += length;
            add(new Finding(
                Severity.TAIL, place(check.ordinal, offset), UNKNOWN, "nothing", length + " bytes after the end",
                null != files.control.watermark() ?
                    "not known to be durable: a torn tail that a crash left, or what an active writer is appending; " +
                        "the next opening leaves it out of the log, and appends after it" :
                    "a torn tail that a crash left, or, as the durable watermark is lost, durable records that are " +
                        "damaged: keep a copy of the directory; the next opening leaves it out of the log"));
        }
    }

    private void finish(final long ordinal)
    {
        if (!isBroken && !isEnded)
        {
            crossLastCut();
        }
        // Checks up to where the current term begins, even if none of these segments holds any other part of the log.
        final long begin = layout.ordinal(files.history.newest().to() - SegmentHeader.LENGTH - 1);
        missing(ordinal, begin + 1, UNKNOWN);
        final long place = layout.place(isBroken || isEnded ? forced : Math.max(
            endPosition, layout.position(ordinal, 0)));
        if (layout.place(forced) > place || checks.isEmpty() && findings.isEmpty())
        {
            final long last = layout.ordinal(forced - SegmentHeader.LENGTH - 1);
            missing(Math.max(ordinal, begin + 1), Math.max(ordinal, last) + 1, UNKNOWN);
        }

        checkControl();
        final FileType lock = files.typeOf(JournalFiles.LOCK);
        if (FileType.DIRECTORY == lock || FileType.OTHER == lock)
        {
            add(new Finding(
                Severity.UNUSABLE, Place.of(JournalFiles.LOCK), UNKNOWN, "a regular file", "something else",
                "the records are intact, but the journal cannot be opened for writing: move it out of the directory"));
        }
        files.snapshots.findings(files, isBroken ? UNKNOWN : endPosition, endSequence).forEach(this::add);
    }

    /** Compares the control file with the segments. */
    private void checkControl()
    {
        if (null != laterTerm)
        {
            control(
                Severity.DAMAGE, "no later term than " + files.history.number + " (" + files.history.term + ")",
                laterTerm.found() + " at position " +
                    laterTerm.position(),
                "the control file is an older copy: restore the newest one, or let a repair rebuild it");
        }
        else if (!isBroken)
        {
            checkEnd();
        }
        if (null == files.control.watermark())
        {
            control(
                Severity.NOTE, "a durable watermark of the current term", "none",
                "the newest durable watermark is lost: if durable records are missing at the end, that cannot be " +
                    "distinguished from a torn tail; the next opening writes it again");
        }
        if (files.control.isSlotDamaged())
        {
            control(
                Severity.NOTE, "two copies of the state", "one",
                "the other is torn or damaged: the journal opens, and consumers may see records again; the next " +
                    "opening writes both");
        }
    }

    /** The log may end with a cut after which no segment was made. */
    private void crossLastCut()
    {
        final long first = files.history.startPosition + SegmentHeader.LENGTH;
        final Cut cut = files.history.cutAt(layout.place(Math.max(endPosition, first)));
        if (null != cut && (null == previous || previous.chain.isBefore(cut, previous.nextSequence)))
        {
            endPosition = cut.to();
            endSequence = cut.sequence();
        }
    }

    private void checkEnd()
    {
        final ControlState.End closedAt = files.control.state().closedAt;
        final ControlState.End watermark = files.control.watermark();
        final long end = layout.place(endPosition);
        if (files.isClosed() && !isAt(closedAt, end))
        {
            control(
                Severity.DAMAGE, "the end at position " + closedAt.position() + ", before record " +
                    closedAt.nextSequence(),
                "at position " + endPosition + ", before record " + endSequence, "what follows where the journal was " +
                    "closed is not what was written, or a file is an older copy: restore the journal from a backup");
        }
        else if (null != watermark && layout.place(watermark.position()) == end &&
            watermark.nextSequence() > endSequence)
        {
            control(
                Severity.DAMAGE, "record " + watermark.nextSequence() + " next at the durable watermark",
                "record " + endSequence, "a segment holds other records than those that were durable; " + OLDER_COPY);
        }
        if (endSequence < files.history.startSequence)
        {
            control(
                Severity.DAMAGE, "the first record is " + files.history.startSequence, "record " + endSequence +
                    " is next at the end",
                "a segment holds other records than those of the state; " + OLDER_COPY);
        }
        files.control.state().cursors().forEach((name, saved) ->
        {
            if (saved.sequence() >= endSequence)
            {
                add(new Finding(
                    Severity.DAMAGE, new Place(JournalFiles.CONTROL, 0, endPosition, endSequence), UNKNOWN,
                    "record " + saved.sequence() + ", at which the cursor " + name + " was saved", "no such record",
                    "a consumer was done with a record that is lost: restore the journal from a backup; without one, " +
                        "repair sets the cursor back to the last record"));
            }
        });
    }

    private boolean isAt(final ControlState.End known, final long end)
    {
        return layout.place(known.position()) == end && known.nextSequence() == endSequence;
    }

    private void control(final Severity severity, final String expected, final String found, final String meaning)
    {
        add(new Finding(severity, Place.of(JournalFiles.CONTROL), UNKNOWN, expected, found, meaning));
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
            // Damage after the end, to a segment that is prepared, leaves the end where it is.
            if (!isEnded)
            {
                endPosition = finding.place().position();
                endSequence = expectedSequence;
            }
        }
        findings.add(finding);
    }

    private boolean isCleanlyClosed()
    {
        return files.isClosed() && !isBroken &&
            findings.stream().noneMatch((finding) -> Severity.DAMAGE == finding.severity());
    }
}
