package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.bench.Bench;
import io.journal.bench.run.ColdRead;
import org.junit.jupiter.api.Assumptions;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * A command as it is typed, and what it prints.
 */
final class CommandRun
{
    private final Path directory;
    private final StringWriter out = new StringWriter();

    /**
     * @param directory below which the files go.
     */
    CommandRun(final Path directory)
    {
        this.directory = directory;
    }

    /**
     * Runs a command that has to succeed and to leave no file.
     *
     * @return its lines.
     */
    List<String> run(final String name, final String... args)
    {
        assertEquals(CommandLine.ExitCode.OK, execute(name, args), out.toString());
        assertFalse(Files.exists(directory.resolve("files")));
        return out.toString().lines().toList();
    }

    /**
     * @return what was printed so far.
     */
    String printed()
    {
        return out.toString();
    }

    /**
     * @return the exit code.
     */
    int execute(final String name, final String... args)
    {
        final List<String> all = new ArrayList<>(
            List.of(name, "--dir=" + directory.resolve("files"), "--rounds=1", "--quiet"));
        all.addAll(List.of(args));
        final PrintWriter writer = new PrintWriter(out, true);
        return Bench.commandLine().setOut(writer).setErr(writer).execute(all.toArray(String[]::new));
    }

    /**
     * Skips a test where the page cache cannot be dropped.
     */
    static void assumeColdIsPossible(final Path directory) throws IOException, InterruptedException
    {
        final Path file = Files.write(directory.resolve("dropped"), new byte[1]);
        try
        {
            ColdRead.drop(file);
        }
        catch (final IllegalStateException ex)
        {
            Assumptions.abort(ex.getMessage());
        }
    }
}
