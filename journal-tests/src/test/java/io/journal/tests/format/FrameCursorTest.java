// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import io.journal.Journal;
import io.journal.RecordBatch;
import io.journal.internal.control.ControlContent;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Frames that are longer than a read and change between two reads, as with a concurrent writer. */
@InMemory
class FrameCursorTest extends JournalFixture
{
    private static final int OFFSET = SEGMENT_HEADER_LENGTH + MARK_LENGTH;
    private static final int RECORD_LENGTH = 10_000;

    // Changes to the frame's header, one for each read that includes it, until there are none left.
    private final Deque<Consumer<ByteBuffer>> changes = new ArrayDeque<>();

    // Change to the bytes of the next reads of a segment, or null.
    private Consumer<ByteBuffer> reading;

    private final class Changing implements StepStore.AllSteps
    {
        @Override
        public void afterRead(final String name, final long offset, final ByteBuffer bytes)
        {
            if (JournalFiles.isSegment(name) && null != reading)
            {
                reading.accept(bytes);
            }
            final long index = OFFSET - offset;
            if (JournalFiles.isSegment(name) && index >= 0 && index + FrameHeader.LENGTH <= bytes.limit() &&
                !changes.isEmpty())
            {
                changes.remove().accept(bytes.position((int)index).slice().order(ByteOrder.LITTLE_ENDIAN));
            }
        }
    }

    private FrameCursor open() throws IOException
    {
        final SegmentStore store =
            new StepStore(Backend.FILE_CHANNEL.store(temp.resolve("journal")), new Changing());
        final FrameCursor cursor = new FrameCursor(Window.copying(Block.LENGTH));
        cursor.attach(Segment.open(
            store, SegmentStore.Access.READ, false, ControlContent.read(store, false).uuid(), 0, SEGMENT_LENGTH));
        return cursor;
    }

    private Journal openJournal()
    {
        return repeatable(temp.resolve("journal"), Backend.FILE_CHANNEL, 1).open();
    }

    private FrameCursor openAtRecord() throws IOException
    {
        try (Journal journal = openJournal())
        {
            appendNumbered(journal, 1, RECORD_LENGTH);
        }

        return open();
    }

    private FrameCursor openAtBatch() throws IOException
    {
        try (Journal journal = openJournal())
        {
            journal.appender().append(
                new RecordBatch().add(-1, record(1, RECORD_LENGTH)).add(-2, record(2, 3)).add(-3, record(3, 0)));
        }

        return open();
    }

