// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.aeron.Aeron;
import io.aeron.archive.codecs.CatalogHeaderDecoder;
import io.aeron.archive.codecs.RecordingDescriptorDecoder;
import io.aeron.archive.codecs.RecordingDescriptorEncoder;
import io.aeron.archive.codecs.RecordingDescriptorHeaderDecoder;
import io.aeron.archive.codecs.RecordingState;
import io.aeron.cluster.ConsensusModule;
import io.journal.JournalException;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * Finds the ends of the recordings that a killed member left open, by the checksums of their frames, before its archive
 * starts, and notes them in the archive's catalog.
 * <p>
 * {@code Archive} examines the last frame only. If the frame crosses a page and ends in zeros, be it whole, torn or
 * padding, the archive refuses to start. With a checksum, it reads past its buffer if the frame crosses one MiB.
 * {@code ArchiveTool.verify} does the same, and can only truncate such a frame, which may be acknowledged. Neither
 * erases stale bytes after the end, which could look like the continuation of later frames. For one thread.
 */
final class RecordingEnds
{
    private static final int HEADER_LENGTH = RecordingDescriptorHeaderDecoder.BLOCK_LENGTH;

    private final Path directory;
    private final boolean isForced;
    private final List<String> files;
    private final UnsafeBuffer catalog;
    private final RecordingDescriptorHeaderDecoder header = new RecordingDescriptorHeaderDecoder();
    private final RecordingDescriptorDecoder recording = new RecordingDescriptorDecoder();

    private RecordingEnds(final Path directory, final boolean isForced) throws IOException
    {
        this.directory = directory;
        this.isForced = isForced;
        try (Stream<Path> list = Files.list(directory))
        {
            files = list.map((file) -> String.valueOf(file.getFileName())).toList();
        }
        catalog = new UnsafeBuffer(Files.readAllBytes(directory.resolve(MemberFiles.CATALOG)));
    }

    /**
     * Finds all ends. Call this while no archive uses the directory.
     *
     * @param isForced whether each block was fsynced before the next one was written. If not, or if files were copied
     *                 while they were written, a recording may have holes, and ends before the first.
     */
    static void recover(final Path archiveDirectory, final boolean isForced)
    {
        final Path file = archiveDirectory.resolve(MemberFiles.CATALOG);
        if (!Files.exists(file))
        {
            return;
        }

        try (FileChannel channel = FileChannel.open(file, WRITE))
        {
            final RecordingEnds ends = new RecordingEnds(archiveDirectory, isForced);
            for (int offset = ends.next(0); offset > 0; offset = ends.next(offset))
            {
                ends.recover(channel);
            }
            channel.force(true);
            MemberFiles.forceNames(archiveDirectory);
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            throw new JournalException("cannot recover the cluster's log: directory=" + archiveDirectory, ex);
        }
    }

    /**
     * {@return the term length of the cluster's log, which its first leader has determined; 0 if there is no log}
     */
    static int termLengthOfLog(final Path archiveDirectory)
    {
        if (!Files.exists(archiveDirectory.resolve(MemberFiles.CATALOG)))
        {
            return 0;
        }

        try
        {
            final RecordingEnds ends = new RecordingEnds(archiveDirectory, false);
            for (int offset = ends.next(0); offset > 0; offset = ends.next(offset))
            {
                if (ends.isLog())
                {
                    return ends.recording.termBufferLength();
                }
            }
            return 0;
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            throw new JournalException("cannot read the archive's catalog: directory=" + archiveDirectory, ex);
        }
    }

    /**
     * Moves to the next entry of the catalog after an offset, or to the first entry after 0.
     *
     * @return its offset, or 0 if there is none.
     */
    private int next(final int offset) throws IOException
    {
        final int alignment = catalog.getInt(CatalogHeaderDecoder.alignmentEncodingOffset());
        final long next = 0 == offset ? CatalogHeaderDecoder.BLOCK_LENGTH :
            offset + BitUtil.align((long)HEADER_LENGTH + header.length(), (long)alignment);
        if (next + HEADER_LENGTH + RecordingDescriptorDecoder.BLOCK_LENGTH > catalog.capacity())
        {
            return 0;
        }

        header.wrap(catalog, (int)next, HEADER_LENGTH, RecordingDescriptorHeaderDecoder.SCHEMA_VERSION);
        if (header.length() <= 0)
        {
            return 0;
        }
        if (!BitUtil.isPowerOfTwo(alignment))
        {
            throw new IOException("damaged catalog of the archive: alignment=" + alignment);
        }

        recording.wrap(
            catalog, (int)next + HEADER_LENGTH, RecordingDescriptorDecoder.BLOCK_LENGTH,
            RecordingDescriptorDecoder.SCHEMA_VERSION);
        return (int)next;
    }

