// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.bench.run.Profile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ResultFileTest
{
    private static final String HEADER =
        "{\"version\":2,\"experiment\":\"sequential\",\"profile\":\"cold\",\"scale\":1," +
            "\"command\":\"sequential --profile=cold\",\"plan\":\"p\",\"machine\":{\"CPU\":\"c\"}}\n";

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void setUp()
    {
        file = directory.resolve("raw.jsonl");
    }

    @Test
    void resultsOfMeasuringCommandsAreRead() throws IOException
    {
        try (ResultFiles written = new ResultFiles(file, "sequential", Profile.DURABLE))
        {
            written.add("way=STREAM pageLength=8192", "writeBytesPerSecond", 2, 1, 4);
            written.add("way=STREAM pageLength=512", "writeBytesPerSecond", 7);
        }

        final ResultFile read = ResultFile.read(file);

        assertEquals("sequential", read.experiment());
        assertEquals("durable", read.profile());
        assertEquals("raw", read.name());
        assertEquals("as planned", read.header().plan());
        assertEquals("c, 2 processors", read.fact("CPU"));
        assertEquals(1, read.roundCount());
        // In the order of the numbers, not of the letters.
        assertEquals("512", read.cases().get(0).parameters().get("pageLength"));
        assertEquals("2.00 [1.00..4.00]", read.cases().get(1).spread("writeBytesPerSecond").toString());
    }

    @Tag("slow")
    @Test
    void fileTruncatedAtAnyByteIsRejectedUnlessAtALineEnd() throws IOException
    {
        final String line = "{\"round\":1,\"case\":\"a\",\"parameters\":{},\"values\":{\"x\":1}}\n";
        final String all = HEADER + line;

        for (int length = 0; length < all.length(); length++)
        {
            Files.writeString(file, all.substring(0, length));
            // Without the line's end alone nothing is missing.
            if (length >= HEADER.length() - 1 && length <= HEADER.length() || all.length() - 1 == length)
            {
                ResultFile.read(file);
            }
            else
            {
                assertRefused(length < HEADER.length() ? 1 : 2, "");
            }
        }
    }

    @Test
    void invalidResultFileIsRejectedWithTheLine() throws IOException
    {
        assertRefused("", 1, "empty");
        assertRefused("[]\n", 1, "damaged");
        assertRefused("hello\n", 1, "damaged");
        assertRefused(HEADER.replace(":2,", ":3,"), 1, "unknown version: 3");
        assertRefused(HEADER.replace(":2,", ":\"2\","), 1, "no result");
        assertRefused("{\"version\":2,\"experiment\":\"e\",\"command\":\"e\",\"plan\":\"\",\"machine\":{}}\n", 1,
            "'profile'");
        assertRefused(HEADER + "{\"round\":1,\"values\":{}}\n", 2, "'case'");
        assertRefused(HEADER + "{\"round\":1,\"case\":\"a\",\"values\":{}}\n", 2,
            "'parameters'");
        assertRefused(HEADER + "{\"round\":1,\"case\":\"a\",\"parameters\":{},\"values\":{}}{}\n", 2, "damaged");
        assertRefused(HEADER + "\n", 2, "damaged");
        final String line = "{\"round\":1,\"case\":\"a\",\"parameters\":{},\"values\":{}}\n";
        assertRefused(HEADER + line + line, 3, "duplicate case and round");
    }

    @Test
    void bytesThatAreNotTextAreRejected() throws IOException
    {
        Files.write(file, new byte[]{ '{', (byte)0xFF, (byte)0xFE, '}' });

        assertRefused(1, "not text");
    }

    private void assertRefused(final String text, final int line, final String expected) throws IOException
    {
        Files.writeString(file, text);
        assertRefused(line, expected);
    }

    private void assertRefused(final int line, final String expected)
    {
        final IllegalArgumentException ex =
            assertThrows(IllegalArgumentException.class, () -> ResultFile.read(file));

        assertTrue(ex.getMessage().startsWith(file + ", line " + line + ": "), ex.getMessage());
        assertTrue(ex.getMessage().contains(expected), ex.getMessage());
    }
}
