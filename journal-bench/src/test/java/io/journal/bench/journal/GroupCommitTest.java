package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.journal.bench.Bench;
import io.journal.bench.run.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class GroupCommitTest
{
    private static final String[] SHORT = {
        "group-commit", "--rounds=1", "--ms=20", "--warm-up-ms=20", "--segment-length=65536", "--quiet" };

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    @Test
    void threadsAreComparedWithALoopWithoutAJournal() throws IOException
    {
        final Path raw = directory.resolve("raw.jsonl");
        final Path files = directory.resolve("files");

        final int exitCode =
            execute("--dir=" + files, "--threads=2", "--backends=FILE_CHANNEL", "--output=" + raw);

        assertEquals(CommandLine.ExitCode.OK, exitCode, out.toString());
        final String text = out.toString();
        assertTrue(text.contains("FILE_CHANNEL, 2 threads"), text);
        assertTrue(text.contains("the same loop in Java"), text);
        assertTrue(text.contains("in the loops 280 B"), text);
        assertTrue(text.lines().anyMatch((line) -> line.contains("1.000 [1.000..1.000]")), text);
        final List<String> lines = Files.readAllLines(raw);
        assertTrue(lines.get(0).contains("\"file system\":"), lines.get(0));
        assertTrue(lines.stream().anyMatch((line) -> line.contains("\"case\":\"FILE_CHANNEL, 2 threads\"")));
        assertFalse(Files.exists(files));
    }

    private int execute(final String... args)
    {
        final PrintWriter writer = new PrintWriter(out);
        final String[] all = Stream.concat(Stream.of(SHORT), Stream.of(args)).toArray(String[]::new);
        return Commands.of(new Bench()).setOut(writer).setErr(writer).execute(all);
    }
}
