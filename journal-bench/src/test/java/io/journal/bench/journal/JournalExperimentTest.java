package io.journal.bench.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalAppender;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    @ValueSource(ints = { 0, 8, 1000, 30000, 31000, 61376 })
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

    private long taken() throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            return files.map(Path::toFile).filter((file) -> file.isFile() && file.length() >= SEGMENT_LENGTH)
                .mapToLong((file) -> file.length()).sum();
        }
    }
}
