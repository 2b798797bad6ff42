package io.journal.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.verify.JournalVerifier.Break;
import io.journal.verify.JournalVerifier.Finding;
import io.journal.verify.JournalVerifier.SegmentCheck;
import io.journal.verify.JournalVerifier.Severity;
import io.journal.verify.JournalVerifier.Verdict;

/**
 * Combines the checks of single segments: where the journal ends, what is corruption, and what is merely after the end.
 * Normative text: {@code docs/format.md}, "Opening", steps 3 to 7.
 */
final class Conclusion
{
    private static final long UNKNOWN = JournalVerifier.UNKNOWN;
    private static final String NEWER = "written by a newer version of the library: read the journal with that";
    private static final String UNREADABLE =
        "it may be whole, and nothing can be said of it: fix its rights or the device, and verify again";
    private static final String UNUSABLE_CURSOR =
        "the records are whole; retention keeps all history until this cursor is deleted, and its consumer cannot " +
            "continue";
    private static final String NEWER_CURSOR =
        "the records are whole; a newer version of the library wrote this cursor: use that, or delete the cursor; " +
            "until then retention keeps all history, and its consumer cannot continue";
    private static final String UNREADABLE_CURSOR =
        "the records are whole; until this file can be read, retention keeps all history, and its consumer cannot " +
            "continue: fix its rights or the device; if the file is lost for good, delete the cursor, and its " +
            "consumer begins again";
    private static final Pattern DETAILS =
        Pattern.compile(".*offset=(\\d+), expected=(.*), found=(.*?)(?:; .*)?", Pattern.DOTALL);

    private final JournalVerifier journal;
    private final Layout layout;
    private final List<SegmentCheck> checks;
    private final List<Finding> findings = new ArrayList<>();

    private final long forced;
    private long expectedSequence;
    private long records;
    private long tailLength;
    private boolean isDamaged;
    private boolean areRecordsWhole = true;
    private boolean isClosed;

    // End of the valid part, fixed once something is not valid; isEnded if the journal ends there.
    private boolean isBroken;
    private boolean isEnded;
    private long endPosition;
    private long endSequence;

    Conclusion(final JournalVerifier journal, final Layout layout, final List<SegmentCheck> checks)
    {
        this.journal = journal;
        this.layout = layout;
        this.checks = checks;
        long highest = Math.max(journal.markedPosition(), journal.startPosition() + SegmentHeader.LENGTH);
        for (final SegmentCheck check : checks)
        {
            highest = Math.max(highest, check.forcedPosition);
        }
        forced = highest;
        expectedSequence = journal.firstSequence();
    }

    Verdict conclude()
    {
        for (final String name : journal.foreign())
        {
            damage(name, 0, UNKNOWN, UNKNOWN, 0, "20 digits before .journal", "another name",
                "not a file of this journal: move it out of the directory, or let repair do it");
        }

        long ordinal = layout.ordinal(journal.startPosition());
        for (final SegmentCheck check : checks)
        {
            while (ordinal < check.ordinal)
            {
                // One finding for a run of missing segments.
                missing(ordinal, check);
                ordinal = check.ordinal;
            }
            conclude(check);
            ordinal++;
        }
        finish(ordinal);

        return new Verdict(
            List.copyOf(findings), isDamaged, areRecordsWhole, isCleanlyClosed(), endPosition, endSequence - 1, forced,
            records, tailLength);
    }

    private boolean isCleanlyClosed()
    {
        return isClosed && !isBroken && 0 == tailLength && !journal.isForceUnfinished() &&
            journal.markedPosition() == endPosition;
    }

    private void missing(final long ordinal, final SegmentCheck next)
    {
        final long last = null == next ? ordinal : next.ordinal - 1;
        damage(JournalFiles.segment(ordinal), 0, layout.position(ordinal, 0), expectedSequence,
            lost(null == next ? UNKNOWN : next.firstSequence), "a segment",
            last == ordinal ? "no file" : "no file, nor any other up to " + JournalFiles.segment(last),
            "a part of the journal is gone: restore it from a backup");
        expectedSequence = UNKNOWN;
    }

