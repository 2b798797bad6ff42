// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
        final int last = segments(journal) - 1;
        final long firstOfLast = firstSequenceOf(journal, last);
        cut(segment(journal, last), 20_001);

        final Run run = run("salvage", journal, target());

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(run.out()).contains(", in a file that was cut short)"), run::out);
        final List<String> found = contents(target());
        assertEquals(contents(1, found.size()), found);
        // Every record of the shortened segment before its new end is copied.
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
        // Flip one bit of the salt.
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
        assertEquals(-1, missing.get(0).get("first").asLong(), json::out);
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
    }

    @Test
    void missingFirstRecordsAreFilledAsWell() throws IOException
    {
        final Path journal = journal(RECORDS);
        final long first = firstSequenceOf(journal, 1);
        cut(segment(journal, 0), 1000);

        run("salvage", journal, target(), "--fill-tag", 7).assertExit(ExitCode.DAMAGED);

        final List<String> expected = new ArrayList<>(Collections.nCopies((int)first - 1, ""));
        expected.addAll(contents(first, RECORDS));
        assertEquals(expected, contents(target()));
    }

    @Test
    void journalIsCopiedWithAnotherSegmentLength() throws IOException
    {
        final Path journal = journal(RECORDS);
        try (Journal open = Journal.open(journal))
        {
            open.appender().append(new RecordBatch().add(4010, content(401)).add(4020, content(402)));
        }

        final Run run = run("salvage", "--segment-length", "1MiB", journal, target());

        run.assertExit(ExitCode.OK);
        assertHolds(target(), 1, RECORDS + 2);
        assertHolds(journal, 1, RECORDS + 2);
        assertEquals(1 << 20, run("info", "--json", target()).json().get("segmentLength").asInt());
        final List<JsonNode> before = run("dump", "--json", journal).jsonLines();
        final List<JsonNode> after = run("dump", "--json", target()).jsonLines();
        for (int i = 0; i < before.size(); i++)
        {
            assertEquals(before.get(i).get("tag"), after.get(i).get("tag"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "100k", "2GiB", "long", "0", "9999999997g" })
    void invalidSegmentLengthIsRejected(final String length)
    {
        run("salvage", "--segment-length", length, journal(3), target()).assertExit(ExitCode.USAGE);

        assertNothingIsLeft();
    }

    @Test
    void prunedJournalIsCopiedFromItsFirstRecord() throws IOException
    {
        final Path journal = journal(300);
        run("prune", "--before", 200, journal).assertExit(ExitCode.OK);
        final long first = run("info", "--json", journal).json().get("firstSequence").asLong();
        assertTrue(first > 1 && first <= 200, () -> "first=" + first);

        run("salvage", "--segment-length", "128KiB", journal, target()).assertExit(ExitCode.OK);

        assertHolds(target(), first, 300);
        run("verify", target()).assertExit(ExitCode.OK);
        try (Journal open = Journal.open(target()))
        {
            append(open, 1);
            assertEquals(301, open.lastSequence());
            open.roll();
            assertEquals(302, open.prune(302));
        }
        // Now the journal has no record. Salvage that, too.
        final Path back = temp.resolve("back");
        run("salvage", "--segment-length", "64k", target(), back).assertExit(ExitCode.OK);
        assertEquals(302, run("info", "--json", back).json().get("firstSequence").asLong());
    }

    @Test
    void nothingIsLeftIfARecordDoesNotFit()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = Journal.builder(journal).segmentLength(1 << 20).open())
        {
            append(open, 10);
            open.roll();
            open.appender().append(new byte[500_000]);
            open.prune(11);
        }

        final Run run = run("salvage", "--segment-length", "64k", journal, target());

        run.assertExit(ExitCode.USAGE);
        assertTrue(run.err().contains("length=500000, maxLength="), run::err);
        assertNothingIsLeft();
    }

    @Test
    void nothingIsLeftIfItIsInterrupted()
    {
        final Path journal = journal(RECORDS);
        Thread.currentThread().interrupt();

        final Run run = run("salvage", journal, target());

        assertTrue(Thread.interrupted());
        run.assertExit(ExitCode.FAILED);
        assertTrue(run.err().contains("interrupted; nothing of the new journal is left"), run::err);
        assertNothingIsLeft();
    }

    @Test
    void rejectedTargetStaysAsItIs() throws IOException
    {
        final Path journal = journal(10);
        final Path link = Files.createSymbolicLink(temp.resolve("link"), journal);
        for (final Path target : List.of(
            journal.resolve("new"), journal.resolve("new/er"), temp.resolve("none/../orders/new"),
            link.resolve("new")))
        {
            final Run run = run("salvage", journal, target);
            run.assertExit(ExitCode.USAGE);
            assertTrue(run.err().contains("the target lies within the journal"), run::err);
        }
        assertFalse(Files.exists(journal.resolve("new")));

        final Run parent = run("salvage", journal, temp.resolve("missing").resolve("salvaged"));
        parent.assertExit(ExitCode.USAGE);
        assertTrue(parent.err().contains("no directory to create the target in"), parent::err);
        assertFalse(Files.exists(temp.resolve("missing")));

        final Path killed = Files.createDirectory(temp.resolve("salvaged.unfinished"));
        final Run unfinished = run("salvage", journal, target());
        unfinished.assertExit(ExitCode.USAGE);
        assertTrue(unfinished.err().contains("then delete: path=" + killed), unfinished::err);
        Files.delete(killed);

        Files.createDirectory(target());
        final Run exists = run("salvage", journal, target());
        exists.assertExit(ExitCode.USAGE);
        assertTrue(exists.err().contains("the target must not exist"), exists::err);
        assertEquals(List.of(""), List.copyOf(picture(target()).keySet()));
    }

    private void assertNothingIsLeft()
    {
        assertFalse(Files.exists(target()));
        assertFalse(Files.exists(temp.resolve("salvaged.unfinished")));
    }

    private Path target()
    {
        return temp.resolve("salvaged");
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
        final List<JsonNode> records = run("dump", journal, "--json").jsonLines();
        return (int)(records.get(records.size() - 1).get("position").asLong() / SEGMENT_LENGTH) + 1;
    }

    private static List<JsonNode> recordsOf(final Path journal, final long ordinal) throws IOException
    {
        return run("dump", journal, "--json").jsonLines().stream()
            .filter((record) -> ordinal == record.get("position").asLong() / SEGMENT_LENGTH).toList();
    }

    private static long firstSequenceOf(final Path journal, final long ordinal) throws IOException
    {
        return recordsOf(journal, ordinal).get(0).get("sequence").asLong();
    }

    /** Returns the offset of a frame, given the number of its record counted from the first one of the segment. */
    private static long offsetOfRecord(final Path journal, final long ordinal, final int index) throws IOException
    {
        final List<JsonNode> records = recordsOf(journal, ordinal);
        return records.get(Math.min(index, records.size() / 2)).get("position").asLong() - ordinal * SEGMENT_LENGTH;
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
                .collect(Collectors.toList());
        }
    }
}
