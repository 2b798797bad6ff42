package io.journal.tools;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SalvageCommandTest extends ToolsFixture
{
    private static final int RECORDS = 400;

    @Test
    void wholeJournalIsCopied() throws IOException
    {
        final Path journal = journal(RECORDS);
        final Map<String, String> before = picture(journal);

        final Run run = run("salvage", journal, target());

        run.assertExit(ExitCode.OK);
        assertTrue(unfolded(run.out()).contains("400 records; nothing is missing"), run::out);
        assertHolds(target(), 1, RECORDS);
        assertEquals(before, picture(journal));
    }

    @Test
    void oneFlippedByteCostsOneRecord() throws IOException
    {
        final Path journal = journal(RECORDS);
        flip(segment(journal, 1), offsetOfRecord(journal, 1, 100) + 30);

        final Run run = run("salvage", journal, target(), "--json");

        run.assertExit(ExitCode.DAMAGED);
        final JsonNode json = run.json();
        assertEquals(RECORDS - 1, json.get("records").asLong());
        assertEquals(1, json.get("missing").size());
        final long missing = json.get("missing").get(0).get("first").asLong();
        assertEquals(missing, json.get("missing").get(0).get("last").asLong());
        assertEquals("00000000000000000001.journal", json.get("missing").get(0).get("file").asText());
        assertEquals(missing, json.get("copied").get(1).get("newFirst").asLong());
        assertEquals(missing + 1, json.get("copied").get(1).get("first").asLong());
        final List<String> expected = contents(1, RECORDS);
        expected.remove((int)missing - 1);
        assertEquals(expected, contents(target()));
    }

    @Test
    void sequencesStayIfMissingRecordsAreFilled() throws IOException
    {
        final Path journal = journal(RECORDS);
        flip(segment(journal, 1), offsetOfRecord(journal, 1, 100) + 30);

        run("salvage", journal, target(), "--fill-tag", -7).assertExit(ExitCode.DAMAGED);

        final List<String> found = contents(target());
        assertEquals(RECORDS, found.size());
        final List<String> expected = contents(1, RECORDS);
        final int empty = found.indexOf("");
        expected.set(empty, "");
        assertEquals(expected, found);
        try (Journal opened = Journal.open(target()))
        {
            assertTrue(opened.get(empty + 1, (buffer, offset, length, header) -> assertEquals(-7, header.tag())));
        }
    }

    @Test
    void segmentThatIsCutShortIsReadToItsEnd() throws IOException
    {
        final Path journal = journal(RECORDS);
        cut(segment(journal, segments(journal) - 1), 20_001);

        final Run run = run("salvage", journal, target());

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(run.out()).contains(", in a file that was cut short)"), run::out);
        final List<String> found = contents(target());
        assertEquals(contents(1, found.size()), found);
        // Of the segment, all that lies before the cut.
        final long firstOfLast = firstSequenceOf(journal(RECORDS, "whole"), segments(journal) - 1);
        assertTrue(found.size() > firstOfLast + 10, () -> found.size() + " of " + firstOfLast);
    }

    @Test
    void missingSegmentAndDamagedHeaderAndControlFileAreNoObstacle() throws IOException
    {
        final Path journal = journal(RECORDS);
        final long second = firstSequenceOf(journal, 2);
        final long third = firstSequenceOf(journal, 3);
        Files.delete(segment(journal, 2));
        Files.write(journal.resolve("journal.control"), new byte[100]);
        // One bit of the salt.
        flip(segment(journal, 1), 64);

        final Run run = run("salvage", journal, target());

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(run.out()).contains("records " + second + " to " + (third - 1)), run::out);
        final List<String> expected = contents(1, second - 1);
        expected.addAll(contents(third, RECORDS));
        assertEquals(expected, contents(target()));
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void truncatedRecordsAreNotMissing(final boolean isControlThere) throws IOException
    {
        final Path journal = journal(RECORDS);
        final long sequence = firstSequenceOf(journal, 2) + 10;
        try (Journal open = Journal.open(journal))
        {
            open.truncateAfter(sequence + 5);
            append(open, 10);
            open.truncateAfter(sequence);
            append(open, 20);
        }
        if (!isControlThere)
        {
            Files.delete(journal.resolve("journal.control"));
        }

        final Run run = run("salvage", journal, target());

        run.assertExit(ExitCode.OK);
        assertTrue(unfolded(run.out()).contains((sequence + 20) + " records; nothing is missing"), run::out);
        assertEquals(contents(1, sequence + 20), contents(target()));

        overwrite(segment(journal, 2), 10_000, new byte[100]);
        run("salvage", journal, temp.resolve("damaged")).assertExit(ExitCode.DAMAGED);
    }

    @Test
    void truncatedRecordsOfOneSegmentAreDumpedBeforeThoseThatReplaceThem() throws IOException
    {
        final Path journal = journal(20);
        try (Journal open = Journal.open(journal))
        {
            open.truncateAfter(15);
            append(open, 10);
        }

        final Run run = run("dump", segment(journal, 0), "--json");

        run.assertExit(ExitCode.OK);
        final List<Long> sequences =
            run.jsonLines().stream().map((record) -> record.get("sequence").asLong()).toList();
        assertEquals(
            Stream.concat(LongStream.rangeClosed(1, 20).boxed(), LongStream.rangeClosed(16, 25).boxed()).toList(),
            sequences);
    }

    @Test
    void recordsBeforeTheFirstReadableOneAreMissing() throws IOException
    {
        final Path journal = journal(RECORDS);
        final long first = firstSequenceOf(journal, 1);
        Files.delete(journal.resolve("journal.control"));
        cut(segment(journal, 0), 1000);

        final Run run = run("salvage", journal, target(), "--json");

        run.assertExit(ExitCode.DAMAGED);
        final JsonNode missing = run.json().get("missing");
        assertEquals(1, missing.size(), run::out);
        assertEquals(1, missing.get(0).get("first").asLong());
        assertEquals(first - 1, missing.get(0).get("last").asLong());
        assertEquals("00000000000000000000.journal", missing.get(0).get("file").asText());
        assertEquals(contents(first, RECORDS), contents(target()));
    }

    @Test
    void damagedBeginningIsReportedIfTheFirstRecordIsNotKnown() throws IOException
    {
        final Path journal = journal(RECORDS);
        run("prune", "--before", firstSequenceOf(journal, 2), journal).assertExit(ExitCode.OK);
        final long first = firstSequenceOf(journal, 3);
        Files.delete(journal.resolve("journal.control"));
        cut(segment(journal, 2), 1000);

        final Run text = run("salvage", journal, target());
        final Run json = run("salvage", journal, temp.resolve("again"), "--json");

        text.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(text.out()).startsWith("MISSING what may be before record " + first + " ("), text::out);
        assertEquals(contents(first, RECORDS), contents(target()));
        json.assertExit(ExitCode.DAMAGED);
        final JsonNode missing = json.json().get("missing");
        assertEquals(1, missing.size(), json::out);
        assertFalse(missing.get(0).has("first"), json::out);
        assertEquals(first - 1, missing.get(0).get("last").asLong());
    }

    @Test
    void missingNewestSegmentIsReported() throws IOException
    {
        final Path journal = journal(RECORDS);
        final int last = segments(journal) - 1;
        final long first = firstSequenceOf(journal, last);
        for (long ordinal = last; Files.exists(segment(journal, ordinal)); ordinal++)
        {
            Files.delete(segment(journal, ordinal));
        }
        run("verify", journal).assertExit(ExitCode.DAMAGED);

        final Run run = run("salvage", journal, target());

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(run.out()).contains("MISSING what may follow record " + (first - 1) + " (" +
            segment(journal, last).getFileName() + ", offset 4,096: no file, but the journal was durable up to"),
            run::out);
        assertEquals(contents(1, first - 1), contents(target()));
    }

    @Test
    void durableEndOfZerosIsReported() throws IOException
    {
        final Path journal = journal(RECORDS);
        final int last = segments(journal) - 1;
        final int offset = (int)offsetOfRecord(journal, last, 100);
        overwrite(segment(journal, last), offset, new byte[SEGMENT_LENGTH - offset]);
        run("verify", journal).assertExit(ExitCode.DAMAGED);

        final Run run = run("salvage", journal, target());

        run.assertExit(ExitCode.DAMAGED);
        final List<String> found = contents(target());
        assertEquals(contents(1, found.size()), found);
        final String missing = "what may follow record " + found.size() + " (" +
            segment(journal, last).getFileName() + ", offset " + Text.number(offset) +
            ": nothing, but the journal was durable up to position ";
        assertTrue(unfolded(run.out()).contains("MISSING " + missing), run::out);
        final Run dump = run("dump", segment(journal, last));
        dump.assertExit(ExitCode.DAMAGED);
        assertTrue(dump.err().contains(missing), dump::err);
        run("dump", segment(journal, 0)).assertExit(ExitCode.OK);
    }

    @Test
    void damagedBeginningOfASegmentFileIsReported() throws IOException
    {
        final Path journal = journal(RECORDS);
        final long first = firstSequenceOf(journal, 1);
        // The first watermark frame, and the records behind it in the first segment.
        flip(segment(journal, 1), 4096 + 10);
        overwrite(segment(journal, 0), 4096, new byte[3000]);

        final Run second = run("dump", segment(journal, 1), "--json");
        final Run initial = run("dump", segment(journal, 0), "--json");

        second.assertExit(ExitCode.DAMAGED);
        assertTrue(second.err().contains("what may be before record " + first + " ("), second::err);
        assertEquals(first, second.jsonLines().get(0).get("sequence").asLong());
        initial.assertExit(ExitCode.DAMAGED);
        final long kept = initial.jsonLines().get(0).get("sequence").asLong();
        assertTrue(kept > 2, initial::err);
        assertTrue(initial.err().contains("records 1 to " + (kept - 1) + " ("), initial::err);
    }

    @Test
    void recordsOfABatchAreCopied() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal opened = builder(journal).open())
        {
            opened.appender().append(new RecordBatch().add(bytes("a")).add(bytes("b")).add(bytes("c")));
            opened.appender().append(bytes("d"));
        }

        run("salvage", journal, target()).assertExit(ExitCode.OK);

        assertEquals(List.of("a", "b", "c", "d"), contents(target()));
    }

    @Test
    void rejectedSalvageLeavesNothing() throws IOException
    {
        final Path journal = journal(10);
        run("salvage", journal, journal.resolve("new")).assertExit(ExitCode.USAGE);
        assertFalse(Files.exists(journal.resolve("new")));
        final Path link = Files.createSymbolicLink(temp.resolve("link"), journal);
        run("salvage", journal, link.resolve("new")).assertExit(ExitCode.USAGE);
        assertFalse(Files.exists(journal.resolve("new")));
        Files.createDirectories(target().resolve("full"));
        run("salvage", journal, target()).assertExit(ExitCode.USAGE);
        run("salvage", temp.resolve("absent"), temp.resolve("new")).assertExit(ExitCode.NO_JOURNAL);
        assertFalse(Files.exists(temp.resolve("new")));
    }

    @Test
    void missingParentOfTheTargetIsNotCreated() throws IOException
    {
        final Path missing = temp.resolve("missing");
        final Run run = run("salvage", journal(RECORDS), missing.resolve("salvaged"));

        run.assertExit(ExitCode.USAGE);
        assertTrue(unfolded(run.err()).contains("create " + missing), run::err);
        assertFalse(Files.exists(missing));
    }

    @Test
    void rootOfAFreshVolumeIsATarget() throws IOException
    {
        final Path ofFileSystem = Files.createDirectories(target().resolve("lost+found").resolve("file"));
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> NewJournal.write(
            target(), SEGMENT_LENGTH, (journal) ->
            {
                throw new IllegalStateException("on purpose");
            }));
        assertEquals("on purpose", thrown.getMessage());
        assertTrue(Files.isDirectory(ofFileSystem));

        run("salvage", journal(RECORDS), target()).assertExit(ExitCode.OK);
        assertHolds(target(), 1, RECORDS);
        assertTrue(Files.isDirectory(ofFileSystem));
    }

    @Test
    void targetOfAnotherProcessIsLeftUnchanged() throws IOException
    {
        // As after the check of a target that was absent.
        try (Journal other = builder(target()).open())
        {
            append(other, 10);

            assertThrows(JournalLockedException.class, () -> NewJournal.write(
                target(), SEGMENT_LENGTH, (journal) -> journal.appender().append(bytes("a"))));

            append(other, 10);
        }
        assertHolds(target(), 1, 20);

        final CommandException written = assertThrows(CommandException.class, () -> NewJournal.write(
            target(), SEGMENT_LENGTH, (journal) -> journal.appender().append(bytes("a"))));

        assertEquals(ExitCode.USAGE, written.exitCode());
        assertHolds(target(), 1, 20);
    }

    @Test
    void journalThatAnotherProcessHasCompletedInTheTargetIsLeftUnchanged() throws IOException
    {
        // As after the check of a target that was absent.
        try (Journal other = builder(target()).open())
        {
            append(other, 10);
        }
        final Map<String, String> before = picture(target());

        assertThrows(IllegalArgumentException.class, () -> NewJournal.write(
            target(), 2 * SEGMENT_LENGTH, (journal) -> journal.appender().append(bytes("a"))));

        assertEquals(before, picture(target()));

        final Path empty = temp.resolve("empty");
        builder(empty).open().close();
        assertThrows(CommandException.class, () -> NewJournal.write(
            empty, SEGMENT_LENGTH, (journal) -> journal.appender().append(bytes("a"))));
        assertEquals(0, run("info", "--json", empty).json().get("lastSequence").asLong());

        final Path damaged = journal(10);
        Files.delete(damaged.resolve("journal.control"));
        assertThrows(CorruptJournalException.class, () -> NewJournal.write(
            damaged, SEGMENT_LENGTH, (journal) -> journal.appender().append(bytes("a"))));
        assertTrue(Files.exists(segment(damaged, 0)));
    }

    @Test
    void nothingIsLeftOfAJournalThatCannotBeCreated() throws IOException
    {
        // In the way of the first segment, and of another process.
        final Path foreign =
            Files.createDirectories(target().resolve("spare-00000000000000000000").resolve("something"));

        assertThrows(JournalException.class, () -> NewJournal.write(
            target(), SEGMENT_LENGTH, (journal) -> journal.appender().append(bytes("a"))));

        assertTrue(Files.exists(foreign));
        try (var files = Files.list(target()))
        {
            assertEquals(List.of(foreign.getParent()), files.toList());
        }
    }

    @Test
    void oneSegmentFileIsDumpedAlsoBehindDamage() throws IOException
    {
        final Path journal = journal(RECORDS);
        final long first = firstSequenceOf(journal, 1);
        final long next = firstSequenceOf(journal, 2);
        final Path moved = Files.createDirectories(journal.resolve("elsewhere")).resolve("moved.journal.1");
        Files.copy(segment(journal, 1), moved);

        final Run whole = run("dump", moved, "--json");
        whole.assertExit(ExitCode.OK);
        assertEquals(next - first, whole.jsonLines().size());
        assertEquals(first, whole.jsonLines().get(0).get("sequence").asLong());

        flip(moved, offsetOfRecord(journal, 1, 100) + 30);
        final Run damaged = run("dump", moved, "--from", first + 1, "--json");
        damaged.assertExit(ExitCode.DAMAGED);
        assertEquals(next - first - 2, damaged.jsonLines().size());
        assertTrue(damaged.err().contains("moved.journal.1, offset "), damaged::err);

        run("dump", moved, "--since", "2026-01-31T12:00:00Z").assertExit(ExitCode.USAGE);
        run("dump", journal.resolve("journal.control")).assertExit(ExitCode.NO_JOURNAL);
    }

    private Path target()
    {
        return temp.resolve("salvaged");
    }

    private Path journal(final int records, final String name)
    {
        final Path path = temp.resolve(name);
        try (Journal journal = builder(path).open())
        {
            append(journal, records);
        }
        return path;
    }

    private static void cut(final Path file, final long length) throws IOException
    {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
        {
            access.setLength(length);
        }
    }

    private static void overwrite(final Path file, final long offset, final byte[] bytes) throws IOException
    {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
        {
            access.seek(offset);
            access.write(bytes);
        }
    }

    private static int segments(final Path journal) throws IOException
    {
        try (var files = Files.list(journal))
        {
            return (int)files.filter((file) -> file.toString().endsWith(".journal") &&
                run("dump", file, "--json").out().length() > 0).count();
        }
    }

    private static long firstSequenceOf(final Path journal, final long ordinal) throws IOException
    {
        return run("dump", segment(journal, ordinal), "--json").jsonLines().get(0).get("sequence").asLong();
    }

    /** Offset of a record's frame, counted from the first record of a segment. */
    private static long offsetOfRecord(final Path journal, final long ordinal, final int index) throws IOException
    {
        final List<JsonNode> records = run("dump", segment(journal, ordinal), "--json").jsonLines();
        return records.get(Math.min(index, records.size() / 2)).get("position").asLong() - ordinal * SEGMENT_LENGTH;
    }

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> contents(final long first, final long last)
    {
        final List<String> contents = new ArrayList<>();
        for (long sequence = first; sequence <= last; sequence++)
        {
            contents.add(new String(content(sequence), StandardCharsets.UTF_8));
        }
        return contents;
    }

    private static List<String> contents(final Path journal)
    {
        try (Journal opened = Journal.open(journal); JournalReader reader = opened.openReader())
        {
            return reader.stream()
                .map((entry) -> new String(entry.bytes(), StandardCharsets.UTF_8))
                .collect(java.util.stream.Collectors.toList());
        }
    }
}
