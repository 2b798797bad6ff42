// SPDX-License-Identifier: Apache-2.0
package io.journal.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.journal.bench.article.Articles;
import io.journal.bench.workload.Journals;
import io.journal.bench.workload.Peers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("slow")
class SignalTest
{
    private static final int TRIALS = 3;
    private static final int MAX_MS = 6000;
    private static final int MEASURING_MS = 1000;
    private static final int END_MINUTES = 10;
    // Its number.
    private static final int INTERRUPT = 2;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = { "INT", "TERM" })
    void interruptedCommandLeavesOnlyItsResults(final String signal) throws Exception
    {
        endWhileRunning(List.of("journal", "journal", "--record-lengths=64"), signal, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "articles readers-faithful", "articles streams-vs-channels-faithful --length=104857600" })
    void programAsPublishedCanBeInterrupted(final String command) throws Exception
    {
        endWhileRunning(List.of(command.split(" ")), "TERM", MEASURING_MS);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandCanBeInterruptedAtAnyTime(final String command) throws Exception
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        System.out.println(command + ": seed=" + seed);
        for (int i = 0; i < TRIALS; i++)
        {
            endWhileRunning(
                List.of(command.split(" ")), random.nextBoolean() ? "INT" : "TERM", random.nextInt(MAX_MS));
        }
    }

    static Stream<String> commands()
    {
        return Stream.of(
            Articles.table().stream().map((each) -> "articles " + each.name()),
            Journals.table().stream().map((each) -> "journal " + each.name()),
            Peers.table().stream().map((each) -> "peers " + each.name()), Stream.of("jmh", "recommend"))
            .flatMap((each) -> each);
    }

    /** Interrupts the command some time after it printed its first line. */
    private void endWhileRunning(final List<String> arguments, final String signal, final int afterMs)
        throws Exception
    {
        assumeTrue(File.separatorChar == '/', "there is no kill here");
        assumeTrue(!"INT".equals(signal) || !isInterruptIgnored(), "started in the background: SIGINT is ignored");
        final Path files = directory.resolve("files");
        final Path raw = directory.resolve("raw.jsonl");
        final List<String> command = new ArrayList<>(List.of(
            System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path"), Bench.class.getName()));
        command.addAll(arguments);
        command.addAll(List.of("--dir=" + files, "--output=" + raw, "--quiet"));
        final Process bench = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader lines = bench.inputReader(StandardCharsets.UTF_8))
        {
            assertTrue(null != lines.readLine(), "no output");
            // Not a wait for something: any moment will do.
            bench.waitFor(afterMs, TimeUnit.MILLISECONDS);
            assertEquals(
                0, new ProcessBuilder("kill", "-" + signal, Long.toString(bench.pid())).start().waitFor() *
                    (bench.isAlive() ? 1 : 0));
            assertTrue(bench.waitFor(END_MINUTES, TimeUnit.MINUTES), "still running");
            final List<String> printed = lines.lines().toList();
            // What fails because its files are deleted is no failure.
            assertTrue(printed.stream().noneMatch((line) -> line.startsWith("failed")), printed::toString);
        }
        finally
        {
            bench.destroyForcibly();
        }

        assertEquals("[]", Arrays.toString(files.toFile().list()), "leftover");
    }

    /** A shell without job control has what it starts in the background ignore SIGINT, and that is inherited. */
    private static boolean isInterruptIgnored() throws IOException
    {
        final Path status = Path.of("/proc/self/status");
        if (!Files.exists(status))
        {
            return false;
        }

        final String mask = Files.readAllLines(status).stream().filter((line) -> line.startsWith("SigIgn:"))
            .findFirst().map((line) -> line.substring("SigIgn:".length()).trim()).orElse("0");
        return 0 != (Long.parseUnsignedLong(mask, 16) & 1L << INTERRUPT - 1);
    }
}
