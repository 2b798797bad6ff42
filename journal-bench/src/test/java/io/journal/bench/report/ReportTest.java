// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.journal.bench.Bench;
import io.journal.bench.run.Profile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("slow")
class ReportTest
{
    private static final Pattern LOADED = Pattern.compile(
        "<(script [^>]*src|link|img|iframe|object|embed|base)\\b|@import|url\\(|href=\"(?!#|https://)");

    private static final Pattern BODY = Pattern.compile("<body data-[^>]*>");
    private static final int DRAWING_MS = 300;
    private static final int END_MINUTES = 10;

    @TempDir
    private Path directory;

    private final StringWriter text = new StringWriter();

    @Test
    void aMeasuringCommandKeepsItsResultsAndWritesTablesAndPage() throws IOException
    {
        final int exitCode = run(
            "journal", "seek", "--backends=MAPPED", "--only=300,000", "--rounds=1", "--quick", "--quiet",
            "--dir=" + directory.resolve("files"), "--report=" + directory.resolve("report"));

        assertEquals(CommandLine.ExitCode.OK, exitCode, text.toString());
        final Path report = directory.resolve("report");
        final ResultFile read = ResultFile.read(report.resolve("seek.jsonl"));
        assertEquals(1, read.cases().size());
        assertTrue(Files.readString(report.resolve("seek.md")).contains("| case | p50 | p99 |"));
        assertTrue(Files.readString(report.resolve("report.html")).contains("seek, fair"));
        assertTrue(text.toString().contains("1 complete round: too few to state anything."), text.toString());
    }

    @Test
    void damagedFileInTheDirectoryIsReportedAndNewResultsAreKept() throws IOException
    {
        final Path report = Files.createDirectories(directory.resolve("report"));
        Files.writeString(report.resolve("damaged.jsonl"), "{\"version\":2,");

        final int exitCode = run(
            "articles", "copy", "--length=1000", "--rounds=1", "--quick", "--quiet",
            "--dir=" + directory.resolve("files"), "--report=" + report);

        assertEquals(CommandLine.ExitCode.SOFTWARE, exitCode, text.toString());
        assertTrue(text.toString().contains("failed: no report: " + report.resolve("damaged.jsonl")), text.toString());
        assertFalse(text.toString().contains("\tat "), text.toString());
        assertEquals(5, ResultFile.read(report.resolve("copy.jsonl")).cases().size());
    }

    @Test
    void pageIsSelfContained() throws IOException
    {
        writeSequential();

        final String page = report();

        // What the chart library has in its own code is text.
        final Matcher loaded = LOADED.matcher(page.replaceAll("(?s)<script>.*?</script>", ""));
        assertFalse(loaded.find(), () -> loaded.group());
        assertTrue(page.contains("licensed to the Apache Software Foundation"));
        assertTrue(page.contains("prefers-color-scheme: dark"));
    }

