// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Each package uses only the packages below it. The domain uses only the JDK and collections. */
class ArchitectureTest
{
    private static final Path SOURCES = Path.of(System.getProperty("basedir", "")).toAbsolutePath()
        .resolve("src/main/java/io/journal/examples/bank");

    /** Names that the imports of a package must not contain. */
    private static final Map<String, List<String>> FORBIDDEN = Map.of(
        "domain", List.of(
            "import io.journal.Journal", "io.journal.store", "bank.journal", "bank.codec", "bank.command", "bank.read",
            "bank.web", "bank.run", "bank.cluster", "java.io.", "java.nio.", "java.net.", "java.util.concurrent",
            "javalin", "jackson"),
        "codec", List.of(
            "bank.journal", "bank.command", "bank.read", "bank.web", "bank.run", "bank.cluster", "java.nio.file",
            "java.net.", "jackson"),
        "journal", List.of(
            "bank.domain", "bank.codec", "bank.command", "bank.read", "bank.web", "bank.run", "bank.cluster",
            "jackson"),
        "command", List.of(
            "bank.read", "bank.web", "bank.run", "bank.cluster", "java.nio.file", "java.net.", "javalin", "jackson"),
        "read", List.of("bank.command", "bank.web", "bank.run", "bank.cluster", "java.net.", "javalin"),
        "cluster", List.of("bank.read", "bank.web", "bank.run", "bank.codec", "bank.domain"),
        "web", List.of("bank.run", "bank.cluster", "java.nio.file"));

    @Test
    void packagesKnowOnlyThoseBelow() throws IOException
    {
        final Map<String, List<String>> found = new TreeMap<>();
        for (final Map.Entry<String, List<String>> rule : FORBIDDEN.entrySet())
        {
            for (final Path file : sources(rule.getKey()))
            {
                final List<String> lines = Files.readAllLines(file).stream()
                    .filter((line) -> line.startsWith("import "))
                    .filter((line) -> rule.getValue().stream().anyMatch(line::contains)).toList();
                if (!lines.isEmpty())
                {
                    found.put(file.getFileName().toString(), lines);
                }
            }
        }

        assertEquals(Map.of(), found);
    }

    private static List<Path> sources(final String name) throws IOException
    {
        try (Stream<Path> files = Files.list(SOURCES.resolve(name)))
        {
            final List<Path> sources = files.filter((file) -> file.toString().endsWith(".java")).toList();
            assertFalse(sources.isEmpty(), name);
            return sources;
        }
    }
}