    private void conclude(final SegmentCheck check)
    {
        final String file = JournalFiles.segment(check.ordinal);
        final long position = layout.position(check.ordinal, SegmentHeader.LENGTH);
        if (check.isNewer)
        {
            add(Severity.NEWER_FORMAT, file, 0, layout.position(check.ordinal, 0), expectedSequence, UNKNOWN,
                "a format this version knows", check.unreadable, NEWER);
            expectedSequence = UNKNOWN;
            return;
        }
        if (check.isReadFailed)
        {
            add(Severity.UNREADABLE, file, 0, layout.position(check.ordinal, 0), expectedSequence,
                lost(firstSequenceBehind(check)), "a segment of this journal", check.unreadable, UNREADABLE);
            expectedSequence = UNKNOWN;
            return;
        }
        if (null != check.unreadable)
        {
            damage(file, 0, layout.position(check.ordinal, 0), expectedSequence, lost(firstSequenceBehind(check)),
                "a segment of this journal", check.unreadable,
                "nothing in this file can be read: restore it from a backup");
            expectedSequence = UNKNOWN;
            return;
        }
        if (isEnded)
        {
            tail(check, SegmentHeader.LENGTH);
            return;
        }

        records += check.records;
        isClosed = check.isClosed;
        if (UNKNOWN != expectedSequence && UNKNOWN != check.firstSequence && SegmentHeader.LENGTH < check.endOffset &&
            (check.breaks.isEmpty() || SegmentHeader.LENGTH != check.breaks.get(0).offset) &&
            check.firstSequence != expectedSequence)
        {
            damage(file, SegmentHeader.LENGTH, position, expectedSequence, lost(check.firstSequence),
                "sequence " + expectedSequence, "sequence " + check.firstSequence,
                "records before this segment are missing, or it is of another time: restore from a backup");
        }
        for (final Break at : check.breaks)
        {
            if (!conclude(check, at))
            {
                return;
            }
        }
        expectedSequence =
            endsUnread(check) ? UNKNOWN : UNKNOWN == check.nextSequence ? expectedSequence : check.nextSequence;
        if (!isBroken)
        {
            endPosition = layout.position(check.ordinal, check.endOffset);
            endSequence = expectedSequence;
        }
    }

    private static boolean endsUnread(final SegmentCheck check)
    {
        return !check.breaks.isEmpty() &&
            UNKNOWN == check.breaks.get(check.breaks.size() - 1).nextSequence;
    }

    /**
     * @return false if the journal ends here.
     */
    private boolean conclude(final SegmentCheck check, final Break at)
    {
        final String file = JournalFiles.segment(at.ordinal);
        final long position = layout.position(at.ordinal, at.offset);
        final long sequence = UNKNOWN == at.sequence ? expectedSequence : at.sequence;
        switch (at.kind)
        {
            case SEQUENCE:
                expectedSequence = sequence;
                damage(file, at.offset, position, sequence, lost(at.nextSequence), "sequence " + sequence, at.found,
                    "a valid frame that does not belong here: restore the file from a backup");
                return true;

            case FORMAT:
                add(Severity.NEWER_FORMAT, file, at.offset, position, sequence, UNKNOWN,
                    "a kind of frame this version knows", at.found, NEWER);
                return true;

            case READ:
                expectedSequence = sequence;
                add(Severity.UNREADABLE, file, at.offset, position, sequence, lost(firstSequenceBehind(check)),
                    "a frame", at.found, UNREADABLE);
                return true;

            default:
                break;
        }

        expectedSequence = sequence;
        if (layout.place(forced) > layout.place(position))
        {
            final long next = UNKNOWN == at.nextSequence ? firstSequenceBehind(check) : at.nextSequence;
            damage(file, at.offset, position, sequence, lost(next), "a valid frame", at.found,
                "this was forced, up to position " + forced + ", and is not what was written: restore the file from " +
                    "a backup");
            return true;
        }

        isEnded = true;
        if (!isBroken)
        {
            endPosition = position;
            endSequence = sequence;
        }
        tail(check, at.offset);
        return false;
    }

    /**
     * The first known sequence after a segment.
     */
    private long firstSequenceBehind(final SegmentCheck check)
    {
        for (int i = checks.indexOf(check) + 1; i < checks.size(); i++)
        {
            if (UNKNOWN != checks.get(i).firstSequence)
            {
                return checks.get(i).firstSequence;
            }
        }

        return UNKNOWN;
    }

    private long lost(final long nextSequence)
    {
        return UNKNOWN == nextSequence || UNKNOWN == expectedSequence ? UNKNOWN :
            Math.max(0, nextSequence - expectedSequence);
    }

    private void tail(final SegmentCheck check, final int offset)
    {
        final int length = journal.contentEnd(check.ordinal, offset, expectedSequence) - offset;
        if (length > 0)
        {
            tailLength += length;
            findings.add(new Finding(
                Severity.TAIL, JournalFiles.segment(check.ordinal), offset, layout.position(check.ordinal, offset),
                expectedSequence, UNKNOWN, "nothing", length + " bytes behind the end",
                journal.isMarkUsable() ?
                    "not known to be durable: a torn tail as a crash leaves it, or what a writer is just writing; " +
                        "the next opening moves it into quarantine" :
                    "a torn tail as a crash leaves it, or, as journal.mark is lost, durable records that are " +
                        "damaged: keep a copy of the directory; the next opening moves it into quarantine"));
        }
    }

    private void finish(final long ordinal)
    {
        if (!isEnded && layout.place(forced) > layout.place(layout.position(ordinal, 0)) && 0 > journal.pendingCut())
        {
            missing(ordinal, null);
        }
        else if (checks.isEmpty() && !isDamaged)
        {
            missing(ordinal, null);
        }

        final String cutFault = journal.cutFault();
        if (null != cutFault)
        {
            damage(JournalFiles.META, 0, UNKNOWN, UNKNOWN, UNKNOWN, "a truncation that can be finished", cutFault,
                "the truncation that was begun cannot be what a writer meant: restore the journal from a backup");
        }
        finishCursors();
        finishOthers();
    }

