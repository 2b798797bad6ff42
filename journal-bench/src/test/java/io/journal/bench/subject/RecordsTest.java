package io.journal.bench.subject;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class RecordsTest
{
    private static final int LENGTH = 40;

    @TempDir
    private Path directory;

    private final Records records = new Records(LENGTH);

    @Test
    void appendedRecordsAreAccepted()
    {
        append(1, 1, LENGTH);
        append(2, 2, LENGTH);

        replay(records::checkContent);

        assertEquals(3, records.expectedSequence);
    }

    @Test
    void wrongBytesAreRejected()
    {
        append(1, 1, LENGTH);
        append(2, 1, LENGTH);

        assertThrows(IllegalStateException.class, () -> replay(records::checkContent));
    }

    @Test
    void wrongTagIsRejected()
    {
        append(2, 1, LENGTH);

        assertThrows(IllegalStateException.class, () -> replay(records::checkContent));
    }

    @Test
    void wrongLengthIsRejected()
    {
        append(1, 1, LENGTH - 1);

        assertThrows(IllegalStateException.class, () -> replay(records::checkContent));
        assertThrows(IllegalStateException.class, () -> replay(records::checkOrder));
    }

    @Test
    void skippedRecordIsDetected()
    {
        append(1, 1, LENGTH);
        append(2, 2, LENGTH);

        assertThrows(IllegalStateException.class, () -> replayFrom(2, records::checkOrder));
    }

    private void append(final long tagOf, final long bytesOf, final int length)
    {
        try (Journal journal = open())
        {
            journal.appender().append(Records.tag(tagOf), records.bytes(), Records.offset(bytesOf), length);
        }
    }

    private void replay(final RecordHandler handler)
    {
        replayFrom(1, handler);
    }

    private void replayFrom(final long sequence, final RecordHandler handler)
    {
        try (Journal journal = open(); JournalReader reader = journal.openReader())
        {
            reader.seek(sequence);
            records.expectedSequence = 1;
            reader.poll(handler, Integer.MAX_VALUE);
        }
    }

    private Journal open()
    {
        return Journal.builder(directory).segmentLength(64 * 1024).open();
    }
}
