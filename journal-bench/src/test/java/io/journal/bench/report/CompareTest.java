package io.journal.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.bench.Bench;
import io.journal.bench.run.Profile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CompareTest
{
    @TempDir
    private Path directory;

    private final StringWriter text = new StringWriter();
    private Path before;
    private Path after;

    @BeforeEach
    void setUp() throws IOException
    {
        before = Files.createDirectory(directory.resolve("before")).resolve("raw.jsonl");
        after = Files.createDirectory(directory.resolve("after")).resolve("raw.jsonl");
    }

    @Test
    void disjointIntervalsDifferAndOverlappingOnesDoNot() throws IOException
    {
        write();

        run(CommandLine.ExitCode.OK, before, after);

        assertTrue(
            text.toString().matches("(?s).*way=A.*2\\.000 \\[1\\.667\\.\\.2\\.400\\] +differs\n.*"), text.toString());
        assertTrue(text.toString().matches("(?s).*way=B.*no significant difference\n.*"), text.toString());
        assertTrue(text.toString().contains("not compared: way=C, only before"), text.toString());
        assertFalse(text.toString().contains("warning"), text.toString());
    }

    @Test
    void directoriesAreComparedRunByRun() throws IOException
    {
        write();
        try (ResultFiles written = new ResultFiles(before.resolveSibling("alone.jsonl"), "seek", Profile.FAIR))
        {
            written.add("way=A", "openUs", 1);
        }

        run(CommandLine.ExitCode.OK, before.getParent(), after.getParent(), "--json");

        final List<String> lines = new ArrayList<>(text.toString().lines().toList());
        // On standard error.
        assertEquals("warning: not compared, only before: seek, fair, alone", lines.remove(0));
        for (final String line : lines)
        {
            final JsonNode node = new ObjectMapper().readTree(line);
            assertEquals("e, fair", node.get("run").asText());
            if (node.path("case").asText().equals("way=A"))
            {
                assertEquals(2, node.get("ratio").asDouble());
                assertTrue(node.get("differs").asBoolean());
            }
        }
        assertEquals(3, lines.size(), text.toString());
    }

    @Test
    void warnsOfAnotherMachine() throws IOException
    {
        try (ResultFiles first = new ResultFiles(before, "e", Profile.FAIR);
            ResultFiles second = new ResultFiles(
                after, "e", Profile.FAIR, Map.of("CPU", "another", "JDK", "17"), 0.5))
        {
            first.add("way=A", Charts.WRITE, 1, 1);
            second.add("way=A", Charts.WRITE, 2, 2);
        }

        run(CommandLine.ExitCode.OK, before, after);

        assertTrue(
            text.toString().contains("warning: different CPU: c, 2 processors / another"), text.toString());
        assertTrue(text.toString().contains("warning: different scale: 1 / 0.500"), text.toString());
        assertTrue(text.toString().contains("warning: the run after is scaled"), text.toString());
        assertFalse(text.toString().contains("different JDK"), text.toString());
        assertTrue(text.toString().contains("differs, but too few rounds"), text.toString());
    }

    @Test
    void runsOfTheSameNameAreCompared() throws IOException
    {
        for (final String name : new String[]{ "a", "b" })
        {
            try (ResultFiles first = new ResultFiles(before.resolveSibling(name + ".jsonl"), "e", Profile.FAIR);
                ResultFiles second = new ResultFiles(after.resolveSibling(name + ".jsonl"), "e", Profile.FAIR))
            {
                first.add("way=" + name, Charts.WRITE, 1, 1);
                second.add("way=" + name, Charts.WRITE, 2, 2);
            }
        }

        run(CommandLine.ExitCode.OK, before.getParent(), after.getParent());

        assertTrue(text.toString().matches("(?s).*\ne, fair, a\nway=a\n.*\ne, fair, b\nway=b\n.*"), text.toString());
        assertFalse(text.toString().contains("warning"), text.toString());

        // Also where there is but one before.
        text.getBuffer().setLength(0);
        run(CommandLine.ExitCode.OK, before.resolveSibling("b.jsonl"), after.getParent());

        assertTrue(text.toString().matches("(?s).*\ne, fair, b\nway=b\n.*"), text.toString());
        assertFalse(text.toString().contains("way=a"), text.toString());
        assertTrue(text.toString().contains("warning: not compared, only after: e, fair, a"), text.toString());
    }

    @Test
    void warnsOfOtherDifferencesOfTheRuns() throws IOException
    {
        try (ResultFiles first = new ResultFiles(
            before, "e", Profile.FAIR, Map.of("commit", "a1", "disk", "vda", "JVM flags", "none"), 0.5);
            ResultFiles second =
                new ResultFiles(after, "e", Profile.FAIR, Map.of("commit", "b2", "JVM flags", "-Xint"), 0.5))
        {
            first.add("way=A", Charts.WRITE, 1, 1);
            second.add("way=A", Charts.WRITE, 2, 2);
        }

        run(CommandLine.ExitCode.OK, before, after);

        assertTrue(text.toString().contains("warning: different commit: a1 / b2"), text.toString());
        assertTrue(text.toString().contains("warning: different disk: vda / unknown"), text.toString());
        assertTrue(text.toString().contains("warning: different JVM flags: none / -Xint"), text.toString());
        assertTrue(text.toString().contains("warning: both runs are scaled, for a quick look only"), text.toString());
    }

    @Test
    void dateIsNotADifference() throws IOException
    {
        try (ResultFiles first = new ResultFiles(before, "e", Profile.FAIR);
            ResultFiles second = new ResultFiles(after, "e", Profile.FAIR))
        {
            for (int round = 1; round <= 3; round++)
            {
                first.add(round, "A", Map.of("way", "A"), Map.of("startMs", "1", "endMs", "2", "openUs", "3"));
                second.add(round, "A", Map.of("way", "A"), Map.of("startMs", "3", "endMs", "4", "openUs", "3"));
            }
        }

        run(CommandLine.ExitCode.OK, before, after);

        assertTrue(text.toString().contains("openUs"), text.toString());
        assertFalse(text.toString().contains("differs"), text.toString());
    }

    @Test
    void differentExperimentsAreRejected() throws IOException
    {
        try (ResultFiles first = new ResultFiles(before, "e", Profile.FAIR);
            ResultFiles second = new ResultFiles(after, "e", Profile.COLD))
        {
            first.add("way=A", Charts.WRITE, 1);
            second.add("way=A", Charts.WRITE, 1);
        }

        run(CommandLine.ExitCode.USAGE, before, after);

        assertTrue(text.toString().contains("nothing to compare"), text.toString());
    }

    @Test
    void missingFileIsRejected()
    {
        run(CommandLine.ExitCode.USAGE, directory.resolve("nowhere"), after);

        assertTrue(text.toString().contains("no such file: "), text.toString());
    }

    private void write() throws IOException
    {
        try (ResultFiles first = new ResultFiles(before, "e", Profile.FAIR);
            ResultFiles second = new ResultFiles(after, "e", Profile.FAIR))
        {
            first.add("way=A", Charts.WRITE, 10, 11, 12).add("way=B", Charts.WRITE, 1, 2, 3)
                .add("way=C", Charts.WRITE, 1, 2, 3);
            second.add("way=A", Charts.WRITE, 20, 22, 24).add("way=B", Charts.WRITE, 2, 3, 4);
        }
    }

    private void run(final int expected, final Object... args)
    {
        final PrintWriter writer = new PrintWriter(text, true);
        final String[] all = new String[args.length + 1];
        all[0] = "compare";
        for (int i = 0; i < args.length; i++)
        {
            all[i + 1] = args[i].toString();
        }

        assertEquals(expected, Bench.commandLine().setOut(writer).setErr(writer).execute(all), text.toString());
    }
}
