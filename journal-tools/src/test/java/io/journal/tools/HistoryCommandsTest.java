// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import io.journal.Journal;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HistoryCommandsTest extends ToolsFixture
{
    @Test
    void backupOpensElsewhere()
    {
        final Path journal = journal(300);
        final Path target = temp.resolve("copy");
        final Run refused = run("backup", journal, temp.resolve("deep").resolve("copy"));
        refused.assertExit(ExitCode.FAILED);
        assertTrue(refused.err().contains("the parent of the target must exist"), refused.err());

        final Run run = run("backup", journal, target);

        run.assertExit(ExitCode.OK);
        assertTrue(unfolded(run.out()).contains("records 1 to 300, each verified"), run.out());
        assertHolds(target, 1, 300);
        assertHolds(journal, 1, 300);
    }

    @Test
    void completeSegmentOfABackupTakesThePlaceOfADamagedOne() throws IOException
    {
        final Path journal = journal(300);
        final Path copy = temp.resolve("copy");
        run("backup", journal, copy).assertExit(ExitCode.OK);
        try (Journal open = builder(journal).open())
        {
            append(open, 100);
        }
        flip(segment(journal, 1), 20_000);
        run("verify", journal).assertExit(ExitCode.DAMAGED);

        Files.copy(segment(copy, 1), segment(journal, 1), StandardCopyOption.REPLACE_EXISTING);

        run("verify", journal).assertExit(ExitCode.OK);
        assertHolds(journal, 1, 400);
    }

    @Test
    void backupOfADamagedJournalLeavesNothing() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);
        final Path target = temp.resolve("copy");

        final Run run = run("backup", journal, target);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(run.err().contains("00000000000000000001.journal"), run.err());
        assertFalse(Files.exists(target));
    }

    @Test
    void backupIntoADirectoryThatExistsIsRefused() throws IOException
    {
        final Path journal = journal(3);
        final Path target = Files.createDirectory(temp.resolve("copy"));

        run("backup", journal, target).assertExit(ExitCode.USAGE);

        Files.writeString(target.resolve("letter.txt"), "mine");
        final Run run = run("backup", journal, target);
        run.assertExit(ExitCode.USAGE);
        assertTrue(run.err().contains("the target of a backup must not exist"), run.err());
        assertEquals("mine", Files.readString(target.resolve("letter.txt")));
    }

    @Test
    void journalInUseIsCopiedButNotPruned()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 3);

            final Run backup = run("backup", journal, temp.resolve("copy"));
            backup.assertExit(ExitCode.OK);
            assertTrue(unfolded(backup.out()).contains("records 1 to 3, each verified"), backup.out());
            assertHolds(temp.resolve("copy"), 1, 3);
            run("prune", "--before", 2, journal).assertExit(ExitCode.LOCKED);
        }
        assertHolds(journal, 1, 3);
    }

    @Test
    void pruneDropsWholeSegments() throws IOException
    {
        final Path journal = journal(300);

        final long first = run("prune", "--json", "--before", 200, journal).json().get("firstSequence").asLong();

        assertTrue(first > 100 && first <= 200, () -> "first=" + first);
        assertFalse(Files.exists(segment(journal, 0)));
        assertHolds(journal, first, 300);
        run("verify", journal).assertExit(ExitCode.OK);
        final Run again = run("prune", "--before", 200, journal);
        again.assertExit(ExitCode.OK);
        assertTrue(again.out().contains("Nothing to drop"), again.out());
    }

    @Test
    void pruneKeepsWhatAConsumerNeeds()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 300);
            open.cursor("mails").save(20);
        }

        final Run refused = run("prune", "--before", 200, journal);

        refused.assertExit(ExitCode.USAGE);
        assertTrue(refused.err().contains("consumer \"mails\" still needs record 21"), refused.err());
        assertHolds(journal, 1, 300);
        run("prune", "--before", 200, "--ignore-cursors", journal).assertExit(ExitCode.OK);
    }

    @Test
    void pruneKeepsWhatSnapshotsNeed()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 300);
            open.snapshots().save(20, (output) -> output.write(1));
            open.snapshots().save(300, (output) -> output.write(2));
        }

        final Run rejected = run("prune", "--before", 200, journal);

        rejected.assertExit(ExitCode.USAGE);
        assertTrue(unfolded(rejected.err()).contains("snapshots still need record 21"), rejected.err());
        assertHolds(journal, 1, 300);
        run("prune", "--before", 21, journal).assertExit(ExitCode.OK);
        run("prune", "--before", 200, "--ignore-snapshots", journal).assertExit(ExitCode.OK);
    }

    @Test
    void pruneOfRecordsThatAreNotThereIsRefused()
    {
        final Path journal = journal(10);

        run("prune", "--before", 1000, journal).assertExit(ExitCode.USAGE);
        run("prune", journal).assertExit(ExitCode.USAGE);

        assertHolds(journal, 1, 10);
    }
}
