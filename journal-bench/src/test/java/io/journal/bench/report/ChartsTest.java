package io.journal.bench.report;

import java.awt.GraphicsEnvironment;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.xml.parsers.DocumentBuilderFactory;

import io.journal.bench.run.Profile;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class ChartsTest
{
    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void setUp()
    {
        file = directory.resolve("raw.jsonl");
    }

    @Test
    void sequentialHasBarsForEachFileAndTheFaithfulOnePassByPassBesideTheArticle() throws Exception
    {
        try (Written written = new Written(file, "sequential", Profile.FAITHFUL))
        {
            for (final String length : List.of("409600000", "8192000000"))
            {
                for (final String way : List.of("RandomAccessFile", "MemoryMappedFile"))
                {
                    for (int round = 1; round <= 5; round++)
                    {
                        written.add(
                            round, way + length, Map.of("way", way, "length", length, "pageLength", "4096"),
                            Map.of(Charts.WRITE, "1e9", Charts.READ, "2e9"));
                    }
                }
            }
        }

        final List<Chart> charts = charts(
            "raw-409600000", "raw-409600000-write", "raw-409600000-read", "raw-8192000000", "raw-8192000000-write",
            "raw-8192000000-read");

        final BarChart bars = (BarChart)charts.get(0);
        assertEquals(4, bars.series().size());
        assertTrue(bars.series().get(3).isReference());
        assertTrue(SvgDrawing.inPage(bars).contains("hollow reference"));
    }

    @Test
    void sequentialIsDrawnOverPagesIfThereAreSeveral() throws Exception
    {
        try (Written written = new Written(file, "sequential", Profile.FAIR))
        {
            for (final int page : new int[]{ 1024, 4096, 131072 })
            {
                written.add("way=STREAM length=8192 pageLength=" + page, Charts.READ, page, page * 2);
                written.add("way=MAPPED length=8192 pageLength=" + page, Charts.READ, page, page * 2);
            }
        }

        charts("raw-8192-1024", "raw-8192-4096", "raw-8192-131072", "raw-8192-pages-read");
    }

    @Test
    void theSweepIsDrawnOverTheBufferBesideTheArticlesSystems() throws Exception
    {
        try (Written written = new Written(file, "buffer-sweep", Profile.FAITHFUL))
        {
            // Other ways than the bare stream sort before it.
            written.add("way=Z direction=read bufferLength=0", Charts.READ, 1e6, 2e6);
            written.add("way=A direction=read bufferLength=1024", Charts.READ, 1e8, 2e8);
            written.add("way=A direction=read bufferLength=8192", Charts.READ, 2e8, 3e8);
        }

        final LineChart chart = (LineChart)charts("raw-read").get(0);

        assertEquals(6, chart.series().size());
        assertEquals(
            List.of(Ticks.NO_BUFFER, 1024.0, 8192.0),
            chart.series().get(0).points().stream().map(LineChart.Point::x).toList());
        assertTrue(SvgDrawing.inPage(chart).contains(">none<"));
    }

    @Test
    void streamsAndChannelsHaveTheOriginalsCharts() throws Exception
    {
        try (Written written = new Written(file, "streams-vs-channels", Profile.FAITHFUL))
        {
            for (final int buffer : new int[]{ 1024, 8192 })
            {
                for (final String way : List.of("Direct", "Indirect", "Streams", "Mmap"))
                {
                    written.add("way=" + way + "Gen bufferLength=" + buffer, Charts.WRITE, 1e8, 2e8, 3e8);
                    written.add("way=" + way + "In bufferLength=" + buffer, Charts.READ, 1e8, 2e8, 3e8);
                }
            }
        }

        charts(
            "raw-bb_write", "raw-bb_read", "raw-bb_read_write", "raw-w_1k", "raw-w_8k", "raw-r_1k", "raw-r_8k",
            "raw-all_w", "raw-all_r");
    }

    @Test
    void readersAreDrawnInThreeZooms() throws Exception
    {
        try (Written written = new Written(file, "readers", Profile.FAIR))
        {
            written.add("way=FILE_INPUT_STREAM_BYTES varied=none length=104857600", Charts.READ, 3e6, 3.1e6);
            for (int size = 1; size <= 8192; size *= 8)
            {
                written.add("way=MAPPED_ARRAY varied=array arrayLength=" + size + " length=104857600", Charts.READ,
                    1e8 * size, 1.1e8 * size);
                written.add("way=CHANNEL_HEAP_ARRAY varied=array bufferLength=8192 arrayLength=" + size +
                    " length=104857600", Charts.READ, 1e6 * size, 1.1e6 * size);
                written.add("way=CHANNEL_HEAP_ARRAY varied=both bufferLength=" + size + " arrayLength=" + size +
                    " length=104857600", Charts.READ, 1e6 * size, 1.1e6 * size);
            }
        }

        final List<Chart> charts = charts("raw-full", "raw-10s", "raw-1s", "raw-buffers");

        assertEquals(10, ((LineChart)charts.get(1)).y().largest());
        // What takes 34 s has no place in the lowest second.
        assertTrue(texts(charts.get(0)).contains(">100</text>"), texts(charts.get(0)));
        assertFalse(texts(charts.get(2)).contains(">100</text>"), texts(charts.get(2)));
    }

    @Test
    void readersOfWhichNoneHasAnArrayOrABufferHaveBars() throws Exception
    {
        try (Written written = new Written(file, "readers", Profile.FAIR))
        {
            written.add("way=INDEX length=1024", Charts.READ, 1e6, 2e6);
            written.add("way=BUFFERED_READER length=1024", Charts.READ, 3e6, 4e6);
        }

        final BarChart chart = (BarChart)charts("raw-readBytesPerSecond").get(0);

        assertEquals(List.of("BUFFERED_READER", "INDEX"), chart.groups());
        assertTrue(Explanations.of(ResultReader.read(file)).startsWith("Each chart shows one value of every case."));
    }

    @Test
    void aLogarithmicAxisIsOfWhatIsAboveZero()
    {
        for (final LineChart.Scale scale : List.of(LineChart.Scale.LOG, LineChart.Scale.LOG_BYTES))
        {
            final LineChart.Axis axis = new LineChart.Axis("x", scale);
            for (final double bad : new double[]{ 0, -1, Double.NaN })
            {
                assertThrows(IllegalArgumentException.class, () -> Ticks.of(axis, bad, 1024));
                assertThrows(IllegalArgumentException.class, () -> Ticks.of(axis, 1, bad));
            }
        }
    }

    @Test
    void smallTicksAreWrittenWithoutAnExponent()
    {
        final LineChart.Axis axis = new LineChart.Axis("x", LineChart.Scale.LOG, new Unit.Display(1, "ms"), 0);

        assertEquals(
            List.of("0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1,000"),
            Ticks.of(axis, 0.00002, 1000).all().stream().map(Ticks.Tick::label).toList());
    }

    @Test
    void latenciesAreDrawnByPercentile() throws Exception
    {
        for (final String experiment : List.of("latency", "follow", "seek"))
        {
            try (Written written = new Written(file, experiment, Profile.FAIR))
            {
                written.add(1, "a", Map.of("backend", "MAPPED"), Map.of("histogram", histogram(), "p50Us", "1000"));
                written.add(1, "b", Map.of("backend", "FILE_CHANNEL"), Map.of("histogram", histogram()));
            }

            charts("raw-percentiles");
        }
    }

    @Test
    void groupCommitIsDrawnOverThreadsBesideTheLoop() throws Exception
    {
        try (Written written = new Written(file, "group-commit", Profile.DURABLE))
        {
            for (int round = 1; round <= 3; round++)
            {
                written.add(round, "the loop", Map.of("threads", "1"), Map.of("recordsPerSecond", "9", "p99Us", "1"));
                written.add(
                    round, "MAPPED, 16", Map.of("threads", "16", "backend", "MAPPED"),
                    Map.of("recordsPerSecond", "90", "p99Us", "2"));
            }
        }

        final BarChart chart = (BarChart)charts("raw-records", "raw-p99").get(0);

        assertEquals(List.of("1 thread", "16 threads"), chart.groups());
        assertEquals(List.of("the loop", "MAPPED"), chart.series().stream().map(BarChart.Series::name).toList());
    }

    @Test
    void theJournalIsDrawnBesidePlainFilesForEachLengthOfARecord() throws Exception
    {
        try (Written written = new Written(file, "journal", Profile.FAIR))
        {
            written.add("backend=MAPPED recordLength=256", Charts.WRITE, 1, 2, 3);
            written.add("way=MAPPED pageLength=256", Charts.WRITE, 2, 3, 4);
            written.add("backend=MAPPED recordLength=4096", Charts.READ, 1, 2, 3);
        }

        charts("raw-256-write", "raw-4096-read");
    }

    @Test
    void anythingElseHasABarForEachValueAndNotForWhatItCost() throws Exception
    {
        try (Written written = new Written(file, "new", Profile.FAIR))
        {
            written.add(1, "a", Map.of("way", "a"), Map.of("openUs", "3", "xCpuUs", "4", "recordsCount", "5"));
            written.add(1, "b", Map.of("way", "b"), Map.of("openUs", "2", "xCpuUs", "4", "recordsCount", "5"));
        }

        final BarChart chart = (BarChart)charts("raw-openUs").get(0);

        // The fastest first.
        assertEquals(List.of("b", "a"), chart.groups());
    }

    @Test
    void aRunWithoutCasesHasNoCharts() throws Exception
    {
        new Written(file, "sequential", Profile.FAIR).close();

        charts();
    }

    @Test
    void pngIsWrittenOrTheMachineHasNoFonts() throws Exception
    {
        anythingElseHasABarForEachValueAndNotForWhatItCost();

        final List<String> failed = PngDrawing.write(charts("raw-openUs"), directory);

        if (isAbleToDraw())
        {
            assertEquals(List.of(), failed);
            assertPng("raw-openUs");
        }
        else
        {
            assertEquals(1, failed.size());
            assertTrue(failed.get(0).contains("cannot draw text"), failed.get(0));
        }
    }

    @Test
    void aChartThatCannotBeDrawnIsNamedAndTheOthersAreDrawn() throws Exception
    {
        assumeTrue(isAbleToDraw());
        anythingElseHasABarForEachValueAndNotForWhatItCost();
        final LineChart.Series twice =
            new LineChart.Series("twice", false, true, List.of(new LineChart.Point(1, 1), new LineChart.Point(2, 2)));
        final LineChart bad = new LineChart(
            "bad", "", "", new LineChart.Axis("x", LineChart.Scale.LINEAR), Charts.rateAxis(), List.of(twice, twice));

        final List<String> failed = PngDrawing.write(List.of(bad, charts("raw-openUs").get(0)), directory);

        assertEquals(1, failed.size(), failed.toString());
        assertTrue(failed.get(0).startsWith("No PNG file was written of bad: "), failed.get(0));
        assertPng("raw-openUs");
    }

    @Test
    void casesWithFlagsHaveLinesOfTheirOwn() throws Exception
    {
        for (final Profile profile : List.of(Profile.FAIR, Profile.FAITHFUL))
        {
            try (Written written = new Written(file, "sequential", profile))
            {
                for (final int page : new int[]{ 1024, 4096, 131072 })
                {
                    for (final String way : List.of("A", "B"))
                    {
                        final String parameters = "way=" + way + " length=8192 pageLength=" + page;
                        written.add(parameters, Charts.READ, page, page * 2);
                        written.add("jvmFlags=-Xint " + parameters, Charts.READ, page, page * 2);
                    }
                }
            }

            final List<Chart> charts = Charts.of(ResultReader.read(file));

            assertNamesDiffer(charts);
            final LineChart overPages = (LineChart)charts.get(charts.size() - 1);
            assertEquals(
                List.of("A", "A, jvm flags -Xint", "B", "B, jvm flags -Xint"),
                overPages.series().stream().map(LineChart.Series::name).sorted().toList());
            assertEquals(3, overPages.series().get(0).points().size());
        }

        try (Written written = new Written(file, "readers", Profile.FAIR))
        {
            written.add("way=A varied=array arrayLength=8 length=64", Charts.READ, 1, 2);
            written.add("jvmFlags=-Xint way=A varied=array arrayLength=8 length=64", Charts.READ, 1, 2);
        }

        final List<Chart> charts = charts("raw-full", "raw-10s", "raw-1s");

        assertNamesDiffer(charts);
        assertEquals(2, ((LineChart)charts.get(0)).series().size());
    }

    private static void assertNamesDiffer(final List<Chart> charts)
    {
        for (final Chart chart : charts)
        {
            final List<String> names = chart instanceof LineChart lines ?
                lines.series().stream().map(LineChart.Series::name).toList() : ((BarChart)chart).groups();
            assertEquals(names.size(), Set.copyOf(names).size(), chart.name() + ": " + names);
        }
    }

    private void assertPng(final String name) throws Exception
    {
        final byte[] bytes = Files.readAllBytes(directory.resolve(name + ".png"));
        assertEquals("PNG", new String(bytes, 1, 3, StandardCharsets.US_ASCII));
    }

    /**
     * Whether there is a font: asked apart from the code under test, which must not take its own failure for a lack.
     */
    private static boolean isAbleToDraw()
    {
        System.setProperty("java.awt.headless", "true");
        try
        {
            return GraphicsEnvironment.getLocalGraphicsEnvironment().getAllFonts().length > 0;
        }
        catch (final LinkageError | InternalError | RuntimeException ex)
        {
            return false;
        }
    }

    /**
     * Charts of the file: of these names, each an image whose parts are within its frame.
     */
    private List<Chart> charts(final String... names) throws Exception
    {
        final List<Chart> charts = Charts.of(ResultReader.read(file));
        assertEquals(List.of(names), charts.stream().map(Chart::name).toList());
        for (final Chart chart : charts)
        {
            final String svg = SvgDrawing.alone(chart, Resources.text("chart.css"));
            assertFalse(svg.contains("NaN") || svg.contains("Infinity"), svg);
            final Document image = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
            final String[] box = image.getDocumentElement().getAttribute("viewBox").split(" ");
            for (int i = 0; i < image.getElementsByTagName("text").getLength(); i++)
            {
                final var attributes = image.getElementsByTagName("text").item(i).getAttributes();
                final double x = Double.parseDouble(attributes.getNamedItem("x").getNodeValue());
                final double y = Double.parseDouble(attributes.getNamedItem("y").getNodeValue());
                assertTrue(x >= 0 && x <= Double.parseDouble(box[2]), svg);
                assertTrue(y > 0 && y < Double.parseDouble(box[3]), svg);
            }
            assertFalse(image.getElementsByTagName("desc").item(0).getTextContent().isEmpty(), svg);
        }

        return charts;
    }

    private static String texts(final Chart chart)
    {
        return SvgDrawing.inPage(chart).lines().filter((line) -> line.startsWith("<text")).toList().toString();
    }

    private static String histogram()
    {
        final Histogram latencies = new Histogram(3);
        for (int i = 1; i <= 1000; i++)
        {
            latencies.recordValue(i * 1000L);
        }

        final ByteBuffer buffer = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        final int length = latencies.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().withoutPadding().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
