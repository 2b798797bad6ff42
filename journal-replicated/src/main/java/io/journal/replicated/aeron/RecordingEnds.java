package io.journal.replicated.aeron;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.aeron.Aeron;
import io.aeron.archive.codecs.CatalogHeaderDecoder;
import io.aeron.archive.codecs.RecordingDescriptorDecoder;
import io.aeron.archive.codecs.RecordingDescriptorHeaderDecoder;
import io.aeron.archive.codecs.RecordingState;
import io.aeron.cluster.ConsensusModule;
import io.journal.JournalException;
import org.agrona.BitUtil;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * Finds the ends of the recordings that a killed member left open, by the checksums of their frames, before its archive
 * starts, and notes them in the archive's catalog.
 * <p>
 * Left to itself, the archive looks at the last frame only, and refuses to start if that crosses a page and ends in
 * zeros, whole or torn, record or padding. For one thread.
 */
final class RecordingEnds
{
    private static final int HEADER_LENGTH = RecordingDescriptorHeaderDecoder.BLOCK_LENGTH;
    private static final int DESCRIPTOR_LENGTH = HEADER_LENGTH + RecordingDescriptorDecoder.BLOCK_LENGTH;

    private final Path directory;
    private final List<String> files;
    private final boolean isForced;
    private final RecordedFrames frames = new RecordedFrames();

    private RecordingEnds(final Path directory, final List<String> files, final boolean isForced)
    {
        this.directory = directory;
        this.files = files;
        this.isForced = isForced;
    }

    /**
     * To be called while no archive uses the directory.
     *
     * @param isForced whether each block was fsynced before the next one was written. If not, or if files were copied
     *                 while they were written, a recording may have holes, and ends before the first.
     */
    static void recover(final Path archiveDirectory, final boolean isForced)
    {
        final Path catalog = archiveDirectory.resolve(MemberFiles.CATALOG);
        if (!Files.exists(catalog))
        {
            return;
        }

        try (FileChannel channel = FileChannel.open(catalog, READ, WRITE);
            Stream<Path> list = Files.list(archiveDirectory))
        {
            final List<String> files = list.map((file) -> String.valueOf(file.getFileName())).toList();
            final RecordingEnds ends = new RecordingEnds(archiveDirectory, files, isForced);
            for (final Recording recording : recordings(channel))
            {
                ends.recover(channel, recording);
            }
            channel.force(true);
            MemberFiles.forceNames(archiveDirectory);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot recover the cluster's log: directory=" + archiveDirectory, ex);
        }
    }

    /**
     * {@return the length of the terms of the cluster's log, which are those of its first leader; 0 if there is none}
     */
    static int termLengthOfLog(final Path archiveDirectory)
    {
        final Path catalog = archiveDirectory.resolve(MemberFiles.CATALOG);
        if (!Files.exists(catalog))
        {
            return 0;
        }

        try (FileChannel channel = FileChannel.open(catalog, READ))
        {
            return recordings(channel).stream().filter(Recording::isLog).mapToInt((log) -> log.termLength).findFirst()
                .orElse(0);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the archive's catalog: file=" + catalog, ex);
        }
    }

    private static List<Recording> recordings(final FileChannel catalog) throws IOException
    {
        final List<Recording> recordings = new ArrayList<>();
        final ByteBuffer buffer = ByteBuffer.allocate(DESCRIPTOR_LENGTH).order(LITTLE_ENDIAN);
        read(catalog, buffer, 0);
        final int alignment = buffer.getInt(CatalogHeaderDecoder.alignmentEncodingOffset());
        long offset = CatalogHeaderDecoder.BLOCK_LENGTH;
        read(catalog, buffer, offset);
        while (buffer.getInt(RecordingDescriptorHeaderDecoder.lengthEncodingOffset()) > 0)
        {
            if (!BitUtil.isPowerOfTwo(alignment))
            {
                throw new IOException("damaged catalog of the archive: alignment=" + alignment);
            }
            recordings.add(new Recording(buffer, offset));
            offset += BitUtil.align(
                HEADER_LENGTH + buffer.getInt(RecordingDescriptorHeaderDecoder.lengthEncodingOffset()), alignment);
            read(catalog, buffer, offset);
        }
        return recordings;
    }

    /** What is not there, behind the end of the file, is read as zeros. */
    private static void read(final FileChannel channel, final ByteBuffer buffer, final long offset) throws IOException
    {
        buffer.clear();
        while (buffer.hasRemaining() && channel.read(buffer, offset + buffer.position()) > 0)
        {
            Thread.onSpinWait();
        }
        while (buffer.hasRemaining())
        {
            buffer.put((byte)0);
        }
    }

    private void recover(final FileChannel catalog, final Recording recording) throws IOException
    {
        if (RecordingState.DELETED.value() == recording.state)
        {
            // The process was killed while the archive deleted them.
            delete(recording::isPartOf);
        }
        else if (RecordingState.VALID.value() == recording.state && Aeron.NULL_VALUE == recording.stopPosition)
        {
            final long descriptor = recording.offset + HEADER_LENGTH;
            write(
                catalog, descriptor + RecordingDescriptorDecoder.stopTimestampEncodingOffset(),
                System.currentTimeMillis());
            write(catalog, descriptor + RecordingDescriptorDecoder.stopPositionEncodingOffset(), endOf(recording));
        }
        else if (recording.isLog())
        {
            dropBehind(recording, recording.stopPosition);
        }

        if (recording.isLog())
        {
            // The process was killed while the archive dropped the beginning of the log.
            delete((name) -> recording.isFile(name) &&
                Recording.positionOf(name) + recording.segmentLength <= recording.startPosition);
        }
    }

