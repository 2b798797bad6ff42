// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import io.aeron.Aeron;
import io.aeron.archive.CatalogView;
import io.aeron.archive.codecs.CatalogHeaderDecoder;
import io.aeron.archive.codecs.RecordingDescriptorDecoder;
import io.aeron.archive.codecs.RecordingDescriptorHeaderDecoder;
import io.aeron.archive.codecs.RecordingState;
import io.aeron.protocol.DataHeaderFlyweight;
import io.journal.JournalException;
import org.agrona.IoUtil;
import org.agrona.collections.MutableLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Finds the end of the log that a killed member has left. A kill is simulated with a copy of the files of an idle
 * member.
 */
@Tag("slow")
class RecordingEndsTest
{
    private static final int PAGE = 4096;
    private static final int TERM_LENGTH = 512 * 1024;
    private static final int SEGMENT_LENGTH = 1024 * 1024;
    private static final int KILLS = 70;
    // More than the headers before a record's bytes: of the frame, the session, the message and the record.
    private static final int MAX_HEADERS = 128;

    @TempDir
    private Path directory;
    private final String members = Ports.members(1);

    @Test
    void recordsThatEndInZerosAreThereWhereverTheyCrossAPage() throws IOException
    {
        final byte[] record = new byte[1_200];
        final byte[] filler = new byte[16_000];
        int crossings = 0;
        long last = 0;
        final Path copy = directory.resolve("copy");
        try (JournalMember member = start(); ReplicatedJournal journal = connect())
        {
            // Continue until the last record crosses a page, so that Aeron would not start with it.
            boolean isCrossing = false;
            for (int i = 0; i < KILLS || !isCrossing; i++)
            {
                journal.appender().append(filler, 0, 1 + i * 7_919 % filler.length);
                journal.force();
                final long before = member.commitPosition();
                last = journal.appender().append(record);
                journal.force();
                final long end = member.commitPosition();
                final long page = (before / PAGE + 1) * PAGE;
                isCrossing = page < end && page > before + MAX_HEADERS;
                crossings += isCrossing ? 1 : 0;

                copyLog(copy);
                final long recovered = recover(copy);
                assertTrue(recovered >= end, () -> "before=" + before + ", end=" + end + ", recovered=" + recovered);
                // An election, which a busy machine may cause, has its own place in the log.
                TestCluster.await("what was recovered", () -> member.commitPosition() >= recovered);
            }
            assertTrue(member.commitPosition() > TERM_LENGTH && crossings > 5, "crossings=" + crossings);
            IoUtil.delete(copy.toFile(), false);
            MemberFiles.copy(engine(), copy, (step) ->
            {
                // Nothing has to act between the steps, because the member runs meanwhile.
            });
        }

        IoUtil.delete(engine().toFile(), false);
        Files.move(copy, engine());
        try (JournalMember member = start(); ReplicatedJournal journal = connect())
        {
            assertEquals(last, journal.lastSequence());
            assertEquals(last + 1, journal.appender().append(record));
            journal.force();
            assertEquals(last + 1, member.lastSequence());
        }
    }

    @Test
    void tornFrameIsDroppedAndPaddingIsNot() throws IOException
    {
        final byte[] record = new byte[1_200];
        Arrays.fill(record, (byte)'x');
        final Path copy = directory.resolve("copy");
        try (JournalMember member = start(); ReplicatedJournal journal = connect())
        {
            journal.appender().append(record);
            journal.force();
            final long before = member.commitPosition();
            journal.appender().append(record);
            journal.force();
            final long end = member.commitPosition();

            for (long cut = before + Integer.BYTES; cut < end - Long.BYTES; cut += 32)
            {
                copyLog(copy);
                write(copy, cut, new byte[(int)(end - cut)]);
                assertEquals(before, recover(copy), "cut=" + cut);
                // The torn frame is erased.
                assertEquals(0, read(copy, before).getInt());
            }

            copyLog(copy);
            final ByteBuffer padding = read(copy, before);
            padding.putInt(DataHeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET, TERM_LENGTH - (int)end);
            padding.putShort(DataHeaderFlyweight.TYPE_FIELD_OFFSET, (short)DataHeaderFlyweight.HDR_TYPE_PAD);
            padding.putInt(DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET, (int)end);
            write(copy, end, padding.array());
            assertEquals(TERM_LENGTH, recover(copy));

            // The member was killed while the archive deleted a recording.
            try (FileChannel catalog = FileChannel.open(copy.resolve("archive.catalog"), StandardOpenOption.WRITE))
            {
                catalog.write(
                    ByteBuffer.allocate(Integer.BYTES).order(LITTLE_ENDIAN).putInt(0, RecordingState.DELETED.value()),
                    CatalogHeaderDecoder.BLOCK_LENGTH + RecordingDescriptorHeaderDecoder.stateEncodingOffset());
            }
            recover(copy);
            assertFalse(Files.exists(copy.resolve("0-0.rec")));
        }
    }

