// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RepairCommandTest extends ToolsFixture
{
    @Test
    void wholeJournalNeedsNoRepair() throws IOException
    {
        final Path journal = journal(100);
        final Map<String, String> before = picture(journal);

        final Run run = run("repair", "--apply", "--accept-loss", journal);

        run.assertExit(ExitCode.OK);
        assertTrue(run.out().contains("Nothing to repair."), run.out());
        assertEquals(before, picture(journal));
    }

    @Test
    void damagedJournalIsTruncatedAndBytesStayInPlaceUntilItIsOpened() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);
        final byte[] damaged = Files.readAllBytes(segment(journal, 1));
        final byte[] later = Files.readAllBytes(segment(journal, 2));

        final JsonNode json = run("repair", "--apply", "--accept-loss", "--json", journal).json();

        assertTrue(json.get("isRepaired").asBoolean(), json::toString);
        final long kept = json.get("verdict").get("lastSequence").asLong();
        final long offset = json.get("verdict").get("endPosition").asLong() - SEGMENT_LENGTH;
        assertTrue(kept > 50 && kept < 300, () -> "kept=" + kept);
        assertEquals(300, json.get("verdict").get("lastReadSequence").asLong());
        final JsonNode truncated = json.get("truncated");
        assertEquals("00000000000000000001.journal", truncated.get(0).get("file").asText());
        assertEquals(offset, truncated.get(0).get("from").asLong());
        assertEquals(SEGMENT_LENGTH, truncated.get(0).get("to").asLong());
        assertEquals("00000000000000000002.journal", truncated.get(1).get("file").asText());
        assertEquals(4096, truncated.get(1).get("from").asLong());
        assertArrayEquals(damaged, Files.readAllBytes(segment(journal, 1)));
        assertArrayEquals(later, Files.readAllBytes(segment(journal, 2)));
        run("verify", journal).assertExit(ExitCode.OK);

        assertHolds(journal, 1, kept);
        assertArrayEquals(damaged, Files.readAllBytes(segment(journal, 1)));
        assertFalse(Files.exists(segment(journal, 2)));
        try (Journal open = Journal.open(journal))
        {
            append(open, 100);
        }
        assertHolds(journal, 1, kept + 100);
        run("verify", journal).assertExit(ExitCode.OK);
    }

    @Test
    void fileThatIsNoSegmentHasToBeMovedFirst() throws IOException
    {
        final Path journal = journal(300);
        final Path stray = Files.writeString(journal.resolve("copy of 0.journal"), "what is this?");
        flip(segment(journal, 1), 20_000);
        run("verify", journal).assertExit(ExitCode.DAMAGED);
        final Map<String, String> before = picture(journal);

        final Run run = run("repair", "--apply", "--accept-loss", journal);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(run.out()).contains("move out of the directory what is not a file of this"), run.out());
        assertEquals(before, picture(journal));
        Files.delete(stray);
        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);
    }

    @Test
    void journalOfWhichNoRecordWouldBeLeftIsUnchanged() throws IOException
    {
        final Path journal = journal(300);
        try (Stream<Path> files = Files.list(journal))
        {
            for (final Path file : files.filter((name) -> name.toString().endsWith(".journal")).toList())
            {
                wipe(file);
            }
        }
        final Map<String, String> before = picture(journal);

        final Run run = run("repair", "--apply", "--accept-loss", journal);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(run.err().contains("missing=the beginning of the journal"), run.err());
        assertEquals(before, picture(journal));
    }

    @Test
    void controlAndHeadersAreRebuiltWithoutLoss() throws IOException
    {
        final Path journal = journal(300);
        final byte[] header = Files.readAllBytes(segment(journal, 0));
        Files.write(journal.resolve("journal.control"), new byte[3 * 4096]);
        flip(segment(journal, 0), 64);
        final Map<String, String> before = picture(journal);

        final Run dry = run("repair", journal);

        dry.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(dry.out()).contains("would rebuild journal.control as journal "), dry.out());
        assertTrue(unfolded(dry.out()).contains("would rebuild 00000000000000000000.journal as journal "), dry.out());
        assertTrue(unfolded(dry.out()).endsWith(" then add --apply. "), dry.out());
        assertEquals(before, picture(journal));
        assertEquals(2, run("repair", "--json", journal).json().get("rebuilt").size());

        final JsonNode json = run("repair", "--apply", "--json", journal).json();

        assertTrue(json.get("isRepaired").asBoolean(), json::toString);
        assertFalse(json.get("isTruncation").asBoolean(), json::toString);
        assertArrayEquals(Arrays.copyOf(header, 4096), Arrays.copyOf(Files.readAllBytes(segment(journal, 0)), 4096));
        run("verify", journal).assertExit(ExitCode.OK);
        assertHolds(journal, 1, 300);
    }

    @Test
    void snapshotsAreLoadedAfterTheControlFileWasLost() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 300);
            open.truncateAfter(290);
            open.snapshots().save(280, (output) -> output.write(1));
            open.truncateAfter(285);
            open.snapshots().save(285, (output) -> output.write(2));
        }
        Files.delete(journal.resolve("journal.control"));
        // Write two corrupt snapshots, which must not affect the repair.
        final Path snapshots = journal.resolve("snapshots");
        Files.write(snapshots.resolve(String.format("%020d-1.snapshot", 270)), new byte[5000]);
        Files.write(snapshots.resolve(String.format("%020d-1.snapshot", 271)), new byte[5]);

        run("repair", "--apply", journal).assertExit(ExitCode.OK);

        assertHolds(journal, 1, 285);
        try (Journal open = Journal.open(journal))
        {
            assertEquals(285, open.snapshots().load((input) -> assertEquals(2, input.read())));
        }
    }

    @Test
    void journalBeginsAfterALostFirstSegmentIfThatIsAccepted() throws IOException
    {
        final Path journal = journal(300);
        wipe(segment(journal, 0));
        final Map<String, String> before = picture(journal);
        for (final String option : new String[]{ "--json", "--apply" })
        {
            final Run run = run("repair", option, journal);
            run.assertExit(ExitCode.DAMAGED);
            assertEquals(before, picture(journal));
        }

        final Run run = run("repair", "--apply", "--accept-loss", journal);

        run.assertExit(ExitCode.OK);
        final long first = run("info", "--json", journal).json().get("firstSequence").asLong();
        assertTrue(first > 50, () -> "first=" + first);
        assertTrue(unfolded(run.out()).contains("lost " + (first - 1) + " records at the beginning"), run.out());
        assertTrue(Files.exists(journal.resolve("00000000000000000000.journal.unreadable")));
        assertHolds(journal, first, 300);
    }

    @Test
    void olderCopyOfTheControlFileIsRebuiltFromTheSegments() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 300);
            open.cursor("invoices").save(250);
            open.cursor("mails").save(299);
        }
        final byte[] older = Files.readAllBytes(journal.resolve("journal.control"));
        try (Journal open = Journal.open(journal))
        {
            open.truncateAfter(280);
            append(open, 40);
        }
        Files.write(journal.resolve("journal.control"), older);
        final Run verify = run("verify", journal);
        verify.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(verify.out()).contains("the control file is an older copy"), verify.out());
        assertThrows(CorruptJournalException.class, () -> Journal.open(journal).close());

        run("repair", "--apply", journal).assertExit(ExitCode.OK);

        run("verify", journal).assertExit(ExitCode.OK);
        assertHolds(journal, 1, 320);
        try (Journal open = Journal.open(journal))
        {
            assertEquals(250, open.cursor("invoices").sequence());
            assertEquals(280, open.cursor("mails").sequence());
        }
    }

    /** Erases the header of a segment, and the first watermark frame, from which it could be rebuilt. */
    private static void wipe(final Path segment) throws IOException
    {
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw"))
        {
            file.write(new byte[4096 + 64]);
        }
    }

    @Test
    void journalInUseIsNotRepaired() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 10);

            final Run run = run("repair", "--apply", journal);

            run.assertExit(ExitCode.LOCKED);
            assertTrue(run.err().contains("journal is open for writing elsewhere"), run.err());
        }
        assertHolds(journal, 1, 10);
    }
}
