// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.ForcePolicy;
import io.journal.Journal;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReadCommandsTest extends ToolsFixture
{
    private static List<Long> sequences(final Run run) throws IOException
    {
        run.assertExit(ExitCode.OK);
        return run.jsonLines().stream().map((line) -> line.get("sequence").asLong()).toList();
    }

    private static List<Long> range(final long first, final long last)
    {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    @Test
    void dumpPrintsAllRecordsAsTheyAre() throws IOException
    {
        final Path journal = journal(200);

        final Run run = run("dump", "--json", journal);

        assertEquals(range(1, 200), sequences(run));
        final JsonNode line = run.jsonLines().get(16);
        assertEquals(170, line.get("tag").asLong());
        assertEquals(new String(content(17), StandardCharsets.UTF_8), line.get("text").asText());
        assertEquals(content(17).length, line.get("length").asInt());
    }

    @Test
    void dumpFiltersBySequenceAndTag() throws IOException
    {
        final Path journal = journal(200);

        assertEquals(range(50, 60), sequences(run("dump", "--json", "--from", 50, "--to", 60, journal)));
        assertEquals(List.of(7L, 9L), sequences(run("dump", "--json", "--tag", "70,90,3", journal)));
        assertEquals(List.of(), sequences(run("dump", "--json", "--from", 10, "--to", 9, journal)));
        assertEquals(range(190, 200), sequences(run("dump", "--json", "--from", 190, "--to", 999, journal)));
        run("dump", "--from", 999, journal).assertExit(ExitCode.USAGE);
    }

    @Test
    void dumpFiltersByTime() throws IOException
    {
        final Path journal = journal(200);

        assertEquals(range(1, 200), sequences(run("dump", "--json", "--since", Instant.EPOCH, journal)));
        assertEquals(List.of(), sequences(run("dump", "--json", "--until", Instant.EPOCH, journal)));
        run("dump", "--since", "yesterday", journal).assertExit(ExitCode.USAGE);
    }

    @Test
    void textIsOneLineThatATerminalOnlyShows()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            open.appender().append("a\u001b[31mred\n\\\u202e\u2028\t\u00e9".getBytes(StandardCharsets.UTF_8));
            open.appender().append(5, ByteBuffer.wrap(new byte[]{ (byte)0xFF, 1, 2, 'x' }), 0, 4);
        }

        final Run text = run("dump", journal);
        final Run hex = run("dump", "--hex", "--from", 2, journal);
        final Run json = run("dump", "--json", "--from", 2, journal);

        assertEquals(
            List.of(
                "1  tag 0  a\\u001b[31mred\\n\\\\\\u202e\\u2028\\t\u00e9",
                "2  tag 5  (not UTF-8, 4 bytes: --hex shows it)"),
            text.out().lines().toList());
        assertTrue(hex.out().startsWith("2  tag 5  4 bytes" + System.lineSeparator()), hex.out());
        assertTrue(hex.out().contains("|00000000| ff 01 02 78 "), hex.out());
        assertTrue(hex.out().contains("|...x "), hex.out());
        assertTrue(json.out().contains("\"base64\":\"/wECeA==\""), json.out());
    }

    @Test
    void dumpPrintsTheRecordsBeforeDamageAndReportsIt() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);

        final Run run = run("dump", "--json", journal);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(run.jsonLines().size() > 50, run.out());
        assertTrue(run.err().contains("00000000000000000001.journal"), run.err());
    }

    @Test
    void tailPrintsTheLastRecords() throws IOException
    {
        final Path journal = journal(200);

        assertEquals(range(191, 200), sequences(run("tail", "--json", journal)));
        assertEquals(range(198, 200), sequences(run("tail", "-n", 3, "--json", journal)));
        assertEquals(range(1, 200), sequences(run("tail", "-n", 1000, "--json", journal)));
        assertEquals(List.of(), sequences(run("tail", "-n", 0, "--json", journal)));
        run("tail", "-n", -1, journal).assertExit(ExitCode.USAGE);
    }

    @Test
    void tailFollowsOneWriterAfterTheOther() throws Exception
    {
        final Path journal = journal(5);
        final CountDownLatch begun = new CountDownLatch(1);
        final StringWriter out = new StringWriter();
        final int[] exitCode = new int[1];
        final Thread follower = new Thread(() -> exitCode[0] = Main.run(
            new PrintWriter(out)
            {
                @Override
                public void println(final String line)
                {
                    super.println(line);
                    begun.countDown();
                }
            },
            new PrintWriter(new StringWriter()),
            "tail", "-f", "-n", "1", "--max", "101", "--json", journal.toString()));
        follower.start();
        assertTrue(begun.await(10, TimeUnit.MINUTES));

        for (int writer = 0; writer < 2; writer++)
        {
            try (Journal open = Journal.open(journal))
            {
                append(open, 50);
            }
        }
        follower.join(TimeUnit.MINUTES.toMillis(10));

        assertFalse(follower.isAlive());
        assertEquals(range(5, 105), sequences(new Run(exitCode[0], out.toString(), "")));
    }

    @Test
    void tailContinuesIfRecordsAreTruncatedOrPrunedJustBeforeItReads() throws IOException
    {
        final Path journal = temp.resolve("orders");
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        try (Journal open = builder(journal).open())
        {
            append(open, 100);
            // Each change happens between a look at the state of the reader and the next poll, because the command
            // flushes its error output there.
            final Iterator<Runnable> changes = List.<Runnable>of(
                () -> open.truncateAfter(50),
                () -> append(open, 10),
                () ->
                {
                    append(open, 500);
                    assertTrue(open.prune(400) > 100);
                }).iterator();
            final PrintWriter errors = new PrintWriter(err)
            {
                @Override
                public void flush()
                {
                    super.flush();
                    if (changes.hasNext())
                    {
                        changes.next().run();
                    }
                }
            };

            final int exitCode = Main.run(
                new PrintWriter(out), errors, "tail", "-f", "-n", "2", "--max", "20", "--json", journal.toString());

            final Run run = new Run(exitCode, out.toString(), err.toString());
            final List<Long> found = sequences(run);
            assertEquals(20, found.size(), run::toString);
            assertEquals(range(99, 100), found.subList(0, 2));
            assertEquals(range(51, 60), found.subList(2, 12));
            assertEquals(range(open.firstSequence(), open.firstSequence() + 7), found.subList(12, 20));
            assertTrue(run.err().contains("the journal was truncated; continuing at its new end"), run::err);
            assertTrue(run.err().contains("records from 61 on were pruned"), run::err);
        }
    }

    @Test
    void statsShowTheWrittenAndTheDurableEnd() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 20);

            final List<JsonNode> lines =
                run("stats", "--json", "--every", 0.01, "--count", 3, journal).jsonLines();
            final Run rows = run("stats", "--every", 0.01, "--count", 2, journal);

            assertEquals(3, lines.size());
            assertEquals(20, lines.get(2).get("lastSequence").asLong());
            assertEquals(20, lines.get(2).get("forcedSequence").asLong());
            assertEquals(0, lines.get(2).get("recordsPerSecond").asLong());
            final long position = lines.get(2).get("lastPosition").asLong();
            assertTrue(open.get(20, (buffer, offset, length, header) -> assertEquals(header.position(), position)));
            assertEquals(position, lines.get(2).get("forcedPosition").asLong());
            assertEquals(3, rows.out().lines().count(), rows.out());
            assertTrue(rows.out().startsWith("time "), rows.out());
            assertTrue(unfolded(rows.out()).endsWith(" 20 0 0 0 bytes 0 "), rows.out());
        }
        run("stats", "--every", 0, journal).assertExit(ExitCode.USAGE);
        run("stats", "--count", -1, journal).assertExit(ExitCode.USAGE);
    }

    @Test
    void consumersAreShownWithTheirLag() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 1200);
            open.cursor("mails").save(20);
            open.cursor("invoices").save(1200);
        }

        final JsonNode stats = run("stats", "--every", 0.01, "--json", journal).json().get("cursors");
        final Run rows = run("stats", "--every", 0.01, journal);
        final Run list = run("cursors", journal);
        final Run info = run("info", journal);

        assertEquals(stats, run("info", "--json", journal).json().get("cursors"));
        assertEquals(2, stats.size());
        assertEquals("mails", stats.get(1).get("name").asText());
        assertEquals(20, stats.get(1).get("sequence").asLong());
        assertEquals(1180, stats.get(1).get("lag").asLong());
        for (final Run run : List.of(list, info))
        {
            assertTrue(unfolded(run.out()).contains("mails: done with record 20, 1,180 behind"), run.out());
            assertTrue(unfolded(run.out()).contains("invoices: done with record 1,200, 0 behind"), run.out());
        }
        assertTrue(rows.out().lines().toList().get(1).endsWith(" 1,180"), rows.out());
    }

    @Test
    void statsShowTheGrowthAndWhatIsNotDurable() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).force(ForcePolicy.manual()).open())
        {
            append(open, 20);
            open.force();
            final StringWriter out = new StringWriter();
            final PrintWriter appending = new PrintWriter(out)
            {
                @Override
                public boolean checkError()
                {
                    open.appender().append(new byte[1000]);
                    return super.checkError();
                }
            };
            final int exitCode = Main.run(
                appending, new PrintWriter(new StringWriter()), "stats", "--json", "--every", "0.01", "--count", "3",
                journal.toString());

            final List<JsonNode> lines = new Run(exitCode, out.toString(), "").jsonLines();
            final JsonNode last = lines.get(2);
            assertEquals(23, last.get("lastSequence").asLong());
            assertEquals(20, last.get("forcedSequence").asLong());
            assertTrue(last.get("lastPosition").asLong() > last.get("forcedPosition").asLong() + 1000);
            assertTrue(last.get("recordsPerSecond").asLong() > 0);
            assertTrue(last.get("bytesPerSecond").asLong() > 0);
        }
    }

    @Test
    void statsOfAJournalWithoutAWriterShowItsRecords() throws IOException
    {
        final Path journal = journal(20);
        final Run text = run("stats", "--every", 0.01, journal);
        text.assertExit(ExitCode.OK);
        assertTrue(unfolded(text.out()).endsWith(" 20 0 0 0 bytes 0 "), text.out());

        // Erase both watermark slots.
        try (RandomAccessFile control = new RandomAccessFile(journal.resolve("journal.control").toFile(), "rw"))
        {
            control.seek(135_168);
            control.write(new byte[1024]);
        }
        final Run unknown = run("stats", "--every", 0.01, journal);
        unknown.assertExit(ExitCode.OK);
        assertTrue(unfolded(unknown.out()).endsWith(" 20 20 0 0 bytes 0 "), unknown.out());
    }

    @Test
    void journalInUseIsPrintedUpToItsEndOfThatMoment() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 40);
            assertEquals(range(1, 40), sequences(run("dump", "--json", journal)));
            append(open, 10);
        }
        assertHolds(journal, 1, 50);
    }
}