    @Test
    void whatTheArchiveHadNotYetDroppedOfTheLogIsDropped() throws IOException
    {
        final Path copy = directory.resolve("copy");
        final long before;
        try (JournalMember member = start(); ReplicatedJournal journal = connect())
        {
            journal.appender().append(new byte[1_200]);
            journal.force();
            before = member.commitPosition();
            journal.appender().append(new byte[1_200]);
            journal.force();
            copyLog(copy);
        }

        // The member was killed while it truncated frames that another leader does not have.
        final Path later = copy.resolve("0-" + SEGMENT_LENGTH + ".rec");
        Files.copy(copy.resolve("0-0.rec"), later);
        note(copy, RecordingDescriptorDecoder.stopPositionEncodingOffset(), before);
        assertEquals(before, recover(copy));
        assertEquals(0, read(copy, before).getInt());
        assertEquals(SEGMENT_LENGTH, Files.size(copy.resolve("0-0.rec")));
        assertFalse(Files.exists(later));
        // The same once more, after the member has continued.
        open(copy);
        assertEquals(before, recover(copy));

        // The member was killed while it dropped the beginning of the log, which no member needs.
        Files.write(later, new byte[SEGMENT_LENGTH]);
        open(copy);
        note(copy, RecordingDescriptorDecoder.startPositionEncodingOffset(), SEGMENT_LENGTH);
        assertEquals(SEGMENT_LENGTH, recover(copy));
        assertFalse(Files.exists(copy.resolve("0-0.rec")));
        assertTrue(Files.exists(later));

        try (FileChannel catalog = FileChannel.open(copy.resolve("archive.catalog"), StandardOpenOption.WRITE))
        {
            catalog.write(ByteBuffer.allocate(Integer.BYTES), CatalogHeaderDecoder.alignmentEncodingOffset());
        }
        final JournalException ex = assertTimeoutPreemptively(
            Duration.ofMinutes(10),
            () -> assertThrows(JournalException.class, () -> RecordingEnds.recover(copy, true)));
        assertTrue(ex.getCause().getMessage().contains("alignment=0"), () -> ex.getCause().getMessage());
    }

    @Test
    void fileThatIsFullKeepsItsLastByte() throws IOException
    {
        final Path copy = directory.resolve("copy");
        final int end;
        try (JournalMember member = start(); ReplicatedJournal journal = connect())
        {
            journal.appender().append(new byte[1_200]);
            journal.force();
            end = (int)member.commitPosition();
            copyLog(copy);
        }

        // Its member is killed before the archive creates the next file.
        final ByteBuffer header = read(copy, 0);
        final byte[] last = new byte[64];
        Arrays.fill(last, (byte)'x');
        final int start = SEGMENT_LENGTH - DataHeaderFlyweight.HEADER_LENGTH - last.length;
        writePadding(copy, header, end, TERM_LENGTH);
        writePadding(copy, header, TERM_LENGTH, start);
        final CRC32C crc = new CRC32C();
        crc.update(last);
        header.putInt(DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET, (int)crc.getValue());
        header.putShort(DataHeaderFlyweight.TYPE_FIELD_OFFSET, (short)DataHeaderFlyweight.HDR_TYPE_DATA);
        writeFrame(copy, header, start, SEGMENT_LENGTH);
        write(copy, SEGMENT_LENGTH - last.length, last);

        assertEquals(SEGMENT_LENGTH, recover(copy));
        final ByteBuffer found = ByteBuffer.allocate(last.length);
        try (FileChannel channel = FileChannel.open(copy.resolve("0-0.rec")))
        {
            assertEquals(SEGMENT_LENGTH, channel.size());
            channel.read(found, SEGMENT_LENGTH - last.length);
        }
        assertArrayEquals(last, found.array());
    }

    private static void writePadding(final Path copy, final ByteBuffer header, final int start, final int end)
        throws IOException
    {
        header.putShort(DataHeaderFlyweight.TYPE_FIELD_OFFSET, (short)DataHeaderFlyweight.HDR_TYPE_PAD);
        writeFrame(copy, header, start, end);
    }

    /** The header of a frame, with its length and place. */
    private static void writeFrame(final Path copy, final ByteBuffer header, final int start, final int end)
        throws IOException
    {
        final int initialTermId = read(copy, 0).getInt(DataHeaderFlyweight.TERM_ID_FIELD_OFFSET);
        header.putInt(DataHeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET, end - start);
        header.putInt(DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET, start % TERM_LENGTH);
        header.putInt(DataHeaderFlyweight.TERM_ID_FIELD_OFFSET, initialTermId + start / TERM_LENGTH);
        write(copy, start, header.array());
    }

