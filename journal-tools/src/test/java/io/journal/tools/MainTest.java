// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.Journal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class MainTest extends ToolsFixture
{
    static Stream<String> allCommands()
    {
        return Main.commandLine().getSubcommands().keySet().stream().filter((name) -> !"help".equals(name));
    }

    /** Returns the commands that take a journal. {@code seed} takes the directory of a member instead. */
    static Stream<String> commands()
    {
        return allCommands().filter((name) -> !"seed".equals(name));
    }

    /** Returns a command as a user types it, with the arguments it requires. */
    private Object[] typed(final String command, final Path journal)
    {
        return switch (command)
        {
            case "backup" -> new Object[]{ command, journal, temp.resolve("target") };
            case "salvage" -> new Object[]{ command, journal, temp.resolve("target") };
            case "stats" -> new Object[]{ command, "--every", 0.01, journal };
            case "prune" -> new Object[]{ command, "--before", 1, journal };
            default -> new Object[]{ command, journal };
        };
    }

    @Test
    void usageListsAllCommandsIfNoneIsGiven()
    {
        final Run run = run();

        run.assertExit(ExitCode.USAGE);
        allCommands().forEach((command) -> assertTrue(run.err().contains("  " + command + " "), command));
    }

    @ParameterizedTest
    @MethodSource("allCommands")
    void helpListsTheExitCodes(final String command)
    {
        final Run run = run(command, "--help");

        run.assertExit(ExitCode.OK);
        assertTrue(run.out().contains("Usage: journal " + command), run.out());
        assertTrue(run.out().contains("Exit codes:"), run.out());
        assertEquals(run.out(), run("help", command).out());
    }

    @ParameterizedTest
    @MethodSource("allCommands")
    void helpFitsATerminal(final String command)
    {
        Main.commandLine().setUsageHelpAutoWidth(false).getSubcommands().get(command).getUsageMessage().lines()
            .forEach((line) -> assertTrue(line.length() <= 80, line));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandPrintsOneJsonObjectPerLine(final String command) throws IOException
    {
        final List<Object> args = new ArrayList<>(List.of(typed(command, journal(120))));
        args.add("--json");

        final Run run = run(args.toArray());

        run.assertExit(ExitCode.OK);
        assertEquals("", run.err());
        assertEquals("dump".equals(command) ? 120 : "tail".equals(command) ? 10 : 1, run.out().lines().count());
        for (final JsonNode line : run.jsonLines())
        {
            assertTrue(line.isObject(), line::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void pathWithoutAJournalIsReported(final String command) throws IOException
    {
        final Path empty = Files.createDirectory(temp.resolve("empty"));
        final Path file = Files.writeString(temp.resolve("file"), "text");
        final Path other = Files.createDirectory(temp.resolve("other"));
        // The journal of systemd has files with such names.
        Files.writeString(other.resolve("system.journal"), "of another program");

        for (final Path path : List.of(temp.resolve("absent"), empty, other, file))
        {
            final Run run = run(typed(command, path));
            run.assertExit(ExitCode.NO_JOURNAL);
            assertTrue(run.err().startsWith("journal: "), run.err());
            assertTrue(run.err().contains(path.toString()), run.err());
        }
        assertEquals("[]", Arrays.toString(empty.toFile().list()));
        assertFalse(Files.exists(temp.resolve("target")));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void journalOfANewerFormatIsRejected(final String command) throws IOException
    {
        final Path journal = journal(3);
        final byte[] control = Files.readAllBytes(journal.resolve("journal.control"));
        control[8] = 3;
        control[4095] ^= 1;
        Files.write(journal.resolve("journal.control"), control);

        final Run run = run(typed(command, journal));

        run.assertExit(ExitCode.NO_JOURNAL);
        assertTrue(run.err().contains("newer"), run.err());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void segmentsWithoutTheirControlFileAreDamageAndStay(final String command) throws IOException
    {
        final Path journal = journal(100);
        Files.delete(journal.resolve("journal.control"));
        final Map<String, String> before = picture(journal);

        final Run run = run(typed(command, journal));

        assertEquals(before, picture(journal));
        if ("salvage".equals(command))
        {
            // Salvage needs only the segments.
            run.assertExit(ExitCode.OK);
            assertHolds(temp.resolve("target"), 1, 100);
            return;
        }
        run.assertExit(ExitCode.DAMAGED);
        assertTrue((run.out() + run.err()).contains("journal.control"), run::toString);
        assertFalse(Files.exists(temp.resolve("target")));
    }

    @Test
    void seedNamesTheJarThatIsMissingOnTheClassPath()
    {
        final Run run = run("seed", temp.resolve("member"), temp.resolve("copy"), 2);

        run.assertExit(ExitCode.NO_JOURNAL);
        assertTrue(run.err().startsWith("journal: journal-replicated is not on the class path; run: "), run.err());
        assertTrue(run.err().strip().endsWith(" seed " + temp.resolve("member") + " " + temp.resolve("copy") + " 2"));
    }

    @Test
    void unknownCommandsAndOptionsAreRejectedWithAHint()
    {
        final Run command = run("verfy", temp);
        command.assertExit(ExitCode.USAGE);
        assertTrue(command.err().contains("verify"), command.err());

        final Run option = run("verify", "--jso", temp);
        option.assertExit(ExitCode.USAGE);
        assertTrue(option.err().contains("journal verify --help"), option.err());

        assertTrue(option.err().contains("--json"), option.err());

        run("verify").assertExit(ExitCode.USAGE);
    }

    @Test
    void malformedValuesAreRejectedWithAnExample()
    {
        final Path journal = journal(3);
        assertRejected("'abc' is not a long", "dump", journal, "--from", "abc");
        assertRejected("'x' is not a long", "dump", journal, "--tag", "7,x");
        assertRejected("'x' is not a long", "stats", journal, "--count", "x");
        assertRejected("'soon' is not a double", "stats", journal, "--every", "soon");
        assertRejected("'yesterday' is not a time, like 2026-01-31T12:00:00Z", "dump", journal, "--since", "yesterday");
        assertRejected("'2026-13-31' is not a time", "dump", journal, "--until", "2026-13-31");
    }

    @Test
    void timesNeedNoTimeOfDayAndAcceptAnOffset()
    {
        final Path journal = journal(3);
        for (final String time : List.of(
            "2020-01-31", "2020-01-31T12:00:00Z", "2020-01-31T12:00:00+01:00"))
        {
            final Run run = run("dump", journal, "--since", time);
            run.assertExit(ExitCode.OK);
            assertEquals(3, run.out().lines().count(), time);
        }
    }

    private static void assertRejected(final String expected, final Object... args)
    {
        final Run run = run(args);
        run.assertExit(ExitCode.USAGE);
        assertTrue(run.err().contains(expected), run.err());
        assertFalse(run.err().contains("java."), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = { "dump", "dump --json", "tail", "stats --every 0.01", "info", "verify" })
    void outputThatCannotBeWrittenIsAnError(final String command) throws IOException
    {
        final Run run = runOnFullDisk(command, journal(300));

        run.assertExit(ExitCode.FAILED);
        assertTrue(run.err().startsWith("journal: the output is incomplete; cause=java.io.IOException"), run.err());
    }

    @Test
    void damageDecidesTheExitCodeIfTheOutputCannotBeWritten() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);

        final Run run = runOnFullDisk("verify", journal);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(run.err().startsWith("journal: the output is incomplete; cause="), run.err());
    }

    private static Run runOnFullDisk(final String command, final Path journal) throws IOException
    {
        final Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "needs /dev/full");
        final StringWriter err = new StringWriter();
        try (FileOutputStream stream = new FileOutputStream(full.toFile()))
        {
            final int exitCode = Main.run(
                new Output(stream), new PrintWriter(err), (command + " " + journal).split(" "));
            return new Run(exitCode, "", err.toString());
        }
    }

    @Test
    void errorsOfTheJvmAreNotTakenForDamage()
    {
        final Run memory = runThrowing(new OutOfMemoryError("Java heap space"));
        memory.assertExit(ExitCode.FAILED);
        assertTrue(memory.err().startsWith("journal: out of memory: "), memory.err());

        final Run bug = runThrowing(new AssertionError("wrong", new IOException("the cause")));
        assertEquals(ExitCode.DEFECT, bug.exitCode());
        assertTrue(bug.err().startsWith("journal: a bug in this program, please report it: "), bug.err());
        assertTrue(bug.err().contains("Caused by: java.io.IOException: the cause"), bug.err());
    }

    private static Run runThrowing(final Error error)
    {
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = Main.commandLine().addSubcommand(new Throwing(error))
            .setErr(new PrintWriter(err));
        return new Run(Main.execute(commandLine, "throw"), "", err.toString());
    }

    @Command(name = "throw")
    private static final class Throwing implements Runnable
    {
        private final Error error;

        Throwing(final Error error)
        {
            this.error = error;
        }

        @Override
        public void run()
        {
            throw error;
        }
    }

    @Test
    void commandsCountSegmentsAlike() throws IOException
    {
        final Path journal = journal(300);
        final long segments = run("info", journal, "--json").json().get("segments").asLong();
        try (Stream<Path> files = Files.list(journal))
        {
            assertEquals(files.filter((file) -> file.toString().endsWith(".journal")).count(),
                segments + run("info", journal, "--json").json().get("preparedSegments").asLong());
        }
        assertEquals(segments, run("verify", journal, "--json").json().get("segments").asLong());
    }

    @Test
    void freshBackupIsNotTakenForACrashedJournal()
    {
        final Path journal = journal(300);
        final Path copy = temp.resolve("copy");
        run("backup", journal, copy).assertExit(ExitCode.OK);

        final Run run = run("info", copy);
        run.assertExit(ExitCode.OK);
        assertTrue(run.out().contains("complete, but not closed: a backup, in use"), run.out());

        Journal.open(copy).close();
        assertTrue(run("info", copy).out().contains("state        closed"));
    }

    @Test
    void infoShowsWhetherAJournalWasClosed() throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 100);
            final JsonNode used = run("info", "--json", journal).json();
            assertFalse(used.get("isClosed").asBoolean());
            assertTrue(used.get("isOwnerRunning").asBoolean());
            assertTrue(
                unfolded(run("info", journal).out()).contains("state complete, but not closed: a backup, in use"));
            open.appender().append(new byte[100]);
            assertTrue(unfolded(run("info", journal).out()).contains("state not closed: in use"));
            open.truncateAfter(100);
        }

        final JsonNode closed = run("info", "--json", journal).json();
        final Run text = run("info", journal);

        text.assertExit(ExitCode.OK);
        assertTrue(text.out().contains("1 to 100"), text.out());
        assertEquals(1, closed.get("firstSequence").asLong());
        assertEquals(100, closed.get("lastSequence").asLong());
        assertTrue(closed.get("isClosed").asBoolean());
        assertEquals(closed.get("endPosition"), closed.get("forcedPosition"));
        assertEquals(SEGMENT_LENGTH, closed.get("segmentLength").asInt());

        try (Journal again = builder(journal).open())
        {
            assertTrue(again.recoveryReport().isCleanlyClosed());
            assertFalse(unfolded(run("info", journal).out()).contains("state closed"));
        }
    }

    @Tag("slow")
    @Test
    void hostileDirectoriesEndInAnAnswer() throws IOException
    {
        for (int seed = 1; seed <= 12; seed++)
        {
            final Random random = new Random(seed);
            final Path journal = temp.resolve("journal-" + seed);
            try (Journal open = builder(journal).open())
            {
                append(open, 150);
            }
            final List<Path> files;
            try (Stream<Path> list = Files.list(journal))
            {
                files = list.sorted().toList();
            }
            final Path victim = files.get(random.nextInt(files.size()));
            final String damage = spoil(random, victim);

            for (final String command : commands().toList())
            {
                final Run run = run(typed(command, journal));
                final String context = "seed=" + seed + ", command=" + command + ", " + damage + " " + victim + run;
                assertFalse(run.err().contains("\n    at "), context);
                assertTrue(run.exitCode() <= ExitCode.FAILED, context);
            }
        }
    }

    @Test
    void directoryThatCannotBeListedIsAnIoError()
    {
        assertEquals(
            ExitCode.FAILED, Main.exitCode(new DirectoryIteratorException(new IOException("Input/output error"))));
    }

    private static String spoil(final Random random, final Path victim) throws IOException
    {
        final byte[] bytes = Files.readAllBytes(victim);
        switch (random.nextInt(6))
        {
            case 0:
                Files.delete(victim);
                Files.createDirectory(victim);
                return "directory instead of";

            case 1:
                Files.delete(victim);
                Files.createSymbolicLink(victim, victim.resolveSibling("journal.lock"));
                return "link instead of";

            case 2:
                random.nextBytes(bytes);
                Files.write(victim, bytes);
                return "garbage in";

            case 3:
                Files.write(victim, new byte[0]);
                return "nothing in";

            case 4:
                Files.write(victim, Arrays.copyOf(bytes, bytes.length / 2));
                return "half of";

            default:
                Files.delete(victim);
                return "without";
        }
    }
}
