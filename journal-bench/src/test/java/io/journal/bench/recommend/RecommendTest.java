// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.bench.Bench;
import io.journal.bench.run.Device;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.bench.subject.BackendConfig;
import io.journal.store.Backend;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
class RecommendTest
{
    private static final List<BackendConfig> CASES = List.of(
        new BackendConfig(Backend.MAPPED, 0), new BackendConfig(Backend.FILE_CHANNEL, 64 * 1024));
    private static final int SEGMENT_LENGTH = 64 * 1024;

    @TempDir
    private Path directory;

    private final Recommend recommend = new Recommend();
    private final StringWriter out = new StringWriter();

    @Test
    void measuresEveryCaseAndRecommendsOne() throws Exception
    {
        final Path results = directory.resolve("results.jsonl");
        final Path settings = directory.resolve("journal.properties");
        parse(
            "--dir", directory.resolve("made/for/it").toString(), "--quiet", "--output", results.toString(),
            "--settings", settings.toString());

        recommend.run(CASES, new Trial.Plan(100, SEGMENT_LENGTH, 400_000, 2000, 5, 1), 1);

        final String text = out.toString();
        assertTrue(text.contains("Too few rounds to compare"), text);
        text.lines().forEach((line) -> assertTrue(line.length() <= 80 || line.contains("/"), line));
        assertTrue(text.contains("Recommended"), text);
        assertTrue(text.contains("file system"), text);
        assertEquals(0, directory.resolve("made/for/it").toFile().list().length);
        assertVerdict(results, settings);
    }

    /** What is in the two files is the same, and opens a journal. */
    private void assertVerdict(final Path results, final Path settings) throws IOException
    {
        final List<String> lines = Files.readAllLines(results);
        final JsonNode verdict = new ObjectMapper().readTree(lines.get(lines.size() - 1));
        assertEquals("verdict", verdict.get("case").asText());
        final String backend = verdict.get("values").get("backend").asText();
        assertTrue(lines.stream().anyMatch((line) -> line.contains("\"case\":\"" + backend)), lines.toString());

        assertTrue(Files.readString(settings).startsWith("# Settings of a journal"), Files.readString(settings));
        final JournalBuilder builder = Journal.builder(directory.resolve("journal")).settings(settings);
        assertTrue(builder.toString().contains("backend=" + backend + ","), builder.toString());
        builder.segmentLength(SEGMENT_LENGTH).open().close();
    }

    @Test
    void failingTrialEndsTheRunAndLeavesNothing() throws Exception
    {
        parse("--dir", directory.toString(), "--quiet");
        final int tooLong = 2 * SEGMENT_LENGTH;

        final IllegalStateException ex = assertThrows(
            IllegalStateException.class,
            () -> recommend.run(CASES, new Trial.Plan(tooLong, SEGMENT_LENGTH, 400_000, 2000, 5, 1), 1));

        assertTrue(ex.getMessage().contains("record length out of range"), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void tooLittleSpaceIsRejectedBeforeMeasuring() throws Exception
    {
        parse("--dir", directory.toString(), "--quiet");
        final Trial.Plan plan = new Trial.Plan(100, SEGMENT_LENGTH, Long.MAX_VALUE / 64, 2000, 5, 1);

        final ParameterException ex = assertThrows(ParameterException.class, () -> recommend.run(CASES, plan, 1));

        assertTrue(ex.getMessage().contains("too little space"), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsRefused() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("file"), "content");

        assertEquals(CommandLine.ExitCode.USAGE, execute("--dir", file.toString()));

        assertTrue(out.toString().contains("--dir cannot be written"), out.toString());
    }

    @Test
    void unwritableSettingsFileIsRejectedBeforeMeasuring() throws IOException
    {
        assertEquals(
            CommandLine.ExitCode.USAGE,
            execute("--dir", directory.toString(), "--settings", directory.resolve("not/there").toString()));
        assertEquals(
            CommandLine.ExitCode.USAGE, execute("--dir", directory.toString(), "--settings", directory.toString()));

        assertTrue(out.toString().contains("--settings cannot be written"), out.toString());
        assertIsEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "--rounds=6", "--seconds=1", "--record-length=0", "--survive=fire", "--rate=0",
        "--backend=DIRECT" })
    void invalidOptionsAreRejected(final String option) throws IOException
    {
        assertEquals(CommandLine.ExitCode.USAGE, execute("--dir", directory.toString(), option));

        assertIsEmpty();
    }

    @Test
    void mappedIsNoCandidateOnCopyOnWrite()
    {
        final Requirement power = new Requirement(Requirement.Durability.POWER, 256, Requirement.UNKNOWN_RATE);
        assertTrue(
            power.candidates(BackendConfig.all(256), false).stream()
                .anyMatch((each) -> Backend.MAPPED == each.backend()));
        assertTrue(
            power.candidates(BackendConfig.all(256), true).stream()
                .noneMatch((each) -> Backend.MAPPED == each.backend()));
        assertEquals(Backend.FILE_CHANNEL, power.candidates(BackendConfig.all(256), true).get(0).backend());
    }

    @Test
    void warnsOfARateBeyondTheDisk()
    {
        final Requirement fast = new Requirement(Requirement.Durability.PROCESS, 1000, 100_000);
        assertEquals("", Recommend.beyondDisk(fast, new Device(200e6, 0, 100)));
        assertTrue(Recommend.beyondDisk(fast, new Device(199e6, 0, 100)).contains(
            "100,000 records/s of 1,000 B are 100 MB/s, and this disk writes 199 MB/s"));
        final Requirement unknown = new Requirement(Requirement.Durability.PROCESS, 1000, Requirement.UNKNOWN_RATE);
        assertEquals("", Recommend.beyondDisk(unknown, new Device(1, 1, 1)));
    }

    @Test
    void helpNamesTheOptions()
    {
        assertEquals(
            CommandLine.ExitCode.OK, Bench.commandLine().setOut(new PrintWriter(out)).execute("recommend", "--help"));

        for (final String option : List.of("--dir", "--record-length", "--survive", "--seconds", "--rate", "--settings",
            "--rounds", "--output", "--quick", "--quiet"))
        {
            assertTrue(out.toString().contains(option), option);
        }
    }

    private void parse(final String... args)
    {
        Bench.commandLine(recommend).setOut(new PrintWriter(out)).parseArgs(args);
    }

    private int execute(final String... args)
    {
        final PrintWriter writer = new PrintWriter(out);
        return Bench.commandLine(recommend).setOut(writer).setErr(writer).execute(args);
    }

    private void assertIsEmpty()
    {
        assertEquals("[]", Arrays.toString(directory.toFile().list()));
    }
}
