// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.journal.bench.run.RawFile;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The programs as published: what their printed lines mean. */
class OriginalsTest
{
    @Test
    void linesOfTheArticleOf2011AreRates()
    {
        final List<RawFile.Line> lines = ThompsonProgram.parse("400MB file", List.of(
            "400MB file", "===========", "RandomAccessFile\twrite=379,610,750\tread=1,452,482,269 bytes/sec",
            "RandomAccessFile\twrite=294,041,636\tread=1,494,890,510 bytes/sec"));

        assertEquals(List.of(1, 2), lines.stream().map(RawFile.Line::round).toList());
        assertEquals("RandomAccessFile, 400MB file", lines.get(0).label());
        assertEquals(
            Map.of("writeBytesPerSecond", "379610750", "readBytesPerSecond", "1452482269"), lines.get(0).values());
    }

    @Test
    void linesOfItsCommentsAreRatesAsWell()
    {
        final RawFile.Line pages = ThompsonProgram.parse("f", List.of(
            "Page size : 4 KBytes", "MemoryMappedFile write=1,000 read=2,000 (bytes/sec), CPUtime=11 (millSec)"))
            .get(0);
        final RawFile.Line writes = ThompsonProgram.parse("f", List.of(
            "Test\tbytes/second write speed", "RandomAccessFile.byte[]-rw\t12,345")).get(0);

        assertEquals("11000", pages.values().get("cpuUs"));
        assertEquals(Map.of("writeBytesPerSecond", "12345"), writes.values());
    }

    @Test
    void statisticsOfTheJavaIoBenchmarkAreThoseOfItsText()
    {
        Locale.setDefault(Locale.US);
        final String text = KaterinenkoProgram.text("DirectByteBufferGenerator", 1 << 20, 1e9, 2e9, 3e9);

        assertTrue(text.startsWith("DirectByteBufferGenerator:\navg:2000.000000 millis 0.500 (MB/s)\n"), text);
        assertTrue(text.contains("sygma:816.496581 millis 1.225 (MB/s)(40.824829%)"), text);
        final List<RawFile.Line> lines = KaterinenkoProgram.parse(1 << 20, 1024, text.lines().toList());
        assertEquals(3, lines.size());
        assertEquals("DirectGen, buffer of 1024 B", lines.get(0).label());
        assertEquals(1 << 20, Double.parseDouble(lines.get(0).values().get("writeBytesPerSecond")));
    }

    @Test
    void rowsOfTheBufferSweepAreMinimumMaximumAndMean()
    {
        final List<RawFile.Line> lines = PureSolProgram.parse(List.of(
            "read:", "BufferSize | minThroughput | maxThroughput | meanThroughput | sigmaThroughput |",
            "8 | 1.5 | 2.5 | 2.0 | 0.3 |", "written:", "0 | 1.0 | 1.0 | 1.0 | 0.0 |"));

        assertEquals(6, lines.size());
        assertEquals(List.of("1500000.0", "2500000.0", "2000000.0"), lines.stream().limit(3)
            .map((line) -> line.values().get("readBytesPerSecond")).toList());
        assertEquals("FileOutputStream", lines.get(5).parameters().get("way"));
    }

    @Test
    void rowsOfTheThirteenWaysHaveTheirLengths()
    {
        final List<RawFile.Line> lines = NadeauProgram.parse(List.of(
            "FileChannel with direct ByteBuffer and byte array gets       8192     131072    0.020000    1000000 " +
                "         -77 array",
            "FileInputStream with byte reads                                 -          -    2.000000    1000000 " +
                "         77 none"));

        assertEquals("CHANNEL_DIRECT_ARRAY, buffer of 8192 B, array of 131072 B, array varied", lines.get(0).label());
        assertEquals(5e7, Double.parseDouble(lines.get(0).values().get("readBytesPerSecond")), 1);
        assertEquals(Map.of("way", "FILE_INPUT_STREAM_BYTES", "varied", "none"), lines.get(1).parameters());
    }

    @Test
    void eachWayHasLoopsOfItsOwnThatSumAsPublished() throws Exception
    {
        final byte[] array = { 1, -1 };
        for (final boolean isUnsigned : new boolean[]{ false, true })
        {
            final Sums sums = Sums.copy(isUnsigned);
            final int[] next = { 0 };
            assertEquals(isUnsigned ? 256 : 0, sums.bytes(() -> next[0] < 2 ? array[next[0]++] & 0xFF : -1));
            assertTrue(Sums.copy(isUnsigned).getClass() != sums.getClass());
        }
        assertEquals(13, NadeauWay.values().length);
        assertEquals(3, Arrays.stream(NadeauWay.values()).filter(NadeauWay::isPublishedUnsigned).count());
    }
}
