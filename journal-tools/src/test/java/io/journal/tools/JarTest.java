// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.LongStream;

import io.journal.Journal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Runs {@code java -jar journal.jar} as a user does, in a process of its own, with the jar that was built. */
@Tag("slow")
class JarTest extends ToolsFixture
{
    private static final int WIDTH = 80;
    // Number of SIGINT.
    private static final int INTERRUPT = 2;

    private String jar;

    @BeforeEach
    void findJar()
    {
        jar = System.getProperty("journal.jar");
        assumeTrue(null != jar, "needs the jar: mvn verify makes it first, then runs this");
    }

    @Test
    void licencesAreInTheJar() throws IOException
    {
        try (JarFile file = new JarFile(jar))
        {
            assertTrue(text(file, "META-INF/LICENSE").contains("Apache License"));
            final String others = text(file, "META-INF/THIRD-PARTY.txt");
            List.of("Agrona", "Jackson", "picocli")
                .forEach((name) -> assertTrue(others.contains(name), name));
        }
    }

    private static String text(final JarFile file, final String name) throws IOException
    {
        try (InputStream input = file.getInputStream(file.getJarEntry(name)))
        {
            return new String(input.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private ProcessBuilder java(final Object... args)
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // These options only make the JVM start sooner.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar"));
        command.add(jar);
        for (final Object arg : args)
        {
            command.add(arg.toString());
        }
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("COLUMNS", String.valueOf(WIDTH));
        return builder.redirectError(errors(args[0]).toFile());
    }

    private Path errors(final Object command)
    {
        return temp.resolve("stderr-" + command);
    }

    private Run execute(final Object... args) throws Exception
    {
        return run(java(args).start(), args[0]);
    }

    private Run run(final Process process, final Object command) throws Exception
    {
        final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(exitCode(process), out, Files.readString(errors(command)));
    }

    private static int exitCode(final Process process) throws InterruptedException
    {
        try
        {
            assertTrue(process.waitFor(10, TimeUnit.MINUTES), "still running");
            return process.exitValue();
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    /** Asserts that a command succeeded, and that neither it nor the JVM printed a warning. */
    private static void assertQuiet(final Run run)
    {
        run.assertExit(ExitCode.OK);
        assertEquals("", run.err(), run::toString);
    }

    /** The commands that use the most of what the jar contains besides the tools; further ones are run below. */
    @ParameterizedTest
    @ValueSource(strings = { "backup", "salvage", "streams" })
    void commandPrintsOneJsonObject(final String command) throws Exception
    {
        final Object[] args = { command, journal(120), temp.resolve("copy"), "--json" };

        final Run run = execute("streams".equals(command) ? new Object[]{ command, args[1], args[3] } : args);

        assertQuiet(run);
        assertTrue(run.json().isObject(), run.out());
    }

    private static void assertFits(final String text)
    {
        text.lines().forEach((line) -> assertTrue(line.length() <= WIDTH, line));
    }

    @Test
    void helpAndVersionArePrinted() throws Exception
    {
        final Run help = execute("--help");
        assertQuiet(help);
        assertFits(help.out());

        final Run version = execute("--version");
        assertQuiet(version);
        assertTrue(version.out().startsWith("journal ") && !version.out().contains("not from"), version.out());
    }

    @Test
    void exitCodesDistinguishFailures() throws Exception
    {
        final Path journal = journal(300);
        try (Journal open = Journal.open(journal))
        {
            execute("prune", journal, "--before", 1).assertExit(ExitCode.LOCKED);
            assertEquals(300, open.lastSequence());
        }
        flip(segment(journal, 1), 20_000);

        final Run verify = execute("verify", journal);

        verify.assertExit(ExitCode.DAMAGED);
        assertEquals("", verify.err());
        assertFits(verify.out());
        assertQuiet(execute("repair", journal, "--apply", "--accept-loss"));
    }

    @Test
    void closedPipeEndsTheCommandWithoutAnError() throws Exception
    {
        final Path journal = journal(2000);
        final Process process = java("dump", journal).start();
        try (BufferedReader out = new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
        {
            assertTrue(out.readLine().startsWith("1  tag 10  record 1 "));
        }

        assertQuiet(new Run(exitCode(process), "", Files.readString(errors("dump"))));
    }

    @Test
    void outputOnAFullDiskIsAnError() throws Exception
    {
        final Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "needs /dev/full");

        final Run run = run(java("dump", journal(2000)).redirectOutput(full.toFile()).start(), "dump");

        run.assertExit(ExitCode.FAILED);
        assertTrue(run.err().startsWith("journal: the output is incomplete; cause="), run.err());
    }

    @Test
    void interruptEndsAFollowingTail() throws Exception
    {
        assumeTrue(Files.isExecutable(Path.of("/bin/kill")), "needs /bin/kill, to send a signal");
        assumeTrue(!isInterruptIgnored(), "started in the background: SIGINT is ignored");
        final Path journal = journal(5);
        final Process process = java("tail", "-f", "-n", 1, "--json", journal).start();
        final List<String> lines = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
        {
            lines.add(out.readLine());
            try (Journal open = Journal.open(journal))
            {
                append(open, 50);
            }
            lines.add(out.readLine());
            new ProcessBuilder("/bin/kill", "-INT", String.valueOf(process.pid())).start().waitFor();
            out.lines().forEach(lines::add);
        }

        final Run run = new Run(exitCode(process), String.join("\n", lines), Files.readString(errors("tail")));

        // The exit code is 128 plus the number of the signal, as usual. The output ends with a whole line.
        assertEquals(130, run.exitCode(), run::toString);
        assertEquals("", run.err(), run::toString);
        final List<Long> sequences = run.jsonLines().stream().map((line) -> line.get("sequence").asLong()).toList();
        assertFalse(sequences.isEmpty());
        assertEquals(LongStream.range(5, 5 + sequences.size()).boxed().toList(), sequences);
    }

    /** A process that a shell without job control starts in the background ignores SIGINT, and so do its children. */
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
