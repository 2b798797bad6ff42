package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
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
        try (Session session = Session.open(spec, options, 0))
        {
            session.measure(List.of(subject("a", "1")), 1);

            assertEquals(2, session.measure(List.of(subject("a", "2")), 2).roundCount());
        }

        final List<String> lines = Files.readAllLines(options.output);
        assertEquals(3, lines.size());
        assertTrue(lines.get(2).contains("\"round\":3"), lines.get(2));
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
    void roundsAreOneOrMore()
    {
        options.rounds = 0;

        assertThrows(ParameterException.class, () -> Session.open(spec, options, 0));
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
        return Subject.ofClass(label, Told.class, argument);
    }

    private void assertIsEmpty() throws IOException
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            assertEquals(0, entries.count());
        }
    }
}
