package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SessionTest
{
    @TempDir
    private Path directory;

    private final RunOptions options = new RunOptions();
    private final CommandSpec spec = CommandSpec.create().name("measuring");

    @BeforeEach
    void setUp()
    {
        new CommandLine(spec);
        options.directory = directory;
        options.rounds = 2;
        options.scale = 1;
        options.isQuiet = true;
    }

    @Test
    void everySubjectIsMeasuredInEveryRoundInADirectoryOfItsOwn() throws Exception
    {
        try (Session session = Session.open(spec, options, 0))
        {
            final Results results = session.measure(List.of(subject("a", "1"), subject("b", "2")));

            assertEquals(2, results.roundCount());
            assertEquals(List.of("1", "1"), results.texts("a", "argument"));
            assertEquals(List.of("0", "0"), results.texts("b", "files"));
        }

        assertIsEmpty();
    }

    @Test
    void roundsAreCountedOnFromThoseBefore() throws Exception
    {
        options.output = directory.resolve("results.jsonl");
        spec.commandLine().setOut(new PrintWriter(Writer.nullWriter())).parseArgs();
        try (Session session = Session.open(spec, options, 0))
        {
            session.begin(Profile.FAIR, "none", 1);
            session.measure(List.of(subject("a", "1")), 1);

            assertEquals(2, session.measure(List.of(subject("a", "2")), 2).roundCount());
        }

        final List<String> lines = Files.readAllLines(options.output);
        assertEquals(4, lines.size());
        assertTrue(lines.get(3).contains("\"round\":3"), lines.get(3));
    }

    @Test
    void aSubjectThatFailsEndsAllAndTellsWhatItPrinted() throws IOException
    {
        try (Session session = Session.open(spec, options, 0))
        {
            final IllegalStateException ex = assertThrows(
                IllegalStateException.class, () -> session.measure(List.of(subject("a", "fail"))));

            assertTrue(ex.getMessage().contains("failed as told"), ex.getMessage());
        }

        assertIsEmpty();
    }

    @Test
    void moreThanThereIsSpaceForIsRefusedWithTheNumbers() throws IOException
    {
        final ParameterException ex =
            assertThrows(ParameterException.class, () -> Session.open(spec, options, Long.MAX_VALUE));

        assertTrue(ex.getMessage().contains("needed=9,223,372,036,854 MB, free="), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void aResultFileThatCannotBeWrittenIsRefused() throws IOException
    {
        options.output = directory.resolve("not/there");

        final ParameterException ex = assertThrows(ParameterException.class, () -> Session.open(spec, options, 0));

        assertTrue(ex.getMessage().contains("--output cannot be written"), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void aRunThatDoesNotBeginLeavesAnEarlierResultAsItIs() throws IOException
    {
        options.output = Files.writeString(directory.resolve("earlier.jsonl"), "earlier");
        assertThrows(ParameterException.class, () -> Session.open(spec, options, Long.MAX_VALUE));
        Session.open(spec, options, 0).close();
        assertEquals("earlier", Files.readString(options.output));

        options.output = directory.resolve("none.jsonl");
        Session.open(spec, options, 0).close();
        assertFalse(Files.exists(options.output));
    }

    @Test
    void anotherCommandsResultsOfAReportAreKeptAndItsOwnAreReplaced() throws IOException
    {
        options.scale = 0.01;
        options.report = directory.resolve("report");
        spec.addOption(OptionSpec.builder("--of").type(String.class).build());
        spec.commandLine().setOut(new PrintWriter(Writer.nullWriter()));
        for (final String of : List.of("one", "two", "one", "three", "two"))
        {
            spec.commandLine().parseArgs("--of=" + of);
            try (Session session = Session.open(spec, options, 0))
            {
                session.begin(Profile.FAIR, "none", 1);
            }
        }

        try (Stream<Path> files = Files.list(options.report))
        {
            assertEquals(
                Set.of("measuring-fair.jsonl", "measuring-fair.csv", "measuring-fair-2.jsonl", "measuring-fair-2.csv",
                    "measuring-fair-3.jsonl", "measuring-fair-3.csv"),
                files.map((file) -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
        assertEquals("--of=two", RawFile.commandOf(options.report.resolve("measuring-fair-2.jsonl")));
    }

    @Test
    void flagsOfMeasuredProcessesAreAmongTheFacts() throws IOException
    {
        options.output = directory.resolve("raw.jsonl");
        spec.commandLine().setOut(new PrintWriter(Writer.nullWriter())).parseArgs();
        try (Session session = Session.open(spec, options, 0))
        {
            session.measuresFlags(List.of("-Xint", "-Xmx1g -server"));
            session.begin(Profile.FAIR, "none", 1);
        }

        final String facts = Files.readString(options.output);
        assertTrue(facts.contains("of measured children none, and -Xint, and -Xmx1g -server\""), facts);
    }

    @Test
    void aProcessThatIsEndingOpensNoneAndLeavesNothing() throws Exception
    {
        final Process ending = new ProcessBuilder(
            Subject.inOrder("ending", Child.javaCommand(Ending.class)).command(directory))
            .redirectErrorStream(true).start();

        final String printed = new String(ending.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, ending.waitFor(), printed);
        assertTrue(printed.contains("java.lang.IllegalStateException: Shutdown in progress"), printed);
        assertIsEmpty();
    }

    @Test
    void ratesAboveTheDevicesAreMarkedAndWarnedOf() throws IOException
    {
        options.output = directory.resolve("raw.jsonl");
        options.scale = 0.01;
        final StringWriter out = new StringWriter();
        spec.commandLine().setOut(new PrintWriter(out));
        spec.commandLine().parseArgs();

        try (Session session = Session.open(spec, options, 0))
        {
            session.begin(Profile.FAIR, "none", 1);
            session.add(1, "a", Map.of(), Map.of("writeBytesPerSecond", "1e15"));
            session.add(1, "b", Map.of(), Map.of("writeBytesPerSecond", "1"));
        }

        final List<String> raw = Files.readAllLines(options.output);
        assertTrue(raw.get(0).contains("\"device\":\"writes and forces "), raw.get(0));
        assertTrue(raw.get(1).contains("\"aboveDevice\":\"writeBytesPerSecond\""), raw.get(1));
        assertFalse(raw.get(2).contains("aboveDevice"), raw.get(2));
        assertTrue(out.toString().contains("writeBytesPerSecond was above the device's own rate 1 times"));
    }

    @Test
    void ratesAboveTheDevicesAreOnlyMarkedWhereNoWarningIsWanted() throws IOException
    {
        options.output = directory.resolve("raw.jsonl");
        options.scale = 0.01;
        final StringWriter out = new StringWriter();
        spec.commandLine().setOut(new PrintWriter(out));
        spec.commandLine().parseArgs();

        try (Session session = Session.open(spec, options, 0))
        {
            session.printNoDeviceWarnings();
            session.begin(Profile.FAIR, "none", 1);
            session.add(1, "a", Map.of(), Map.of("writeBytesPerSecond", "1e15"));
        }

        assertTrue(Files.readAllLines(options.output).get(1).contains("\"aboveDevice\":\"writeBytesPerSecond\""));
        assertFalse(out.toString().contains("above the device"), out.toString());
    }

    @Test
    void roundsAreOneOrMore()
    {
        options.rounds = 0;

        assertThrows(ParameterException.class, () -> Session.open(spec, options, 0));
    }

    /** Opens a session too late. */
    static final class Ending
    {
        private Ending()
        {
        }

        public static void main(final String[] args)
        {
            final RunOptions options = new RunOptions();
            options.directory = Path.of(args[0]);
            options.rounds = 1;
            options.scale = 1;
            final CommandSpec spec = CommandSpec.create();
            new CommandLine(spec);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Session.open(spec, options, 0)));
        }
    }

    /** A subject. */
    static final class Told
    {
        private Told()
        {
        }

        public static void main(final String[] args) throws IOException
        {
            if ("fail".equals(args[1]))
            {
                throw new IllegalStateException("failed as told");
            }
            try (Stream<Path> files = Files.list(Path.of(args[0])))
            {
                System.out.println("files=" + files.count());
            }
            Files.createFile(Path.of(args[0]).resolve("left behind"));
            System.out.println("argument=" + args[1]);
        }
    }

    private static Subject subject(final String label, final String argument)
    {
        return Subject.inOrder(label, Child.javaCommand(Told.class), argument);
    }

    private void assertIsEmpty() throws IOException
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            assertEquals(0, entries.count());
        }
    }
}
