package io.journal.bench.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalAppender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalExperimentTest
{
    private static final int SEGMENT_LENGTH = 65536;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(ints = { 65536, 1048576, 67108864 })
    void theLargestRecordIsTheJournals(final int segmentLength)
    {
        try (Journal journal = Journal.builder(directory).segmentLength(segmentLength).open())
        {
            assertEquals(journal.appender().maxRecordLength(), JournalExperiment.largestRecord(segmentLength));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 8, 1000, 30000, 31000, 61352 })
    void journalUsesNoMoreThanTheEstimatedSpace(final int recordLength) throws IOException
    {
        final int count = 100 + 1_000_000 / (recordLength + 24);
        try (Journal journal = Journal.builder(directory).segmentLength(SEGMENT_LENGTH).backgroundThread(false).open())
        {
            final JournalAppender appender = journal.appender();
            final byte[] record = new byte[recordLength];
            for (int i = 0; i < count; i++)
            {
                appender.append(i, record, 0, recordLength);
            }

            final double needed = JournalExperiment.neededBytes(count, recordLength, SEGMENT_LENGTH);
            final long taken = taken();
            assertTrue(taken <= needed && needed <= taken + 5L * SEGMENT_LENGTH, taken + " of " + needed);
        }
    }

    @Test
    void historyOfSeeksNeedsItsSegmentsAndThoseAllocatedAhead()
    {
        // Records of 88 bytes with their frame.
        assertEquals(4L << 20, neededBySeek("--records=1000"));
        assertEquals(5L << 20, neededBySeek("--records=10,20000"));
        assertEquals(4L << 26, neededBySeek("--records=20000", "--segment-length=67108864"));
    }

    @Test
    void sustainedAppendsNeedWhatRetentionLeavesUnlessTheyAreFewer()
    {
        // Four segments retained, and 20 more.
        assertEquals(24L << 20, neededBySustained("--segment-length=1048576"));
        assertEquals(28L << 20, neededBySustained("--segment-length=1048576", "--kept=8"));
        assertEquals(5L << 30, neededBySustained("--segment-length=1073741824"));
        assertEquals(4L << 26, neededBySustained("--warm-up-bytes=0", "--bytes=1000000"));
    }

    private static double neededBySeek(final String... options)
    {
        return CommandLine.populateCommand(new Seek(), options).neededBytes();
    }

    private static double neededBySustained(final String... options)
    {
        return CommandLine.populateCommand(new Sustained(), options).neededBytes();
    }

    private long taken() throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            return files.map(Path::toFile).filter((file) -> file.isFile() && file.length() >= SEGMENT_LENGTH)
                .mapToLong((file) -> file.length()).sum();
        }
    }
}