    @Test
    void damagedHeaderIsNotTakenForTheEndIfWhatFollowsWasFsynced() throws IOException
    {
        final Path copy = directory.resolve("copy");
        final long end;
        try (JournalMember member = start(aeron().logSegmentLength(4 * SEGMENT_LENGTH));
            ReplicatedJournal journal = connect())
        {
            while (member.commitPosition() < 3 * SEGMENT_LENGTH)
            {
                journal.appender().append(new byte[16_000]);
                journal.force();
            }
            end = member.commitPosition();
            copyLog(copy);
        }

        // Whole frames follow more than a block after the first position, and less than a block after the second.
        long position = 0;
        while (position < PAGE)
        {
            position = next(copy, position);
        }
        long late = position;
        while (late < end - SEGMENT_LENGTH + PAGE)
        {
            late = next(copy, late);
        }
        damageHeader(copy, late);
        assertEquals(late, recover(copy));

        open(copy);
        damageHeader(copy, position);
        final JournalException ex = assertThrows(JournalException.class, () -> RecordingEnds.recover(copy, true));
        assertTrue(ex.getMessage().contains("position=" + position + "; what follows is whole"), ex::getMessage);
        // Without fsyncs of the log, the damage may be a hole that a power loss left.
        assertEquals(position, recover(copy, false));
    }

    /** Gives a frame a term that does not exist. */
    private static void damageHeader(final Path copy, final long position) throws IOException
    {
        write(copy, position + DataHeaderFlyweight.TERM_ID_FIELD_OFFSET, new byte[]{ -1, -1, -1, -1 });
    }

    private static long next(final Path copy, final long position) throws IOException
    {
        return position + (read(copy, position).getInt(0) + 31) / 32 * 32;
    }

    /** Removes the end of the log from the catalog, as if the member had been killed. */
    private static void open(final Path copy) throws IOException
    {
        note(copy, RecordingDescriptorDecoder.stopPositionEncodingOffset(), Aeron.NULL_VALUE);
    }

    /** A field of the log's descriptor. */
    private static void note(final Path copy, final int offset, final long value) throws IOException
    {
        try (FileChannel catalog = FileChannel.open(copy.resolve("archive.catalog"), StandardOpenOption.WRITE))
        {
            catalog.write(
                ByteBuffer.allocate(Long.BYTES).order(LITTLE_ENDIAN).putLong(0, value),
                CatalogHeaderDecoder.BLOCK_LENGTH + RecordingDescriptorHeaderDecoder.BLOCK_LENGTH + offset);
        }
    }

    @BeforeEach
    void create()
    {
        JournalMember.create(0, directory.resolve("member"));
    }

    private JournalMember start()
    {
        return start(aeron());
    }

    private JournalMember start(final AeronEngine engine)
    {
        return TestCluster.single(directory, members).maxRecordLength(16 * 1024).engine(engine).start();
    }

    private ReplicatedJournal connect()
    {
        return TestCluster.writer(directory, members).maxRecordLength(16 * 1024).connect();
    }

    private AeronEngine aeron()
    {
        return TestCluster.engine(directory).termLength(TERM_LENGTH).heartbeatTimeout(Duration.ofSeconds(10));
    }

    private Path engine()
    {
        return directory.resolve("member/engine");
    }

    /** The log that a kill leaves. There are no snapshots, so it is the only recording. */
    private void copyLog(final Path copy) throws IOException
    {
        IoUtil.delete(copy.toFile(), true);
        Files.createDirectories(copy);
        try (Stream<Path> files = Files.list(MemberFiles.archive(engine())))
        {
            files.filter((file) -> file.toString().endsWith(".rec") || file.toString().endsWith(".catalog"))
                .forEach((file) ->
                {
                    try
                    {
                        Files.copy(file, copy.resolve(String.valueOf(file.getFileName())));
                    }
                    catch (final IOException ex)
                    {
                        throw new UncheckedIOException(ex);
                    }
                });
        }
    }

    private static long recover(final Path copy)
    {
        return recover(copy, true);
    }

    private static long recover(final Path copy, final boolean isForced)
    {
        RecordingEnds.recover(copy, isForced);
        final MutableLong end = new MutableLong(Aeron.NULL_VALUE);
        assertEquals(1, CatalogView.listRecordings(
            copy.toFile(), (control, correlation, id, startTime, stopTime, start, stop, initialTermId, segmentLength,
                termLength, mtu, session, stream, stripped, original, source) -> end.set(stop)));
        return end.get();
    }

    /** The header of a frame. */
    private static ByteBuffer read(final Path copy, final long position) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(DataHeaderFlyweight.HEADER_LENGTH).order(LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(copy.resolve("0-0.rec")))
        {
            channel.read(buffer, position);
        }
        return buffer.flip();
    }

    private static void write(final Path copy, final long position, final byte[] bytes) throws IOException
    {
        try (FileChannel channel = FileChannel.open(copy.resolve("0-0.rec"), StandardOpenOption.WRITE))
        {
            channel.write(ByteBuffer.wrap(bytes), position);
        }
    }
}
