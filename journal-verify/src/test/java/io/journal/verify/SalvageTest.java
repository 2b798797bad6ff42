// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.RecordBatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SalvageTest
{
    private static final int BLOCK_LENGTH = 4096;
    private static final int SEGMENT_LENGTH = 64 * 1024;
    private static final int HEADER_LENGTH = 24;
    private static final String SEGMENT = "00000000000000000001.journal";

    @TempDir
    Path path;

    /** Where a record's frame is. */
    private record Place(long sequence, long position, int length)
    {
        boolean isIn(final long from, final long to)
        {
            return position < to && position + HEADER_LENGTH + length > from;
        }
    }

    private static final class Found implements Salvage.Handler
    {
        final List<Place> places = new ArrayList<>();
        final List<Salvage.Gap> gaps = new ArrayList<>();

        @Override
        public void onRecord(
            final long sequence,
            final long tag,
            final long position,
            final ByteBuffer buffer,
            final int offset,
            final int length)
        {
            assertEquals(sequence, tag);
            places.add(new Place(sequence, position, length));
        }

        @Override
        public void onGap(final Salvage.Gap gap)
        {
            gaps.add(gap);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 7, 8, 14, 15 })
    void allRecordsOutsideABlockThatCannotBeReadAreFound(final int block) throws IOException
    {
        writeJournal();
        final long from = SEGMENT_LENGTH + (long)block * BLOCK_LENGTH;

        final Found found = salvage(failing(block * BLOCK_LENGTH));

        final List<Place> expected = new ArrayList<>(salvage(Backend.FILE_CHANNEL.store(path)).places);
        assertTrue(expected.removeIf((place) -> place.isIn(from, from + BLOCK_LENGTH)));
        assertEquals(expected, found.places);
        assertEquals(1, found.gaps.size(), () -> found.gaps.toString());
        assertEquals(SEGMENT, found.gaps.get(0).file());
    }

    @Test
    void allRecordsOutsideABlockThatCannotBeReadAreFoundWithoutTheControlFile() throws IOException
    {
        writeJournal();
        Files.delete(path.resolve(JournalFiles.CONTROL));
        final long from = SEGMENT_LENGTH + 7L * BLOCK_LENGTH;

        final Found found = salvage(failing(7 * BLOCK_LENGTH));

        final List<Place> expected = new ArrayList<>(salvage(Backend.FILE_CHANNEL.store(path)).places);
        assertTrue(expected.removeIf((place) -> place.isIn(from, from + BLOCK_LENGTH)));
        assertEquals(expected, found.places);
    }

    @Test
    void allRecordsOfASegmentWhoseHeaderCannotBeReadAreFound() throws IOException
    {
        writeJournal();
        final List<Place> whole = salvage(Backend.FILE_CHANNEL.store(path)).places;
        clearSalt();

        final Found found = salvage(failing(0));

        assertEquals(whole, found.places);
        assertEquals(List.of(), found.gaps);
    }

    /** Gives the frames of the second segment the salt 0, the first that is tried if the header is lost. */
    private void clearSalt() throws IOException
    {
        final byte[] content = Files.readAllBytes(path.resolve(SEGMENT));
        final ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        final long salt = SegmentHeader.salt(bytes);
        int offset = SegmentHeader.LENGTH;
        while (SEGMENT_LENGTH - offset >= FrameHeader.LENGTH)
        {
            final int length = FrameHeader.storedLength(bytes, offset);
            final int mixes = FrameHeader.mix(salt, offset, length) ^ FrameHeader.mix(0, offset, length);
            bytes.putInt(offset + Integer.BYTES, FrameHeader.checksum(bytes, offset) ^ mixes);
            offset += FrameHeader.align(FrameHeader.length(length));
        }
        Files.write(path.resolve(SEGMENT), content);
    }

    @Test
    void recordsBetweenDamageAndABlockThatCannotBeReadAreFound() throws IOException
    {
        writeJournal();
        final Found whole = salvage(Backend.FILE_CHANNEL.store(path));
        final Place damaged = whole.places.stream()
            .filter((place) -> place.position > SEGMENT_LENGTH + 6 * BLOCK_LENGTH).findFirst().orElseThrow();
        try (var file = Backend.FILE_CHANNEL.store(path).open(SEGMENT, SegmentStore.Access.WRITE))
        {
            file.write(damaged.position - SEGMENT_LENGTH + HEADER_LENGTH, ByteBuffer.wrap(new byte[]{ 1, 2, 3 }));
        }

        final Found found = salvage(failing(7 * BLOCK_LENGTH));

        final long from = SEGMENT_LENGTH + 7 * BLOCK_LENGTH;
        whole.places.removeIf((place) -> place.equals(damaged) || place.isIn(from, from + BLOCK_LENGTH));
        assertEquals(whole.places, found.places);
    }

    @Test
    void allRecordsAreFoundIfTheControlFileCannotBeRead() throws IOException
    {
        writeJournal();

        final Found found = salvage(StoreProxy.of(Backend.FILE_CHANNEL.store(path), (name, method, args) ->
        {
            if (JournalFiles.CONTROL.equals(name) && "read".equals(method))
            {
                throw new IOException("Input/output error");
            }
        }));

        assertEquals(salvage(Backend.FILE_CHANNEL.store(path)).places, found.places);
        assertEquals(List.of(), found.gaps);
    }

    @Test
    void controlFileThatCannotBeOpenedIsReported()
    {
        writeJournal();

        assertThrows(FileSystemException.class, () -> salvage(
            StoreProxy.of(Backend.FILE_CHANNEL.store(path), (name, method, args) ->
            {
                if ("open".equals(method) && JournalFiles.CONTROL.equals(args[0]))
                {
                    throw new FileSystemException(JournalFiles.CONTROL, null, "Too many open files");
                }
            })));
    }

    @Test
    void noRecordOfADamagedBatchIsFound() throws IOException
    {
        try (Journal journal = Journal.builder(path).segmentLength(SEGMENT_LENGTH).open())
        {
            appendNumbered(journal, 10);
            final RecordBatch batch = new RecordBatch();
            for (int i = 11; i <= 15; i++)
            {
                batch.add(i, new byte[50 - i]);
            }
            journal.appender().append(batch);
            appendNumbered(journal, 10);
        }
        final List<Place> whole = salvage(Backend.FILE_CHANNEL.store(path)).places;
        assertEquals(25, whole.size());
        final List<Place> expected =
            whole.stream().filter((place) -> place.sequence <= 10 || place.sequence > 15).toList();

        for (final Place damaged : whole.subList(10, 15))
        {
            // The checksum, the sequence, and the record itself.
            for (final int offset : new int[]{ 4, 8, HEADER_LENGTH })
            {
                flip(damaged.position + offset);
                final Found found = salvage(Backend.FILE_CHANNEL.store(path));
                assertEquals(expected, found.places);
                assertEquals(1, found.gaps.size());
                assertEquals(11, found.gaps.get(0).first());
                assertEquals(15, found.gaps.get(0).last());
                assertEquals(damaged.position, found.gaps.get(0).offset());
                flip(damaged.position + offset);
            }
        }
        assertEquals(whole, salvage(Backend.FILE_CHANNEL.store(path)).places);
    }

    private static void appendNumbered(final Journal journal, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            journal.appender().append(journal.lastSequence() + 1, new byte[40]);
        }
    }

    private void flip(final long position) throws IOException
    {
        try (var file = Backend.FILE_CHANNEL.store(path).open(JournalFiles.segment(0), SegmentStore.Access.WRITE))
        {
            final ByteBuffer bytes = ByteBuffer.allocate(1);
            file.read(position, bytes);
            bytes.put(0, (byte)(bytes.get(0) ^ 1));
            file.write(position, bytes.flip());
        }
    }

    private void writeJournal()
    {
        try (Journal journal = Journal.builder(path).segmentLength(SEGMENT_LENGTH).open())
        {
            for (int i = 1; i <= 700; i++)
            {
                journal.appender().append(i, new byte[100 + i % 200]);
            }
        }
    }

    private Found salvage(final SegmentStore store) throws IOException
    {
        final Found found = new Found();
        new Salvage(found).read(SalvageSource.of(store, path));
        return found;
    }

    /** A store in which a block of the second segment cannot be read. */
    private SegmentStore failing(final int from)
    {
        return StoreProxy.of(Backend.FILE_CHANNEL.store(path), (name, method, args) ->
        {
            if (SEGMENT.equals(name) && "read".equals(method))
            {
                final long offset = (long)args[0];
                if (offset < from + BLOCK_LENGTH && offset + ((ByteBuffer)args[1]).remaining() > from)
                {
                    throw new IOException("Input/output error");
                }
            }
        });
    }
}