    @Test
    void textIsEscaped() throws Exception
    {
        final String hostile = "<script>alert(\"1\")</script>&'\u0001";
        try (ResultFiles written = new ResultFiles(
            directory.resolve("raw.jsonl"), "other", Profile.FAIR, Map.of("CPU", hostile), 1))
        {
            written.add(1, hostile, Map.of("way", hostile), Map.of("writeBytesPerSecond", "1", hostile, "2"));
            written.add(1, "second", Map.of("way", "second"), Map.of("writeBytesPerSecond", "3"));
        }

        final String page = report();

        assertFalse(page.contains("<script>alert"));
        assertTrue(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"));
        assertDrawn(directory.resolve("report.html"));
    }

    @Test
    void pageCacheAndDurableRatesAreDistinguishedWithTheirConfidence() throws IOException
    {
        writeSequential();

        final String page = report();

        final String tables = Files.readString(directory.resolve("raw.md"));
        assertTrue(tables.contains("written to the page cache, MB/s | written and fsynced, MB/s"), tables);
        assertTrue(tables.contains(
            "Medians of 3 rounds with the extremes, a confidence interval of the median of 75 %."), tables);
        assertTrue(page.contains("Rates of the page cache are not those of the device"));
    }

    @Test
    void overviewIsOfTheRunWithTheFewestCases() throws IOException
    {
        writeJournal("a", "every10ms", "everyRecord");
        writeJournal("b", "manual");
        writeJournal("c", "every10ms", "everyRecord");

        final String page = report();

        final String overview =
            page.substring(page.indexOf("Our backends compared"), page.indexOf("aria-label=\"Articles\""));
        assertTrue(overview.contains("data-chart=\"b-"), overview);
    }

    @Test
    void damagedFileIsRejectedWithNameAndLineAndNothingIsWritten() throws IOException
    {
        writeSequential();
        final Path damaged = directory.resolve("z.jsonl");
        Files.writeString(damaged, "{\"version\":2");

        assertEquals(CommandLine.ExitCode.USAGE, run("report", directory.toString()));

        assertTrue(text.toString().contains(damaged + ", line 1: damaged, truncated"), text.toString());
        assertFalse(Files.exists(directory.resolve("report.html")));
    }

    @Test
    void pageShowsTheRecommendationWithReasonsAndTable() throws IOException
    {
        try (ResultFiles written = new ResultFiles(directory.resolve("raw.jsonl"), "recommend", Profile.DURABLE))
        {
            written.add(1, "MAPPED", Map.of("backend", "MAPPED"), Map.of("forced1PerSecond", "5000"));
            written.add(0, "verdict", Map.of("survive", "power"), Map.of(
                "recommended", "MAPPED", "segmentLength", "67108864", "force", "manual", "untried", "DIRECT 64 KiB",
                "reasons", "It is enough.\nForce everyRecord.",
                "table", "           at least\nMAPPED        4,208"));
        }

        final String page = report();

        assertTrue(page.contains("<p class=\"big\">MAPPED, segments of 64 MiB, force manual</p>"));
        assertTrue(page.contains("<p>Not compared, possibly as good: DIRECT 64 KiB.</p>"));
        assertTrue(page.contains("<li>It is enough.</li>\n<li>Force everyRecord.</li>"));
        assertTrue(page.contains("<pre>           at least\nMAPPED        4,208</pre>"));
        assertTrue(page.indexOf("It is enough.") < page.indexOf("id=\"claims\""));
    }

    @Test
    void newestRecommendationIsShownWhateverItsTimeZone() throws IOException
    {
        final Map<String, String> dates = Map.of(
            "MAPPED", "2026-01-01T23:00:00-05:00", "DIRECT", "2026-01-02T01:00:00+01:00");
        for (final Map.Entry<String, String> date : dates.entrySet())
        {
            try (ResultFiles written = new ResultFiles(
                directory.resolve(date.getKey() + ".jsonl"), "recommend", Profile.DURABLE,
                Map.of("date", date.getValue()), 1))
            {
                written.add(0, "verdict", Map.of(), Map.of(
                    "recommended", date.getKey(), "segmentLength", "67108864"));
            }
        }

        assertTrue(report().contains("<p class=\"big\">MAPPED, segments of"));
    }

    @Tag("soak")
    @Test
    void theCommittedResultsAreDrawnInABrowserAndReadableOnAPhone() throws Exception
    {
        try (Stream<Path> files = Files.list(Path.of("../docs/results")))
        {
            // One recommendation: a page of twenty takes minutes to check.
            for (final Path file : files.filter((file) -> file.toString().matches(
                "(?!.*recommend-(?!1\\.)).*\\.jsonl")).toList())
            {
                Files.copy(file, directory.resolve(file.getFileName()));
            }
        }
        report();
        assertDrawn(directory.resolve("report.html"));

        final Path phone = directory.resolve("phone.html");
        Files.writeString(
            phone, "<iframe src='report.html?all' width='390' height='800' style='border:0'></iframe><script>" +
                "addEventListener('load', () => setTimeout(() => { const root = document.querySelector('iframe')" +
                ".contentDocument.documentElement; document.body.dataset.overflow = root.scrollWidth - " +
                "root.clientWidth; }, 5000))</script>");
        final String dumped = Report.dump(phone.toUri().toString());
        assertTrue(dumped.contains("data-overflow=\"0\""), dumped);
    }

    @Test
    void imagesAreDrawnFromTheSameDescription() throws Exception
    {
        assumeTrue(Report.browser().isPresent(), "no Chromium or Chrome to draw images");
        writeGroupCommit();
        final Path images = directory.resolve("images");
        assertEquals(
            CommandLine.ExitCode.OK, run("report", directory.toString(), "--images=" + images), text.toString());
        final Document image = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(images.resolve("group-commit.svg").toFile());
        assertEquals("svg", image.getDocumentElement().getTagName());
        assertTrue(image.getDocumentElement().getTextContent().contains("Durable records/s, by threads"));
    }

    @Test
    void interruptedDrawingLeavesNothing() throws Exception
    {
        assumeTrue(Report.browser().isPresent(), "no Chromium or Chrome to draw images");
        writeGroupCommit();
        final Path temp = Files.createDirectory(directory.resolve("temp"));
        final Process report = new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java", "-Djava.io.tmpdir=" + temp, "-cp",
            System.getProperty("java.class.path"), Bench.class.getName(), "report", directory.toString(),
            "--images=" + directory.resolve("images")).redirectErrorStream(true).start();
        try (BufferedReader lines = report.inputReader(StandardCharsets.UTF_8))
        {
            assertTrue(lines.lines().anyMatch(directory.resolve("report.html").toString()::equals), "no page");
            // Not a wait for something: the browser has started by then, and draws.
            report.waitFor(DRAWING_MS, TimeUnit.MILLISECONDS);
            // Not Process.destroy, which closes what is read below.
            report.toHandle().destroy();
            assertTrue(report.waitFor(END_MINUTES, TimeUnit.MINUTES), "still running");
            assertEquals(List.of(), lines.lines().toList());
        }
        finally
        {
            report.destroyForcibly();
        }

        assertEquals("[]", Arrays.toString(temp.toFile().list()));
    }

