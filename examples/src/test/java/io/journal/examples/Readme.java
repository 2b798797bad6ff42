// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Commands and output that the documents of the project show. */
final class Readme
{
    static final Path PROJECT = Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();

    private static final List<String> WITH_COMMANDS =
        List.of("README.md", "examples/README.md", "docs/operations.md", "CONTRIBUTING.md");
    private static final Pattern COMMAND = Pattern.compile("`(mvn [^`]*)`");

    private Readme()
    {
    }

    static List<String> lines()
    {
        return lines("README.md");
    }

    static List<String> lines(final String document)
    {
        try
        {
            return Files.readAllLines(PROJECT.resolve(document));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Returns the Maven commands in the text of the documents, the README first. Commands in console blocks are left
     * out.
     */
    static List<String> commands()
    {
        return WITH_COMMANDS.stream()
            .flatMap((document) -> COMMAND.matcher(String.join("\n", lines(document))).results())
            .map((MatchResult match) -> match.group(1)).distinct().toList();
    }

    /** Returns the first console block of the README: a command after the prompt, then its output. */
    static List<String> console()
    {
        return between(lines(), "```console", "```");
    }

    /**
     * Returns the lines between the first line equal to {@code start} and the next line equal to {@code end}, ignoring
     * indentation.
     */
    static List<String> between(final List<String> lines, final String start, final String end)
    {
        final List<String> stripped = lines.stream().map(String::strip).toList();
        final int from = stripped.indexOf(start) + 1;
        assertTrue(from > 0, start);
        final int length = stripped.subList(from, lines.size()).indexOf(end);
        assertTrue(length >= 0, end);
        return lines.subList(from, from + length);
    }
}
