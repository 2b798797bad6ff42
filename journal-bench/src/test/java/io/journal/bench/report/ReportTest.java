package io.journal.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.bench.Bench;
import io.journal.bench.run.Profile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReportTest
{
    private static final Pattern LOADED = Pattern.compile(
        "<(script|link|img|iframe|object|embed|base)\\b|@import|url\\(|(src|srcset|xlink:href)=|href=\"(?!#|https://)");

    @TempDir
    private Path directory;

    private final StringWriter text = new StringWriter();

    @Test
    void aMeasuringCommandKeepsItsResultsAndWritesTheReport() throws IOException
    {
        final int exitCode = run(
            "seek", "--backends=MAPPED", "--records=500", "--seeks=50", "--segment-length=65536", "--rounds=1",
            "--quiet", "--json", "--dir=" + directory.resolve("files"), "--report=" + directory.resolve("report"));

        assertEquals(CommandLine.ExitCode.OK, exitCode, text.toString());
        final Path report = directory.resolve("report");
        final ResultFile read = ResultReader.read(report.resolve("seek-fair.jsonl"));
        assertEquals(1, read.cases().size());
        assertTrue(Files.readString(report.resolve("seek-fair.csv")).startsWith("# version: 2"));
        assertTrue(Files.readString(report.resolve("report.html")).contains("seek, fair"));
        assertTrue(Files.readString(report.resolve("charts/seek-fair-percentiles.svg")).startsWith("<svg"));
    }

    @Test
    void aDamagedFileInTheDirectoryIsToldInALineAndTheMeasuredResultsStay() throws IOException
    {
        final Path report = Files.createDirectories(directory.resolve("report"));
        Files.writeString(report.resolve("damaged.jsonl"), "{\"version\":2,");

        final int exitCode = run(
            "copy", "--size=1000", "--rounds=1", "--quiet", "--json", "--dir=" + directory.resolve("files"),
            "--report=" + report);

        assertEquals(CommandLine.ExitCode.SOFTWARE, exitCode, text.toString());
        assertTrue(text.toString().contains("failed: no report: " + report.resolve("damaged.jsonl")), text.toString());
        assertFalse(text.toString().contains("\tat "), text.toString());
        assertEquals(5, ResultReader.read(report.resolve("copy-fair.jsonl")).cases().size());
    }

    @Test
    void thePageNeedsNothingElse() throws IOException
    {
        writeSequential();

        final String page = report();

        final Matcher loaded = LOADED.matcher(page);
        assertFalse(loaded.find(), () -> loaded.group() + " in " + page);
        assertTrue(page.contains("prefers-color-scheme: dark"));
    }

    @Test
    void textIsTextWhateverIsInIt() throws IOException
    {
        final String hostile = "<script>alert(\"1\")</script>&'\u0001";
        try (Written written = new Written(
            directory.resolve("raw.jsonl"), "other", Profile.FAIR, Map.of("CPU", hostile), 1))
        {
            written.add(1, hostile, Map.of("way", hostile), Map.of("writeBytesPerSecond", "1", hostile, "2"));
            written.add(1, "second", Map.of("way", "second"), Map.of("writeBytesPerSecond", "3"));
        }

        final String page = report();

        assertFalse(page.contains("<script"), page);
        assertFalse(page.contains("\u0001"), page);
        assertTrue(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"), page);
    }

    @Test
    void apparentAndDurableRatesAreToldApart() throws IOException
    {
        writeSequential();

        final String page = report();

        assertTrue(page.contains("written (page cache: apparent)"), page);
        assertTrue(page.contains("written and forced (durable)"), page);
        assertTrue(page.contains("Rates called apparent are those of the page cache"), page);
    }

    @Test
    void aDamagedFileIsRefusedByNameAndLineAndNothingIsWritten() throws IOException
    {
        writeSequential();
        final Path damaged = directory.resolve("z.jsonl");
        Files.writeString(damaged, "{\"version\":2");

        assertEquals(CommandLine.ExitCode.USAGE, run("report", directory.toString()));

        assertTrue(text.toString().contains(damaged + ", line 1: damaged or cut short"), text.toString());
        assertFalse(Files.exists(directory.resolve("report.html")));
    }

    @Test
    void anEmptyFileOfADirectoryIsPassedOverWithAWarning() throws IOException
    {
        writeSequential();
        Files.createFile(directory.resolve("cold.jsonl"));

        final String page = report();

        assertTrue(page.contains("passed over, it is empty: cold.jsonl"), page);
        assertTrue(text.toString().contains("warning: passed over, it is empty: cold.jsonl"), text.toString());
        assertTrue(page.contains("sequential, durable"), page);
    }

    @Test
    void anEmptyFileThatIsNamedIsRefused() throws IOException
    {
        writeSequential();
        final Path empty = Files.createFile(Files.createDirectory(directory.resolve("other")).resolve("cold.jsonl"));

        assertEquals(CommandLine.ExitCode.USAGE, run("report", directory.toString(), empty.toString()));

        assertTrue(text.toString().contains(empty + ", line 1: empty"), text.toString());
    }

    @Test
    void aDirectoryOfEmptyFilesAloneIsRefused() throws IOException
    {
        Files.createFile(directory.resolve("cold.jsonl"));

        assertEquals(CommandLine.ExitCode.USAGE, run("report", directory.toString()));

        assertTrue(text.toString().contains("no file of results here"), text.toString());
    }

    @Test
    void aRecommendationStandsInThePageWithItsReasonsAndItsTable() throws IOException
    {
        try (Written written = new Written(directory.resolve("raw.jsonl"), "recommend", Profile.DURABLE))
        {
            written.add(1, "MAPPED", Map.of("backend", "MAPPED"), Map.of("forced1PerSecond", "5000"));
            written.add(0, "verdict", Map.of("survive", "power"), Map.of(
                "recommended", "MAPPED", "reasons", "It is enough.\nForce everyRecord.",
                "table", "           at least\nMAPPED        4,208"));
        }

        final String page = report();

        assertTrue(page.contains("<p>Recommended: MAPPED</p>"), page);
        assertTrue(page.contains("<li>It is enough.</li>\n<li>Force everyRecord.</li>"), page);
        assertTrue(page.contains("<pre>           at least\nMAPPED        4,208</pre>"), page);
    }

    @Test
    void thePageSaysWhatItsIntervalsEnclose() throws IOException
    {
        writeSequential();

        final String page = report();

        // Of three rounds.
        assertTrue(page.contains("holds here, by 1x [1..1], 75 %"), page);
        assertTrue(page.contains("confidence of no more than 75 %"), page);
    }

    @Test
    void aDirectoryWithoutResultsIsRefused()
    {
        assertEquals(CommandLine.ExitCode.USAGE, run("report", directory.toString()));

        assertTrue(text.toString().contains("no file of results here"), text.toString());
    }

    private void writeSequential() throws IOException
    {
        try (Written written = new Written(directory.resolve("raw.jsonl"), "sequential", Profile.DURABLE))
        {
            for (int round = 1; round <= 3; round++)
            {
                for (final String way : new String[]{ "STREAM", "MAPPED" })
                {
                    written.add(
                        round, way, Map.of("way", way, "length", "4096", "pageLength", "4096"),
                        Map.of("writeBytesPerSecond", "3e8", "durableBytesPerSecond", "1e8", "readBytesPerSecond",
                            "4e8"));
                }
            }
        }
    }

    private String report() throws IOException
    {
        assertEquals(CommandLine.ExitCode.OK, run("report", directory.toString()), text.toString());

        return Files.readString(directory.resolve("report.html"));
    }

    private int run(final String... args)
    {
        final PrintWriter writer = new PrintWriter(text, true);
        return Bench.commandLine().setOut(writer).setErr(writer).execute(args);
    }
}
