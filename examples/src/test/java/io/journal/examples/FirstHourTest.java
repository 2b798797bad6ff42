// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Runs the commands of the documents as printed, in a fresh copy of the sources, on a terminal of 80 columns. Does not
 * run {@code mvn verify}, which runs this test itself.
 */
@Tag("soak")
class FirstHourTest
{
    private static final int COLUMNS = 80;
    private static final int MINUTES = 20;
    private static final Set<String> LEFT_OUT = Set.of("target", ".git");

    @TempDir
    private Path temp;

    private Path copy;

    @BeforeEach
    void copySources() throws IOException
    {
        assumeTrue(
            Files.isExecutable(Path.of("/usr/bin/script")) && Files.isExecutable(Path.of("/usr/bin/stty")),
            "needs script and stty");
        copy = temp.resolve("journal");
        Files.walkFileTree(Readme.PROJECT, new SimpleFileVisitor<>()
        {
            @Override
            public FileVisitResult preVisitDirectory(final Path directory, final BasicFileAttributes attributes)
                throws IOException
            {
                if (LEFT_OUT.contains(directory.getFileName().toString()))
                {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(copyOf(directory));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException
            {
                Files.copy(file, copyOf(file));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Test
    void firstCommandPrintsWhatTheReadmeShows() throws IOException, InterruptedException
    {
        final List<String> console = Readme.console();

        final List<String> first = run(console.get(0).substring("$ ".length()));
        final List<String> second = run(console.get(0).substring("$ ".length()));

        assertEquals(console.subList(1, console.size()), first);
        assertEquals(List.of("1: 3 apples", "2: 3 apples", first.get(1)), second);
    }

    @Test
    void secondRunOfTheRedoLogContinuesTheFirst() throws IOException, InterruptedException
    {
        final String command = command("-Dexample=RedoLog");

        assertEquals(List.of("Starts so far, in target/redo-log: 1"), run(command));
        assertEquals(List.of("Starts so far, in target/redo-log: 2"), run(command));
    }

    @Test
    void oneCommandBuildsTheTools() throws IOException, InterruptedException
    {
        run(command("-Pquick -pl journal-tools"));

        final List<String> commands = run("java -jar journal-tools/target/journal.jar --help");

        assertTrue(commands.stream().anyMatch((line) -> line.strip().startsWith("verify ")), commands::toString);
    }

    @Test
    void recommendationFitsTheTerminal() throws IOException, InterruptedException
    {
        final List<String> printed = run(command("-Precommend"));

        assertTrue(printed.stream().anyMatch((line) -> line.startsWith("Recommended, ")), printed::toString);
        assertTrue(Files.exists(copy.resolve("journal-bench/target/recommend.properties")));
    }

    private static String command(final String option)
    {
        return Readme.commands().stream().filter((each) -> each.contains(option)).findFirst().orElseThrow();
    }

    /** Runs a command; returns the lines that remain on the terminal, after checking that each fits its width. */
    private List<String> run(final String command) throws IOException, InterruptedException
    {
        final Path output = temp.resolve("output");
        final Process process = new ProcessBuilder(
            "script", "-qec", "stty cols " + COLUMNS + "; unset JAVA_TOOL_OPTIONS; " + command, "/dev/null")
            .directory(copy.toFile()).redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile()).start();
        if (!process.waitFor(MINUTES, TimeUnit.MINUTES))
        {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        final String text = Files.readString(output, StandardCharsets.UTF_8).replaceAll("\u001B\\[[0-9;]*[A-Za-z]", "");
        assertEquals(0, process.exitValue(), text);

        final List<String> lines = new ArrayList<>();
        for (final String line : text.replace("\r\n", "\n").split("\n"))
        {
            // A progress bar redraws itself from the margin, so check each part after a carriage return.
            for (final String part : line.split("\r"))
            {
                assertTrue(part.length() <= COLUMNS || 1 == part.strip().split("\\s+").length, part);
            }
            final String last = line.substring(line.lastIndexOf('\r') + 1);
            if (!last.isBlank())
            {
                lines.add(last);
            }
        }
        return lines;
    }

    private Path copyOf(final Path path)
    {
        return copy.resolve(Readme.PROJECT.relativize(path).toString());
    }
}