    private void delete(final Predicate<String> isDropped) throws IOException
    {
        for (final String name : files)
        {
            if (isDropped.test(name))
            {
                Files.deleteIfExists(directory.resolve(name));
            }
        }
    }

    /**
     * The archive notes where it cuts what another leader has not got, before it does. If the process was killed in
     * between, what is left could look like the continuation of what is written before it.
     */
    private void dropBehind(final Recording log, final long end) throws IOException
    {
        delete((name) -> log.isFile(name) && Recording.positionOf(name) > end);
        for (final String name : files)
        {
            if (log.isFile(name) && Recording.positionOf(name) <= end)
            {
                cut(directory.resolve(name), end - Recording.positionOf(name), log.segmentLength);
            }
        }
    }

    /**
     * Has zeros behind the end in a file. A full file has none, and its last byte may be that of a record.
     */
    private static void cut(final Path path, final long length, final int segmentLength) throws IOException
    {
        if (length < segmentLength)
        {
            // Also on a full disk: nothing is written.
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
            {
                file.setLength(length);
                file.setLength(segmentLength);
                file.getFD().sync();
            }
        }
    }

    private static void write(final FileChannel channel, final long offset, final long value) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES).order(LITTLE_ENDIAN).putLong(0, value);
        while (buffer.hasRemaining())
        {
            channel.write(buffer, offset + buffer.position());
        }
    }

    private long endOf(final Recording recording) throws IOException
    {
        final long filePosition =
            files.stream().filter(recording::isFile).mapToLong(Recording::positionOf).max().orElse(Aeron.NULL_VALUE);
        if (Aeron.NULL_VALUE == filePosition)
        {
            return recording.startPosition;
        }

        final Path file = directory.resolve(recording.recordingId + "-" + filePosition + MemberFiles.RECORDINGS);
        try (FileChannel channel = FileChannel.open(file, READ, WRITE))
        {
            final long start = Math.max(filePosition, recording.startPosition);
            final long end = frames.findEnd(channel, recording, filePosition, start);
            if (end == start && frames.isWithoutChecksums())
            {
                throw new JournalException(
                    "the cluster's log has no checksums, it is that of an older version: file=" + file +
                        "; move the member's directory away, and seed it from a member of this version");
            }
            if (isForced && frames.isWholeFrameBehind(channel, recording, filePosition))
            {
                throw new JournalException(
                    "the cluster's log is damaged: file=" + file + ", position=" + end +
                        "; what follows is whole, so this is not the end, and may have been acknowledged: move the " +
                        "member's directory away and seed it from another member");
            }
            // Stale bytes behind the end could look like frames once others are written before them.
            cut(file, end - filePosition, recording.segmentLength);
            channel.force(true);
            return end;
        }
    }

    /** An entry of the archive's catalog. */
    static final class Recording
    {
        // In the catalog.
        final long offset;
        final int state;
        final long recordingId;
        final long startPosition;
        final long stopPosition;
        final int initialTermId;
        final int segmentLength;
        final int termLength;
        final int sessionId;
        final int streamId;

        private Recording(final ByteBuffer entry, final long offset)
        {
            this.offset = offset;
            state = entry.getInt(RecordingDescriptorHeaderDecoder.stateEncodingOffset());
            recordingId = entry.getLong(HEADER_LENGTH + RecordingDescriptorDecoder.recordingIdEncodingOffset());
            startPosition = entry.getLong(HEADER_LENGTH + RecordingDescriptorDecoder.startPositionEncodingOffset());
            stopPosition = entry.getLong(HEADER_LENGTH + RecordingDescriptorDecoder.stopPositionEncodingOffset());
            initialTermId = entry.getInt(HEADER_LENGTH + RecordingDescriptorDecoder.initialTermIdEncodingOffset());
            segmentLength = entry.getInt(HEADER_LENGTH + RecordingDescriptorDecoder.segmentFileLengthEncodingOffset());
            termLength = entry.getInt(HEADER_LENGTH + RecordingDescriptorDecoder.termBufferLengthEncodingOffset());
            sessionId = entry.getInt(HEADER_LENGTH + RecordingDescriptorDecoder.sessionIdEncodingOffset());
            streamId = entry.getInt(HEADER_LENGTH + RecordingDescriptorDecoder.streamIdEncodingOffset());
        }

        private boolean isLog()
        {
            return RecordingState.VALID.value() == state && ConsensusModule.Configuration.logStreamId() == streamId;
        }

        private boolean isPartOf(final String fileName)
        {
            return fileName.startsWith(recordingId + "-");
        }

        private boolean isFile(final String name)
        {
            return isPartOf(name) && name.endsWith(MemberFiles.RECORDINGS);
        }

        private static long positionOf(final String fileName)
        {
            return Long
                .parseLong(
                    fileName.substring(fileName.indexOf('-') + 1, fileName.length() - MemberFiles.RECORDINGS.length()));
        }
    }
}
