package io.journal.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReadmeTest
{
    private static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    private static final Path README = MODULE.resolveSibling("README.md");
    private static final Path SOURCE = MODULE.resolve("src/main/java/io/journal/examples/QuickStart.java");

    @Test
    void firstJavaOfTheReadmeIsTheQuickStartThatCompiles() throws IOException
    {
        final String expected = between(Files.readAllLines(SOURCE), "// snippet:start", "// snippet:end").stripIndent();

        final String shown = between(Files.readAllLines(README), "```java", "```");

        assertFalse(expected.isBlank());
        assertEquals(expected, shown, "copy the lines between the markers of QuickStart.java into README.md");
    }

    /**
     * The lines between the first that is the one text and the next that is the other, but for indentation.
     */
    private static String between(final List<String> lines, final String start, final String end)
    {
        final List<String> stripped = lines.stream().map(String::strip).toList();
        final int from = stripped.indexOf(start) + 1;
        assertTrue(from > 0, start);
        final int length = stripped.subList(from, lines.size()).indexOf(end);
        assertTrue(length >= 0, end);
        return String.join("\n", lines.subList(from, from + length));
    }
}
