// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.manage.SnapshotFile;
import io.journal.internal.platform.FileType;
import io.journal.store.SegmentStore;
import io.journal.verify.Finding.Place;
import io.journal.verify.Finding.Severity;

/**
 * The snapshots of the application's state, as they were listed before the segments were read. No record depends on
 * them. Loading a snapshot, and not this class, checks that it contains the journal's own records.
 */
final class Snapshots
{
    private static final String CORRUPT =
        "the records are intact; loading falls back to the snapshot before this one, or to all records if there is " +
            "none and none were pruned: save a new one, and find the cause, since the device may be failing";
    private static final String NEWER =
        "the records are intact; a newer version of the library wrote this snapshot: use that to load it";
    private static final String UNREADABLE =
        "the records are intact; until this can be read, no snapshot can be loaded: fix its permissions or the device";
    private static final String FOREIGN =
        "the records are intact; loading refuses this snapshot: restore the one that belongs to the journal, or " +
            "discard it with snapshots().discardAfter";
    private static final String AHEAD =
        "records that the snapshot contains are lost, and loading refuses it: restore the journal from a newer " +
            "backup; without one, snapshots().discardAfter accepts the loss";
    private static final String IN_THE_WAY =
        "the records are intact; no snapshot can be saved or loaded: move it out of the way";

    private final SegmentStore directory;
    private final List<SnapshotFile> list;
    private final IOException failure;

    /**
     * @param directory null if there is none.
     * @param failure   of listing them, or null.
     */
    private Snapshots(final SegmentStore directory, final List<SnapshotFile> list, final IOException failure)
    {
        this.directory = directory;
        this.list = list;
        this.failure = failure;
    }

    static Snapshots list(final SegmentStore journal)
    {
        try
        {
            final SegmentStore directory = SnapshotFile.directory(journal);
            return new Snapshots(
                directory, null == directory ? List.of() : SnapshotFile.newestFirst(directory), null);
        }
        catch (final IOException ex)
        {
            return new Snapshots(null, List.of(), ex);
        }
    }

    /**
     * Reads every byte of the snapshots.
     *
     * @param endPosition  of the journal, or -1 if it is unknown because segments are damaged.
     * @param nextSequence that follows the last record.
     */
    List<Finding> findings(final Inventory files, final long endPosition, final long nextSequence)
    {
        final List<Finding> findings = new ArrayList<>();
        if (null != failure)
        {
            findings.add(failure instanceof FileAlreadyExistsException ?
                finding(Severity.UNUSABLE, JournalFiles.SNAPSHOTS, "a directory", "something else", IN_THE_WAY) :
                finding(
                    Severity.UNREADABLE, JournalFiles.SNAPSHOTS, "a directory that can be read", failure.toString(),
                    UNREADABLE));
        }
        for (final SnapshotFile snapshot : list)
        {
            final Finding finding = check(snapshot, files);
            if (null != finding)
            {
                findings.add(finding);
            }
            else if (Place.UNKNOWN != endPosition && snapshot.sequence() >= nextSequence)
            {
                findings.add(finding(
                    Severity.UNUSABLE, snapshot.path(), "no snapshot after record " + (nextSequence - 1),
                    "one of record " + snapshot.sequence(), AHEAD));
            }
        }

        return findings;
    }

    /** The finding for a damaged or unreadable snapshot, or null. */
    private Finding check(final SnapshotFile snapshot, final Inventory files)
    {
        final String path = snapshot.path();
        try
        {
            final SnapshotFile.Origin origin = snapshot.verify(directory);
            return files.control.uuid().equals(origin.uuid()) ? null :
                finding(
                    Severity.UNUSABLE, path, "journal " + files.control.uuid(), "journal " + origin.uuid(), FOREIGN);
        }
        catch (final CorruptJournalException ex)
        {
            return Finding.of(
                Severity.UNUSABLE, Place.of(path), ex.getMessage(), "what was written", CORRUPT);
        }
        catch (final UnsupportedFormatException ex)
        {
            return Finding.of(
                Severity.NEWER_FORMAT, Place.of(path), ex.getMessage(), "a format this version knows", NEWER);
        }
        catch (final FileType.NotRegularFileException ex)
        {
            return finding(Severity.UNUSABLE, path, "a regular file", "something else", IN_THE_WAY);
        }
        catch (final IOException ex)
        {
            return isThereNow(snapshot) ?
                finding(Severity.UNREADABLE, path, "a snapshot that can be read", ex.toString(), UNREADABLE) : null;
        }
    }

    /** A writer deletes old snapshots after saving a new one. */
    private boolean isThereNow(final SnapshotFile snapshot)
    {
        try
        {
            return SnapshotFile.newestFirst(directory).contains(snapshot);
        }
        catch (final IOException ex)
        {
            return true;
        }
    }

    private static Finding finding(
        final Severity severity, final String file, final String expected, final String found, final String meaning)
    {
        return new Finding(severity, Place.of(file), Place.UNKNOWN, expected, found, meaning);
    }
}
