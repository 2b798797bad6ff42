// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Common base of the tests of the command: creates small journals, and runs the command as its user does. */
abstract class ToolsFixture
{
    static final int SEGMENT_LENGTH = 64 * 1024;

    private static final ObjectReader JSON =
        new ObjectMapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    @TempDir
    Path temp;

    /** The output and the exit code of one run of the command. */
    record Run(int exitCode, String out, String err)
    {
        void assertExit(final int expected)
        {
            assertEquals(expected, exitCode, this::toString);
            assertFalse((out + err).contains("\n    at "), this::toString);
        }

        JsonNode json() throws IOException
        {
            return JSON.readTree(out);
        }

        List<JsonNode> jsonLines() throws IOException
        {
            final List<JsonNode> nodes = new ArrayList<>();
            for (final String line : out.lines().toList())
            {
                nodes.add(JSON.readTree(line));
            }

            return nodes;
        }
    }

    static Run run(final Object... args)
    {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final int exitCode = Main.run(
            new PrintWriter(out), new PrintWriter(err),
            Arrays.stream(args).map(String::valueOf).toArray(String[]::new));
        return new Run(exitCode, out.toString(), err.toString());
    }

    static JournalBuilder builder(final Path path)
    {
        return Journal.builder(path).segmentLength(SEGMENT_LENGTH);
    }

    /** Creates a journal of several segments, in which the content of each record names its sequence. */
    final Path journal(final int records)
    {
        final Path path = temp.resolve("orders");
        try (Journal journal = builder(path).open())
        {
            append(journal, records);
        }

        return path;
    }

    static void append(final Journal journal, final int records)
    {
        final JournalAppender appender = journal.appender();
        for (int i = 0; i < records; i++)
        {
            final long sequence = journal.lastSequence() + 1;
            final byte[] record = content(sequence);
            appender.append(sequence * 10, record, 0, record.length);
            if (0 == sequence % 10)
            {
                // An fsync every ten records, so that there are watermark frames.
                journal.force();
            }
        }
        journal.force();
    }

    static byte[] content(final long sequence)
    {
        return ("record " + sequence + " ".repeat((int)(500 + sequence % 700)) + ".").getBytes(StandardCharsets.UTF_8);
    }

    /** Asserts that a journal opens for writing and holds these records and no others. */
    static void assertHolds(final Path path, final long first, final long last)
    {
        try (Journal journal = Journal.open(path); JournalReader reader = journal.openReader())
        {
            assertEquals(first, journal.firstSequence());
            assertEquals(last, journal.lastSequence());
            final long[] next = { first };
            while (0 != reader.poll((buffer, offset, length, header) ->
            {
                assertEquals(next[0]++, header.sequence());
                final byte[] bytes = new byte[length];
                buffer.getBytes(offset, bytes);
                assertEquals(
                    new String(content(header.sequence()), StandardCharsets.UTF_8),
                    new String(bytes, StandardCharsets.UTF_8));
            }, 100))
            {
                Thread.onSpinWait();
            }
            assertEquals(last + 1, next[0]);
        }
    }

    static Path segment(final Path journal, final long ordinal)
    {
        return journal.resolve(String.format("%020d.journal", ordinal));
    }

    static void flip(final Path file, final long offset) throws IOException
    {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
        {
            access.seek(offset);
            final int value = access.read();
            access.seek(offset);
            access.write(value ^ 0x10);
        }
    }

    /** Returns a folded text as one line. */
    static String unfolded(final String text)
    {
        return text.replaceAll("\\s+", " ");
    }

    /** Returns all files below a directory with their bytes, except the file that names the last writer. */
    static Map<String, String> picture(final Path directory) throws IOException
    {
        final Map<String, String> picture = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : (Iterable<Path>)files::iterator)
            {
                if (!"journal.lock".equals(String.valueOf(file.getFileName())))
                {
                    picture.put(
                        directory.relativize(file).toString(), Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ?
                            new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1) : "no file");
                }
            }
        }

        return picture;
    }
}