    private void finishCursors()
    {
        if (journal.isNoDirectory(JournalFiles.CURSORS))
        {
            unusable(JournalFiles.CURSORS, "a directory", "something else",
                "the records are whole; no consumer can get or save its cursor, and retention respects none: move it " +
                    "out of the way, or let repair do it");
        }
        if (null != journal.cursorsFailure())
        {
            add(Severity.UNREADABLE, JournalFiles.CURSORS, 0, UNKNOWN, UNKNOWN, UNKNOWN, "cursors that can be read",
                "cannot be read: " + journal.cursorsFailure(),
                "opening refuses the journal until they can be read: fix their rights or the device");
        }
        journal.unusableCursors().forEach(this::unusableCursor);
        if (!isBroken)
        {
            journal.cursorsAhead(endSequence - 1).forEach(this::cursorAhead);
        }
    }

    private void unusableCursor(final String name, final JournalException fault)
    {
        if (fault instanceof CorruptJournalException)
        {
            cursor(Severity.UNUSABLE, name, fault, UNKNOWN, UNKNOWN, "a cursor of this journal", UNUSABLE_CURSOR);
        }
        else if (fault instanceof UnsupportedFormatException)
        {
            cursor(
                Severity.NEWER_FORMAT, name, fault, UNKNOWN, UNKNOWN, "a format this version knows", NEWER_CURSOR);
        }
        else
        {
            cursor(Severity.UNREADABLE, name, fault, UNKNOWN, UNKNOWN, "a cursor that can be read", UNREADABLE_CURSOR);
        }
    }

    private void cursorAhead(final String name, final JournalException fault)
    {
        cursor(Severity.DAMAGE, name, fault, endPosition, endSequence, "no cursor behind the end",
            "a consumer was done with a record that is gone: restore the journal from a backup; without one, repair " +
                "sets the cursor back to the last record; if the journal is opened as it is, the cursor is unusable");
    }

    /**
     * @param expected used if the fault does not state it.
     */
    private void cursor(
        final Severity severity,
        final String name,
        final JournalException fault,
        final long position,
        final long sequence,
        final String expected,
        final String meaning)
    {
        final Matcher details = DETAILS.matcher(fault.getMessage());
        final boolean isDetailed = details.matches();
        add(severity, CursorFile.path(name), isDetailed ? Long.parseLong(details.group(1)) : 0, position, sequence,
            UNKNOWN, isDetailed ? details.group(2) : expected, isDetailed ? details.group(3) : fault.getMessage(),
            meaning);
    }

    /**
     * Checks what else opening needs, now or after the next crash.
     */
    private void finishOthers()
    {
        if (journal.isNoFile(JournalFiles.LOCK))
        {
            unusable(JournalFiles.LOCK, "a regular file", "something else",
                "the records are whole, but the journal cannot be opened for writing: move it out of the directory");
        }
        if (journal.isNoDirectory(JournalFiles.QUARANTINE))
        {
            unusable(JournalFiles.QUARANTINE, "a directory", "something else",
                "the records are whole, but a torn tail cannot be moved into quarantine: after a crash, opening " +
                    "refuses the journal; move it out of the directory");
        }
        if (!journal.isMarkUsable())
        {
            findings.add(new Finding(
                Severity.NOTE, JournalFiles.MARK, 0, UNKNOWN, UNKNOWN, UNKNOWN, "a durable watermark of this journal",
                "none", "the newest durable watermark is lost: if durable records are missing at the end, that " +
                    "cannot be told from a torn tail; the next opening writes the file again"));
        }
    }

    private void unusable(final String file, final String expected, final String found, final String meaning)
    {
        add(Severity.UNUSABLE, file, 0, UNKNOWN, UNKNOWN, UNKNOWN, expected, found, meaning);
    }

    private void damage(
        final String file,
        final long offset,
        final long position,
        final long sequence,
        final long lost,
        final String expected,
        final String found,
        final String meaning)
    {
        add(Severity.DAMAGE, file, offset, position, sequence, lost, expected, found, meaning);
    }

    private void add(
        final Severity severity,
        final String file,
        final long offset,
        final long position,
        final long sequence,
        final long lost,
        final String expected,
        final String found,
        final String meaning)
    {
        final Finding finding =
            new Finding(severity, file, offset, position, sequence, lost, expected, found, meaning);
        isDamaged = true;
        if (Severity.DAMAGE == severity || Severity.UNUSABLE != severity && !finding.isOfCursors())
        {
            areRecordsWhole = false;
        }
        if (!isBroken && UNKNOWN != position)
        {
            isBroken = true;
            endPosition = position;
            endSequence = expectedSequence;
        }
        findings.add(finding);
    }
}
