package io.journal.peers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.bench.run.Child;
import io.journal.bench.run.TempDirectory;

/**
 * Runs cases, each in a JVM of its own with the flags of its peer, in empty directories that are deleted afterwards.
 */
final class CaseRunner
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int SIGKILLED = 137;
    private static final String PREFIX = "journal-peers-";

    private final Path directory;

    CaseRunner(final Path directory)
    {
        this.directory = directory;
    }

    /**
     * Values of a case, by their names.
     *
     * @throws IllegalStateException if its process failed.
     */
    Map<String, Double> run(final Case measured) throws IOException, InterruptedException
    {
        final Path memory = Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : directory;
        try (TempDirectory files = TempDirectory.below(directory, PREFIX);
            TempDirectory shared = TempDirectory.below(memory, PREFIX))
        {
            final List<String> command = command(measured);
            command
                .addAll(List.of(JSON.writeValueAsString(measured), files.path().toString(), shared.path().toString()));
            if (measured.workload().isOpening())
            {
                runToItsKill(command);
            }
            return measure(command);
        }
    }

    private static List<String> command(final Case measured)
    {
        final List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(measured.peer().flags());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Trial.class.getName()));
        return command;
    }

    private static void runToItsKill(final List<String> command) throws IOException, InterruptedException
    {
        final List<String> filling = new ArrayList<>(command);
        filling.add(OpenTrial.FILL);
        final Process process = new ProcessBuilder(filling).redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        final int exitCode = process.waitFor();
        if (SIGKILLED != exitCode)
        {
            throw new IllegalStateException("a case failed: exit code=" + exitCode);
        }
    }

    private static Map<String, Double> measure(final List<String> command) throws IOException, InterruptedException
    {
        final List<String> measuring = new ArrayList<>(command);
        measuring.add(OpenTrial.REOPEN);
        final List<String> results = new ArrayList<>();
        try (Child child = Child.start(measuring))
        {
            child.await((line) ->
            {
                if (line.startsWith(Trial.RESULT))
                {
                    results.add(line.substring(Trial.RESULT.length()));
                }
            });
        }
        if (results.isEmpty())
        {
            throw new IllegalStateException("a case ended without a result");
        }
        return JSON.readValue(results.get(0), new TypeReference<>()
        {
        });
    }
}
