package io.journal.tools;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.Journal;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
    void dryRunReportsThePlanAndChangesNothing() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);
        final Map<String, String> before = picture(journal);

        final Run run = run("repair", journal);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(run.out().contains("would keep   records 1 to "), run.out());
        assertTrue(run.out().contains(" to 300, and any that follow"), run.out());
        assertTrue(run.out().contains("Nothing was changed."), run.out());
        assertTrue(run.out().endsWith("  journal repair --apply --accept-loss " + journal + "\n"), run.out());
        assertEquals(before, picture(journal));
    }

    @Test
    void lossMustBeAccepted() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);
        final Map<String, String> before = picture(journal);

        final Run run = run("repair", "--apply", journal);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(run.out().contains("--accept-loss"), run.out());
        assertEquals(before, picture(journal));
    }

    @Test
    void damagedJournalIsTruncatedAndNothingIsDeleted() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);
        final byte[] damaged = Files.readAllBytes(segment(journal, 1));
        final byte[] later = Files.readAllBytes(segment(journal, 2));

        final JsonNode json = run("repair", "--apply", "--accept-loss", "--json", journal).json();

        assertTrue(json.get("isRepaired").asBoolean(), json::toString);
        final long kept = json.get("lastSequenceKept").asLong();
        final int offset = (int)(json.get("endPosition").asLong() - SEGMENT_LENGTH);
        assertTrue(kept > 50 && kept < 300, () -> "kept=" + kept);
        assertEquals(kept + 1, json.get("firstSequenceLost").asLong());
        assertEquals(300, json.get("lastSequenceLost").asLong());
        assertHolds(journal, 1, kept);
        final Path quarantine = journal.resolve("quarantine");
        assertArrayEquals(later, Files.readAllBytes(quarantine.resolve("00000000000000000002.journal")));
        final byte[] tail = Files.readAllBytes(
            quarantine.resolve(String.format("%020d-0.repair.tail", SEGMENT_LENGTH + offset)));
        assertArrayEquals(Arrays.copyOfRange(damaged, offset, offset + tail.length), tail);
        assertArrayEquals(
            new byte[SEGMENT_LENGTH - offset - tail.length],
            Arrays.copyOfRange(damaged, offset + tail.length, SEGMENT_LENGTH));
        run("verify", journal).assertExit(ExitCode.OK);
    }

    @Test
    void unreadableSegmentIsQuarantinedWithAllAfterIt() throws IOException
    {
        final Path journal = journal(300);
        wipe(segment(journal, 2));

        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);

        assertTrue(Files.exists(journal.resolve("quarantine").resolve("00000000000000000002.journal")));
        final long last = run("info", "--json", journal).json().get("lastSequence").asLong();
        assertTrue(last > 100, () -> "last=" + last);
        assertHolds(journal, 1, last);
        try (Journal open = Journal.open(journal))
        {
            append(open, 100);
        }
        assertHolds(journal, 1, last + 100);
    }

    @Test
    void cursorsAboveTheTruncationMoveBack() throws IOException
    {
        for (final int offset : new int[]{ 20_000, 64 })
        {
            final Path journal = temp.resolve("at-" + offset);
            try (Journal open = builder(journal).open())
            {
                append(open, 300);
                open.cursor("invoices").save(300);
                open.cursor("mails").save(7);
            }
            flip(segment(journal, 2), offset);
            if (offset < 4096)
            {
                wipe(segment(journal, 2));
            }

            run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);

            try (Journal open = Journal.open(journal))
            {
                assertEquals(open.lastSequence(), open.cursor("invoices").sequence());
                assertEquals(7, open.cursor("mails").sequence());
            }
        }
    }

    @Test
    void fileThatIsNoSegmentIsQuarantined() throws IOException
    {
        final Path journal = journal(50);
        Files.writeString(journal.resolve("copy of 0.journal"), "what is this?");
        run("verify", journal).assertExit(ExitCode.DAMAGED);

        // No durable record is lost, so nothing has to be accepted.
        run("repair", "--apply", journal).assertExit(ExitCode.OK);

        assertEquals(
            "what is this?", Files.readString(journal.resolve("quarantine").resolve("copy of 0.journal")));
        assertHolds(journal, 1, 50);
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
        assertFalse(Files.exists(journal.resolve("quarantine")));
    }

    @Test
    void metaAndHeadersAreRebuiltWithoutLoss() throws IOException
    {
        final Path journal = journal(300);
        final byte[] header = Files.readAllBytes(segment(journal, 0));
        final byte[] meta = new byte[3 * 4096];
        Files.write(journal.resolve("journal.meta"), meta);
        flip(segment(journal, 0), 64);
        final Map<String, String> before = picture(journal);

        final Run dry = run("repair", journal);

        dry.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(dry.out()).contains("would rebuild journal.meta as journal "), dry.out());
        assertTrue(unfolded(dry.out()).contains("would rebuild 00000000000000000000.journal as journal "), dry.out());
        assertTrue(dry.out().endsWith("  journal repair --apply " + journal + "\n"), dry.out());
        assertEquals(before, picture(journal));
        assertEquals(2, run("repair", "--json", journal).json().get("rebuilt").size());

        final JsonNode json = run("repair", "--apply", "--json", journal).json();

        assertTrue(json.get("isRepaired").asBoolean(), json::toString);
        assertFalse(json.get("isTruncation").asBoolean(), json::toString);
        assertArrayEquals(meta, Files.readAllBytes(journal.resolve("quarantine/journal.meta")));
        assertArrayEquals(Arrays.copyOf(header, 4096), Arrays.copyOf(Files.readAllBytes(segment(journal, 0)), 4096));
        run("verify", journal).assertExit(ExitCode.OK);
        assertHolds(journal, 1, 300);
    }

    @Test
    void snapshotsAreLoadedAfterMetaAndMarkWereLost() throws IOException
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
        Files.delete(journal.resolve("journal.meta"));
        Files.delete(journal.resolve("journal.mark"));
        // They do not count.
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
        assertTrue(Files.exists(journal.resolve("quarantine/00000000000000000000.journal")));
        assertHolds(journal, first, 300);
    }

    @Test
    void rebuiltFilesAreReportedIfOtherFilesCannotBeRead() throws IOException
    {
        final Path journal = journal(300);
        final Path cursors = journal.resolve("cursors");
        flip(segment(journal, 0), 64);
        // A link to itself cannot be followed: the cursors cannot be read.
        Files.createSymbolicLink(cursors, cursors);

        final Run text = run("repair", "--apply", journal);

        text.assertExit(ExitCode.FAILED);
        assertTrue(unfolded(text.out()).contains("rebuilt 00000000000000000000.journal as journal "), text.out());
        assertTrue(
            unfolded(text.out()).contains("quarantined quarantine/00000000000000000000.journal.header"), text.out());
        assertTrue(text.err().contains("may be intact: nothing else was changed"), text.err());

        flip(segment(journal, 0), 64);
        final Run json = run("repair", "--apply", "--json", journal);

        json.assertExit(ExitCode.FAILED);
        assertFalse(json.json().get("isRepaired").asBoolean());
        assertEquals("00000000000000000000.journal", json.json().get("rebuilt").get(0).get("file").asText());
        assertEquals(
            "quarantine/00000000000000000000.journal.header.1", json.json().get("quarantined").get(0).asText());

        final Run again = run("repair", "--apply", journal);

        again.assertExit(ExitCode.FAILED);
        assertEquals("", again.out());
        assertTrue(again.err().contains("may be intact: nothing was changed"), again.err());
        Files.delete(cursors);
        run("verify", journal).assertExit(ExitCode.OK);
        assertHolds(journal, 1, 300);
    }

    @Test
    void truncationIsReportedIfTheJournalDoesNotOpenAfterIt() throws IOException
    {
        for (final boolean isJson : new boolean[]{ false, true })
        {
            final Path journal = temp.resolve(isJson ? "json" : "text");
            try (Journal open = builder(journal).open())
            {
                append(open, 300);
            }
            flip(segment(journal, 1), 20_000);
            // Opening deletes what an unfinished creation of a cursor left, and here it cannot.
            final Path spare = Files.createDirectories(journal.resolve("cursors/spare"));
            final Path content = Files.createFile(spare.resolve("content"));

            final Run run = isJson ? run("repair", "--apply", "--accept-loss", "--json", journal) :
                run("repair", "--apply", "--accept-loss", journal);

            run.assertExit(ExitCode.FAILED);
            final String quarantined = "quarantine/00000000000000000002.journal";
            assertTrue(Files.exists(journal.resolve(quarantined)));
            if (isJson)
            {
                assertFalse(run.json().get("isRepaired").asBoolean());
                assertTrue(run.json().get("isTruncated").asBoolean());
                assertEquals(300, run.json().get("lastSequenceLost").asLong());
                assertTrue(run.json().get("quarantined").toString().contains(quarantined), run::out);
            }
            else
            {
                assertTrue(unfolded(run.out()).contains("truncated at position "), run::out);
                assertTrue(unfolded(run.out()).contains("quarantined " + quarantined), run::out);
                assertFalse(run.out().contains("the journal opens"), run::out);
            }
            Files.delete(content);
            Journal.open(journal).close();
            run("verify", journal).assertExit(ExitCode.OK);
        }
    }

    /**
     * Takes the header away, and the first mark, by which it could be rebuilt.
     */
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