    @Test
    void tagIsTheOneThatTheChecksumCovers() throws IOException
    {
        final FrameCursor cursor = closing(openAtRecord());
        changes.add((header) -> header.putLong(16, 0));
        assertEquals(FrameCursor.Verdict.VALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
        assertEquals(0, changes.size());
        assertEquals(-1, cursor.tag());
        assertEquals(RECORD_LENGTH, cursor.length() - FrameHeader.LENGTH);
    }

    @Test
    void sequenceIsTheOneThatTheChecksumCovers() throws IOException
    {
        try (FrameCursor cursor = openAtRecord())
        {
            changes.add((header) -> header.putLong(8, 77));
            assertEquals(FrameCursor.Verdict.VALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
            assertEquals(0, changes.size());
            assertEquals(1, cursor.sequence());
        }
        final FrameCursor cursor = closing(open());
        changes.add((header) -> header.putLong(8, 77));
        assertEquals(FrameCursor.Verdict.UNEXPECTED, cursor.examine(OFFSET, SEGMENT_LENGTH, 77));
        assertEquals(1, cursor.sequence());
    }

    @Test
    void frameWithAChangingLengthIsInvalid() throws IOException
    {
        final FrameCursor cursor = closing(openAtRecord());
        changes.add((header) -> header.putInt(0, 5000));
        assertEquals(FrameCursor.Verdict.INVALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
        assertEquals(FrameCursor.Verdict.VALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
    }

    @Test
    void controlFrameWithAChangingKindIsInvalid() throws IOException
    {
        openJournal().close();
        new JournalDirectory(temp.resolve("journal")).writeFrame(0, OFFSET, true, 1, 98, new byte[RECORD_LENGTH]);
        final FrameCursor cursor = closing(open());
        // The kind may be skipped, so nothing else of the frame is checked.
        changes.add((header) -> header.putLong(16, 99));
        assertEquals(FrameCursor.Verdict.INVALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
        assertEquals(FrameCursor.Verdict.VALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
        assertEquals(98, cursor.tag());
    }

    @Test
    void batchIsShownByItsLastFrame() throws IOException
    {
        final FrameCursor cursor = closing(openAtBatch());
        assertEquals(FrameCursor.Verdict.VALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
        assertTrue(cursor.isMore());
        final int second = cursor.nextOffset();
        for (final long expected : new long[]{ 1, FrameCursor.ANY_SEQUENCE })
        {
            assertEquals(FrameCursor.Verdict.VALID, cursor.examineBatch(OFFSET, SEGMENT_LENGTH, expected));
            assertFalse(cursor.isMore());
            assertEquals(3, cursor.sequence());
            assertEquals(4, cursor.nextSequence());
            assertEquals(OFFSET + 3 * FrameHeader.LENGTH + RECORD_LENGTH + 8, cursor.nextOffset());
        }
        assertEquals(FrameCursor.Verdict.UNEXPECTED, cursor.examineBatch(OFFSET, SEGMENT_LENGTH, 2));
        assertEquals(OFFSET, cursor.offset());

        // The batch is valid only if the limit lies after its last frame.
        final int end = OFFSET + 3 * FrameHeader.LENGTH + RECORD_LENGTH + 8;
        for (int limit = OFFSET; limit < end; limit += 8)
        {
            assertEquals(FrameCursor.Verdict.INVALID, cursor.examineBatch(OFFSET, limit, 1));
        }
        assertEquals(FrameCursor.Verdict.VALID, cursor.examineBatch(OFFSET, end, 1));

        changes.add((header) -> header.putInt(0, 0));
        cursor.forget();
        assertEquals(FrameCursor.Verdict.ABSENT, cursor.examineBatch(OFFSET, SEGMENT_LENGTH, 1));

        new JournalDirectory(temp.resolve("journal")).flip(JournalFiles.segment(0), second + FrameHeader.LENGTH, 0);
        final FrameCursor damaged = closing(open());
        assertEquals(FrameCursor.Verdict.INVALID, damaged.examineBatch(OFFSET, SEGMENT_LENGTH, 1));
        assertEquals(second, damaged.offset());
        assertEquals(2, damaged.expectedSequence());
    }

    @Test
    void nothingIsLoadedAfterAReadThatFailed() throws IOException
    {
        try (Journal journal = openJournal())
        {
            appendNumbered(journal, 10, 900);
        }
        final FrameCursor cursor = closing(open());
        int offset = OFFSET;
        for (int sequence = 1; sequence <= 4; sequence++)
        {
            assertEquals(FrameCursor.Verdict.VALID, cursor.examine(offset, SEGMENT_LENGTH, sequence));
            offset = cursor.nextOffset();
        }

        // The header of the frame is loaded together with the frames before it; its end is not.
        final int frame = offset;
        reading = (bytes) ->
        {
            reading = null;
            bytes.put(0, new byte[bytes.limit()]);
            throw new UnsupportedOperationException("reading fails");
        };
        assertThrows(UnsupportedOperationException.class, () -> cursor.examine(frame, SEGMENT_LENGTH, 5));
        assertNull(reading);
        assertEquals(FrameCursor.Verdict.VALID, cursor.examine(frame, SEGMENT_LENGTH, 5));
    }

    @Test
    void recordsAreExaminedAsFramesAre() throws IOException
    {
        try (Journal journal = openJournal())
        {
            appendNumbered(journal, 3, 60);
            journal.appender().append(new RecordBatch().add(-4, record(4, 10)).add(-5, record(5, 3)));
            journal.force();
            appendNumbered(journal, 2, 0);
        }
        final FrameCursor cursor = closing(open());
        assertEquals(FrameCursor.Verdict.VALID, cursor.examine(OFFSET, SEGMENT_LENGTH, 1));
        int records = 0;
        for (int offset = cursor.nextOffset(), next; offset < SEGMENT_LENGTH; offset = next)
        {
            cursor.forget();
            if (FrameCursor.Verdict.VALID != cursor.examine(offset, SEGMENT_LENGTH, FrameCursor.ANY_SEQUENCE))
            {
                break;
            }
            next = cursor.nextOffset();
            final long sequence = cursor.sequence();
            records += isRecord(cursor, offset, sequence) ? 1 : 0;
            assertFalse(isRecord(cursor, offset, sequence - 1));
            assertFalse(isRecord(cursor, offset, sequence + 1));
            for (int bit = 0; bit < 8 * (next - offset); bit++)
            {
                final int flipped = bit;
                final int first = offset;
                reading = (bytes) -> bytes.put(flipped / 8, (byte)(bytes.get(flipped / 8) ^ 1 << flipped % 8));
                cursor.forget();
                isRecord(cursor, first, sequence);
                reading = null;
            }
        }
        assertEquals(6, records);
    }

    /** Whether both forms of the search find a record, or neither does. */
    private static boolean isRecord(final FrameCursor cursor, final int offset, final long sequence) throws IOException
    {
        final boolean isFound = FrameCursor.Verdict.VALID == cursor.examine(offset, SEGMENT_LENGTH, sequence) &&
            !cursor.isControl();
        final int next = isFound ? cursor.nextOffset() : offset;
        assertEquals(next, cursor.validRecords(offset, cursor.loadedEnd(), sequence, sequence));
        if (isFound)
        {
            assertEquals(cursor.isMore(), cursor.isMoreAt(offset));
            assertEquals(sequence, cursor.sequence());
            assertEquals(-sequence, cursor.tag());
        }
        return isFound;
    }
}
