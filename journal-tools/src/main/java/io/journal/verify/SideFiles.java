package io.journal.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.files.CursorName;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.SavedCursor;
import io.journal.store.SegmentStore;
import io.journal.internal.segment.Term;
import io.journal.internal.segment.Segment;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.CursorFile;
import io.journal.internal.platform.FileType;
import io.journal.verify.Finding.Place;
import io.journal.verify.Finding.Severity;

/**
 * Checks what opening needs besides the segments, now or after the next crash: cursors, lock, quarantine, mark file;
 * and the snapshots.
 */
final class SideFiles
{
    private static final String UNUSABLE_CURSOR =
        "the records are intact; retention keeps all history until this cursor is deleted, and its consumer cannot " +
            "continue";
    private static final String NEWER_CURSOR =
        "the records are intact; a newer version of the library wrote this cursor: use that, or delete the cursor; " +
            "until then retention keeps all history, and its consumer cannot continue";
    private static final String UNREADABLE_CURSOR =
        "the records are intact; until this file can be read, retention keeps all history, its consumer cannot " +
            "continue, and nothing can be truncated: fix its permissions or the device; if the file is lost for " +
            "good, delete the cursor, and its consumer begins again";
    private static final String CURSOR_AHEAD =
        "a consumer was done with a record that is lost: restore the journal from a backup; without one, repair " +
            "sets the cursor back to the last record; if the journal is opened as it is, the cursor is unusable";
    private final Inventory files;
    private final List<Finding> findings = new ArrayList<>();

    private SideFiles(final Inventory files)
    {
        this.files = files;
    }

    /**
     * @param endPosition  of the journal, or -1 if segments are damaged, so that it is not known what cursors and
     *                     snapshots may have.
     * @param nextSequence that follows the last record.
     */
    static List<Finding> findings(final Inventory files, final long endPosition, final long nextSequence)
    {
        final SideFiles side = new SideFiles(files);
        side.checkCursors(endPosition, nextSequence);
        side.checkOthers();
        side.findings.addAll(files.snapshots.findings(files, endPosition, nextSequence));
        return side.findings;
    }

    private void checkCursors(final long endPosition, final long nextSequence)
    {
        if (files.isNoDirectory(JournalFiles.CURSORS))
        {
            unusable(JournalFiles.CURSORS, "a directory",
                "the records are intact; no consumer can get or save its cursor, and retention respects none: move " +
                    "it out of the way, or let repair do it");
        }
        if (null == files.cursors)
        {
            final IOException failure = files.cursorsFailure;
            findings.add(new Finding(
                Severity.UNREADABLE, Place.of(JournalFiles.CURSORS), Place.UNKNOWN, "cursors that can be read",
                "cannot be read: " + failure,
                "opening refuses the journal until they can be read: fix their permissions or the device"));
            return;
        }

        final long lastSequence = Place.UNKNOWN == endPosition ? Long.MAX_VALUE : nextSequence - 1;
        for (final SavedCursor cursor : files.cursors.saved(
            files.meta.state, lastSequence, (file) -> checkHistory(file, endPosition)))
        {
            if (cursor.isAhead())
            {
                cursor(
                    Severity.DAMAGE, new Place(CursorName.path(cursor.name()), 0, endPosition, nextSequence),
                    cursor.fault(), "no cursor after the end", CURSOR_AHEAD);
            }
            else if (null != cursor.fault())
            {
                unusableCursor(cursor.name(), cursor.fault());
            }
        }
    }

    /** Compares the record of a cursor with the journal's, as opening does, unless segments are damaged. */
    private void checkHistory(final CursorFile file, final long endPosition)
    {
        final JournalMeta meta = files.meta;
        if (Place.UNKNOWN == endPosition || file.sequence() < meta.state.startSequence - 1)
        {
            return;
        }

        try
        {
            file.verify(Term.before(
                (ordinal) -> Segment.open(
                    files.store, SegmentStore.Access.READ, false, meta.uuid, ordinal, meta.segmentLength),
                meta, endPosition, file.sequence() + 1));
        }
        catch (final CorruptJournalException | IOException ignore)
        {
            // A writer has pruned or truncated it since it was verified.
        }
    }

    private void unusableCursor(final String name, final JournalException fault)
    {
        final Place place = Place.of(CursorName.path(name));
        if (fault instanceof CorruptJournalException)
        {
            cursor(Severity.UNUSABLE, place, fault, "a cursor of this journal", UNUSABLE_CURSOR);
        }
        else if (fault instanceof UnsupportedFormatException)
        {
            cursor(Severity.NEWER_FORMAT, place, fault, "a format this version knows", NEWER_CURSOR);
        }
        else
        {
            cursor(Severity.UNREADABLE, place, fault, "a cursor that can be read", UNREADABLE_CURSOR);
        }
    }

    private void cursor(
        final Severity severity,
        final Place place,
        final JournalException fault,
        final String expected,
        final String meaning)
    {
        findings.add(Finding.of(severity, place, fault.getMessage(), expected, meaning));
    }

    private void checkOthers()
    {
        final FileType lock = files.typeOf(JournalFiles.LOCK);
        if (FileType.DIRECTORY == lock || FileType.OTHER == lock)
        {
            unusable(JournalFiles.LOCK, "a regular file",
                "the records are intact, but the journal cannot be opened for writing: move it out of the directory");
        }
        if (files.isNoDirectory(JournalFiles.QUARANTINE))
        {
            unusable(JournalFiles.QUARANTINE, "a directory",
                "the records are intact, but a torn tail cannot be moved into quarantine: after a crash, opening " +
                    "refuses the journal; move it out of the directory");
        }
        if (!files.isMarkUsable())
        {
            findings.add(new Finding(
                Severity.NOTE, Place.of(JournalFiles.MARK), Place.UNKNOWN, "a durable watermark of this journal",
                "none", "the newest durable watermark is lost: if durable records are missing at the end, that " +
                    "cannot be distinguished from a torn tail; the next opening writes the file again"));
        }
    }

    private void unusable(final String file, final String expected, final String meaning)
    {
        findings.add(new Finding(
            Severity.UNUSABLE, Place.of(file), Place.UNKNOWN, expected, "something else", meaning));
    }
}