    /**
     * Opens a page with all its details: no error, each chart drawn, each series hidden and shown by a button that the
     * keyboard reaches, and no serious fault of accessibility.
     */
    private static void assertDrawn(final Path page) throws Exception
    {
        assumeTrue(Report.browser().isPresent(), "no Chromium or Chrome to open the page with");
        final Path checked = page.resolveSibling("checked.html");
        final String html = Files.readString(page);
        // The chart library has such text, too.
        final int end = html.lastIndexOf("</body>");
        Files.writeString(checked, html.substring(0, end)
            .replaceFirst("<head>", "<head><script>window.faults = []; console.error = (...words) => " +
                "faults.push(words.join(' ')); addEventListener('error', (event) => faults.push(event.message));" +
                "</script>") +
            script("/axe.min.js") + script("page-check.js") + html.substring(end));
        final String drawn = Report.dump(checked.toUri() + "?all");
        final Matcher body = BODY.matcher(drawn);
        assertTrue(body.find(), drawn);
        assertTrue(body.group().contains("data-ready"), body.group());
        assertTrue(body.group().contains("data-checked"), body.group());
        assertTrue(body.group().contains("data-faults=\"\""), body.group());
    }

    private static String script(final String resource) throws IOException
    {
        try (InputStream script = ReportTest.class.getResourceAsStream(resource))
        {
            return "<script>" + new String(script.readAllBytes(), StandardCharsets.UTF_8) + "</script>";
        }
    }

    @Test
    void aDirectoryWithoutResultsIsRefused()
    {
        assertEquals(CommandLine.ExitCode.USAGE, run("report", directory.toString()));

        assertTrue(text.toString().contains("no result files here"), text.toString());
    }

    private void writeGroupCommit() throws IOException
    {
        try (ResultFiles written = new ResultFiles(directory.resolve("raw.jsonl"), "group-commit", Profile.DURABLE))
        {
            written.add("backend=MAPPED threads=1", "recordsPerSecond", 1000, 1100, 1200);
            written.add("backend=MAPPED threads=16", "recordsPerSecond", 9000, 9100, 9200);
        }
    }

    private void writeSequential() throws IOException
    {
        try (ResultFiles written = new ResultFiles(directory.resolve("raw.jsonl"), "sequential", Profile.DURABLE))
        {
            for (int round = 1; round <= 3; round++)
            {
                for (final String strategy : new String[]{ "STREAM", "MAPPED" })
                {
                    written.add(
                        round, strategy, Map.of("way", strategy, "length", "4096", "pageLength", "4096"),
                        Map.of("writeBytesPerSecond", "3e8", "durableBytesPerSecond", "1e8", "readBytesPerSecond",
                            "4e8"));
                }
            }
        }
    }

    private void writeJournal(final String name, final String... policies) throws IOException
    {
        try (ResultFiles written = new ResultFiles(directory.resolve(name + ".jsonl"), "journal", Profile.FAIR))
        {
            for (final String policy : policies)
            {
                for (final String backend : new String[]{ "MAPPED", "FILE_CHANNEL" })
                {
                    written.add(
                        "backend=" + backend + " recordLength=256 forcePolicy=" + policy, "writeBytesPerSecond", 3e8,
                        3e8,
                        3e8);
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