    private boolean isLog()
    {
        return RecordingState.VALID == header.state() &&
            ConsensusModule.Configuration.logStreamId() == recording.streamId();
    }

    private void recover(final FileChannel channel) throws IOException
    {
        if (RecordingState.DELETED == header.state())
        {
            // The process was killed while the archive deleted the recording's files.
            delete(this::isPart);
        }
        else if (RecordingState.VALID == header.state() && Aeron.NULL_VALUE == recording.stopPosition())
        {
            new RecordingDescriptorEncoder().wrap(catalog, recording.offset())
                .stopTimestamp(System.currentTimeMillis()).stopPosition(findEnd());
            write(channel);
        }
        else if (isLog())
        {
            dropAfter(recording.stopPosition());
        }

        if (isLog())
        {
            // The process was killed while the archive dropped the beginning of the log.
            delete((name) -> isFile(name) &&
                positionOf(name) + recording.segmentFileLength() <= recording.startPosition());
        }
    }

    private void write(final FileChannel channel) throws IOException
    {
        final ByteBuffer descriptor =
            ByteBuffer.wrap(catalog.byteArray(), recording.offset(), RecordingDescriptorDecoder.BLOCK_LENGTH);
        channel.position(recording.offset());
        while (descriptor.hasRemaining())
        {
            channel.write(descriptor);
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
     * Before the archive truncates frames that another leader does not have, it writes the new end into the catalog. If
     * the process was killed in between, the remaining bytes could look like the continuation of frames that are
     * written later.
     */
    private void dropAfter(final long end) throws IOException
    {
        delete((name) -> isFile(name) && positionOf(name) > end);
        for (final String name : files)
        {
            if (isFile(name) && positionOf(name) <= end)
            {
                zeroAfter(directory.resolve(name), end - positionOf(name));
            }
        }
    }

    /** A full file has no bytes after its end, and its last byte may belong to a record. */
    private void zeroAfter(final Path path, final long length) throws IOException
    {
        if (length < recording.segmentFileLength())
        {
            // This writes nothing, so it succeeds on a full disk.
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
            {
                file.setLength(length);
                file.setLength(recording.segmentFileLength());
                file.getFD().sync();
            }
        }
    }

    private long findEnd() throws IOException
    {
        final long filePosition =
            files.stream().filter(this::isFile).mapToLong(RecordingEnds::positionOf).max().orElse(Aeron.NULL_VALUE);
        if (Aeron.NULL_VALUE == filePosition)
        {
            return recording.startPosition();
        }

        final Path file = directory.resolve(recording.recordingId() + "-" + filePosition + MemberFiles.RECORDINGS);
        final long end;
        try (FileChannel channel = FileChannel.open(file, READ);
            RecordedFrames frames = new RecordedFrames(channel, recording, filePosition))
        {
            end = frames.findEnd();
            if (isForced && frames.isWholeFrameLater())
            {
                throw new JournalException(
                    "the cluster's log is damaged: file=" + file + ", position=" + end +
                        "; what follows is whole, so this is not the end, and may have been acknowledged: move the " +
                        "member's directory away and seed it from another member");
            }
        }
        // Stale bytes after the end could look like frames once other frames are written before them.
        zeroAfter(file, end - filePosition);
        MemberFiles.force(file);
        return end;
    }

    private boolean isPart(final String fileName)
    {
        return fileName.startsWith(recording.recordingId() + "-");
    }

    private boolean isFile(final String name)
    {
        return isPart(name) && name.endsWith(MemberFiles.RECORDINGS);
    }

    private static long positionOf(final String fileName)
    {
        return Long.parseLong(
            fileName.substring(fileName.indexOf('-') + 1, fileName.length() - MemberFiles.RECORDINGS.length()));
    }
}
