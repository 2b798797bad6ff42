// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.journal.bench.run.Profile;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ChartsTest
{
    private static final String READ = "readBytesPerSecond";
    private static final String WRITE = "writeBytesPerSecond";

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void setUp()
    {
        file = directory.resolve("raw.jsonl");
    }

    @Test
    void sequentialHasBarsPerFileAndFaithfulPassesWithPublishedValues() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "sequential", Profile.FAITHFUL))
        {
            for (final String length : List.of("409600000", "8192000000"))
            {
                for (final String strategy : List.of("RandomAccessFile", "MemoryMappedFile"))
                {
                    for (int round = 1; round <= 5; round++)
                    {
                        written.add(
                            round, strategy + length,
                            Map.of("way", strategy, "length", length, "pageLength", "4096", "variant", "ARTICLE"),
                            Map.of(WRITE, "1e9", READ, "2e9"));
                    }
                }
            }
        }

        final List<Chart> charts =
            charts("raw-409600000-4096", "raw-8192000000-4096", "raw-passes-409600000-4096",
                "raw-passes-8192000000-4096");
        final Chart bars = charts.get(0);
        assertEquals(
            List.of("Written to the page cache", "Read from the page cache"),
            bars.panels().stream().map(Chart.Panel::title).toList());
        assertEquals(
            List.of("article, 2011", "comment 12", "comment 20"), bars.panels().get(1).series().stream()
                .filter(Chart.Series::isPublished).map(Chart.Series::family).distinct().toList());
        assertEquals(5, charts.get(2).panels().get(0).series().get(0).points().size());
    }

    @Test
    void sequentialIsDrawnByPageLengthIfThereAreSeveral() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "sequential", Profile.FAIR))
        {
            for (final int page : new int[]{ 1024, 4096, 131072 })
            {
                written.add("way=STREAM length=8192 pageLength=" + page, READ, page, page * 2);
                written.add("way=MAPPED length=8192 pageLength=" + page, READ, page, page * 2);
            }
        }

        final List<Chart> charts = charts("raw-8192-1024", "raw-8192-4096", "raw-8192-131072", "raw-pages-8192");
        assertEquals(3, charts.get(3).panels().get(0).series().get(0).points().size());
    }

    @Test
    void sweepIsDrawnByBufferWithPublishedSystems() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "buffer-sweep", Profile.FAITHFUL))
        {
            // Other ways than the bare stream sort before it.
            written.add("way=Z direction=read bufferLength=0", READ, 1e6, 2e6);
            written.add("way=A direction=read bufferLength=1024", READ, 1e8, 2e8);
            written.add("way=A direction=read bufferLength=8192", READ, 2e8, 3e8);
        }

        final List<Chart.Series> series = charts("raw-buffers").get(0).panels().get(0).series();
        assertEquals(4, series.size());
        assertEquals(
            List.of(0.0, 1024.0, 8192.0),
            series.get(0).points().stream().map(Chart.Point::x).toList());
        assertEquals(3, series.stream().filter(Chart.Series::isPublished).count());
    }

    @Test
    void streamsAndChannelsHaveTheOriginalsCharts() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "streams-vs-channels", Profile.FAITHFUL))
        {
            for (final int buffer : new int[]{ 1024, 8192 })
            {
                for (final String strategy : List.of("Direct", "Indirect", "Streams", "Mmap"))
                {
                    written.add("way=" + strategy + "Gen bufferLength=" + buffer, WRITE, 1e8, 2e8, 3e8);
                    written.add("way=" + strategy + "In bufferLength=" + buffer, READ, 1e8, 2e8, 3e8);
                }
            }
        }

        final List<Chart> charts =
            charts("raw-bb_read_write", "raw-all_w", "raw-all_r", "raw-runs-1024", "raw-runs-8192");
        assertEquals(2, charts.get(0).panels().size());
    }

    @Test
    void readersAreDrawnInThreeZooms() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "readers", Profile.FAIR))
        {
            written.add("way=FILE_INPUT_STREAM_BYTES varied=none length=104857600", READ, 3e6, 3.1e6);
            for (int size = 1; size <= 8192; size *= 8)
            {
                written.add("way=MAPPED_ARRAY varied=array arrayLength=" + size + " length=104857600", READ,
                    1e8 * size, 1.1e8 * size);
                written.add("way=CHANNEL_HEAP_ARRAY varied=array bufferLength=8192 arrayLength=" + size +
                    " length=104857600", READ, 1e6 * size, 1.1e6 * size);
                written.add("way=CHANNEL_HEAP_ARRAY varied=both bufferLength=" + size + " arrayLength=" + size +
                    " length=104857600", READ, 1e6 * size, 1.1e6 * size);
            }
        }

        final Chart chart = charts("raw-time").get(0);
        assertEquals(List.of(0.0, 10.0, 1.0), chart.y().zooms());
        // What has neither buffer nor array is a level line over all lengths.
        final Chart.Series level = chart.panels().stream().flatMap((panel) -> panel.series().stream())
            .filter((each) -> "FileInputStream, single bytes".equals(each.name())).findFirst().orElseThrow();
        assertEquals(List.of(1.0, 4096.0), level.points().stream().map(Chart.Point::x).toList());
        assertEquals(34.4, level.points().get(0).y(), 0.1);
    }

    @Test
    void readersWithoutLengthsHaveBars() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "readers", Profile.FAIR))
        {
            written.add("way=INDEX length=1024", READ, 1e6, 2e6);
            written.add("way=BUFFERED_READER length=1024", READ, 3e6, 4e6);
        }

        assertEquals(Set.of("BufferedReader", "INDEX"), Set.copyOf(names(charts("raw-readBytesPerSecond").get(0))));
    }

    @Test
    void latenciesAreDrawnByPercentile() throws Exception
    {
        for (final String experiment : List.of("latency", "follow", "seek"))
        {
            try (ResultFiles written = new ResultFiles(file, experiment, Profile.FAIR))
            {
                written.add(1, "a", Map.of("backend", "MAPPED"), Map.of("histogram", histogram(), "p50Us", "1000"));
                written.add(1, "b", Map.of("backend", "FILE_CHANNEL"), Map.of("histogram", histogram()));
            }

            charts("raw-percentiles");
        }
    }

    @Test
    void groupCommitIsDrawnByThreadsWithTheLoopAsBaseline() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "group-commit", Profile.DURABLE))
        {
            for (int round = 1; round <= 3; round++)
            {
                written.add(round, "the loop", Map.of("threads", "1"), Map.of("recordsPerSecond", "9", "p99Us", "1"));
                written.add(
                    round, "MAPPED, 16", Map.of("threads", "16", "backend", "MAPPED"),
                    Map.of("recordsPerSecond", "90", "p99Us", "2"));
            }
        }

        final Chart chart = charts("raw-rate", "raw-p99").get(0);
        assertEquals(Set.of("the loop", "MAPPED"), Set.copyOf(names(chart)));
        // A level line of what was measured with one thread alone.
        assertEquals(
            Set.of(List.of(1.0, 16.0), List.of(16.0)), Set.copyOf(chart.panels().get(0).series().stream()
                .map((series) -> series.points().stream().map(Chart.Point::x).toList()).toList()));
    }

    @Test
    void journalIsDrawnWithPlainFilesPerRecordLength() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "journal", Profile.FAIR))
        {
            written.add("backend=MAPPED recordLength=256", WRITE, 1, 2, 3);
            written.add("way=MAPPED pageLength=256", WRITE, 2, 3, 4);
            written.add("backend=MAPPED recordLength=4096", READ, 1, 2, 3);
        }

        final Chart chart = charts("raw-256", "raw-4096").get(0);
        assertEquals(Set.of("journal, MAPPED", "plain file, mapped"), Set.copyOf(names(chart)));
    }

    @Test
    void otherExperimentsHaveBarsForResultsButNotForResourceUsage() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "new", Profile.FAIR))
        {
            written.add(1, "a", Map.of("way", "a"), Map.of("openUs", "3", "xCpuUs", "4", "recordsCount", "5"));
            written.add(1, "b", Map.of("way", "b"), Map.of("openUs", "2", "xCpuUs", "4", "recordsCount", "5"));
        }

        assertEquals(List.of("a", "b"), names(charts("raw-openUs").get(0)));
    }

    @Test
    void aRunWithoutCasesHasNoCharts() throws Exception
    {
        new ResultFiles(file, "sequential", Profile.FAIR).close();

        charts();
    }

    @Test
    void casesWithFlagsHaveLinesOfTheirOwn() throws Exception
    {
        for (final Profile profile : List.of(Profile.FAIR, Profile.FAITHFUL))
        {
            try (ResultFiles written = new ResultFiles(file, "sequential", profile))
            {
                for (final int page : new int[]{ 1024, 4096, 131072 })
                {
                    for (final String strategy : List.of("A", "B"))
                    {
                        final String parameters = "way=" + strategy + " length=8192 pageLength=" + page;
                        written.add(parameters, READ, page, page * 2);
                        written.add("jvmFlags=-Xint " + parameters, READ, page, page * 2);
                    }
                }
            }

            final List<Chart> charts = Charts.of(ResultFile.read(file));

            assertNamesDiffer(charts);
            final Chart overPages = charts.get(charts.size() - 1);
            assertEquals(
                List.of("A", "A, jvm flags -Xint", "B", "B, jvm flags -Xint"),
                names(overPages).stream().sorted().toList());
            assertEquals(3, overPages.panels().get(0).series().get(0).points().size());
        }

        try (ResultFiles written = new ResultFiles(file, "readers", Profile.FAIR))
        {
            written.add("way=A varied=array arrayLength=8 length=64", READ, 1, 2);
            written.add("way=A varied=array arrayLength=16 length=64", READ, 1, 2);
            written.add("jvmFlags=-Xint way=A varied=array arrayLength=8 length=64", READ, 1, 2);
        }

        final List<Chart> charts = charts("raw-time");
        assertNamesDiffer(charts);
        assertEquals(2, names(charts.get(0)).size());
    }

    @Test
    void noPlotHasTooManyLines() throws Exception
    {
        try (ResultFiles written = new ResultFiles(file, "readers", Profile.FAIR))
        {
            for (final String strategy : List.of("A_STREAM", "B_STREAM", "MAPPED", "CHANNEL_DIRECT", "CHANNEL_HEAP"))
            {
                for (final String varied : List.of("array", "both", "buffer"))
                {
                    written.add("way=" + strategy + " varied=" + varied + " arrayLength=8 bufferLength=16 length=64",
                        READ, 1, 2);
                }
            }
        }
        final Chart chart = charts("raw-time").get(0);
        assertEquals(15, names(chart).size());
        assertTrue(chart.panels().size() > 1);
    }

    private static void assertNamesDiffer(final List<Chart> charts)
    {
        charts.forEach((chart) -> chart.panels().forEach((panel) ->
        {
            final List<String> names =
                panel.series().stream().filter((each) -> !each.isPublished()).map(Chart.Series::name).toList();
            assertEquals(names.size(), Set.copyOf(names).size(), chart.name() + ": " + names);
        }));
    }

    private static List<String> names(final Chart chart)
    {
        return chart.panels().stream().flatMap((panel) -> panel.series().stream()).map(Chart.Series::name).toList();
    }

    /** Charts of the file: with these names, of finite numbers, and with few enough lines per plot. */
    private List<Chart> charts(final String... names) throws Exception
    {
        final List<Chart> charts = Charts.of(ResultFile.read(file));
        assertEquals(List.of(names), charts.stream().map(Chart::name).toList());
        for (final Chart chart : charts)
        {
            assertFalse(chart.panels().isEmpty(), chart.name());
            for (final Chart.Panel panel : chart.panels())
            {
                assertFalse(panel.series().isEmpty(), chart.name());
                assertTrue(chart.isBars() || panel.series().size() <= Chart.MAX_LINES, chart.name());
                panel.series().forEach((series) -> series.points().forEach((point) ->
                {
                    assertTrue(Double.isFinite(point.x() + point.low() + point.high()), series.toString());
                    assertTrue(point.low() <= point.y() && point.y() <= point.high(), series.toString());
                }));
            }
        }
        return charts;
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
