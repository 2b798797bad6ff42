// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

import io.journal.CorruptJournalException;
import io.journal.Snapshots;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.jspecify.annotations.Nullable;

/**
 * A file in {@code snapshots/}: a header block, then the application's bytes. Normative text: {@code docs/format.md},
 * "Snapshots".
 * <pre>
 *   0  48 bytes  identity, see {@link Block}, magic JRNLSNAP
 *  48  int64     sequence of the last record in it
 *  56  int64     number among the snapshots of that sequence, from 1
 *  64  int64     term of the record of that sequence
 *  72  int64     length of the content
 *  80  uint32    CRC32C of the content
 *  84  zeros
 * 4092 uint32    CRC32C of the block
 * 4096 content
 * </pre>
 */
public record SnapshotFile(long sequence, long number)
{
    static final String TEMPORARY = "spare";

    private static final String MAGIC = "JRNLSNAP";
    private static final int SEQUENCE_OFFSET = Block.IDENTITY_LENGTH;
    private static final int NUMBER_OFFSET = SEQUENCE_OFFSET + 8;
    private static final int TERM_OFFSET = NUMBER_OFFSET + 8;
    private static final int CONTENT_LENGTH_OFFSET = TERM_OFFSET + 8;
    private static final int CONTENT_CHECKSUM_OFFSET = CONTENT_LENGTH_OFFSET + 8;
    private static final int CHUNK_LENGTH = 64 * 1024;

    private static final String SUFFIX = ".snapshot";
    private static final String DISCARDED_SUFFIX = ".discarded";
    private static final Pattern NAME = Pattern.compile("(0[0-4]\\d{18})-([1-9]\\d{0,9})\\.(snapshot|discarded)");
    private static final Comparator<SnapshotFile> NEWEST_FIRST =
        Comparator.comparingLong(SnapshotFile::sequence).thenComparingLong(SnapshotFile::number).reversed();

    /** Origin of a snapshot: the journal, and the term of the last record in it. */
    public record Origin(UUID uuid, long term)
    {
    }

    /** Parses the name of a snapshot, valid or discarded; null if it is neither. */
    static @Nullable SnapshotFile ofAny(final String name)
    {
        final Matcher matcher = NAME.matcher(name);
        return matcher.matches() ?
            new SnapshotFile(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))) : null;
    }

    /**
     * The directory of a journal's snapshots, or null if there is none.
     *
     * @throws FileAlreadyExistsException if something else is in its place.
     */
    public static @Nullable SegmentStore directory(final SegmentStore journal) throws IOException
    {
        return journal.list().contains(JournalFiles.SNAPSHOTS) ? journal.child(JournalFiles.SNAPSHOTS) : null;
    }

    /** The snapshots in a directory, the newest first. */
    public static List<SnapshotFile> newestFirst(final SegmentStore directory) throws IOException
    {
        return directory.list().stream().filter((name) -> name.endsWith(SUFFIX))
            .map(SnapshotFile::ofAny).filter(Objects::nonNull).sorted(NEWEST_FIRST).toList();
    }

    String name()
    {
        return prefix() + SUFFIX;
    }

    String discardedName()
    {
        return prefix() + DISCARDED_SUFFIX;
    }

    public String path()
    {
        return JournalFiles.SNAPSHOTS + "/" + name();
    }

    private String prefix()
    {
        return JournalFiles.digits(sequence) + "-" + number;
    }

    /**
     * Writes content and header to a file that so far consists of an empty header block. Does not fsync. An exception
     * of the writer is rethrown, an {@link IOException} wrapped in an unchecked exception.
     */
    void write(final SegmentFile file, final Origin origin, final Snapshots.Writer writer) throws IOException
    {
        final CRC32C checksum = new CRC32C();
        final Content content = new Content(file);
        try (Content.Output output = content.new Output())
        {
            content.callBack(() ->
            {
                writer.write(new CheckedOutputStream(output, checksum));
                output.writeChunk();
            });
        }

        final ByteBuffer block = Block.allocate(1);
        Block.identify(block, MAGIC, origin.uuid);
        block.putLong(SEQUENCE_OFFSET, sequence);
        block.putLong(NUMBER_OFFSET, number);
        block.putLong(TERM_OFFSET, origin.term);
        block.putLong(CONTENT_LENGTH_OFFSET, content.offset - Block.LENGTH);
        block.putInt(CONTENT_CHECKSUM_OFFSET, (int)checksum.getValue());
        Block.seal(block, 0);
        file.write(0, block);
    }

    /**
     * Passes the content to a reader, whose exceptions are rethrown, an {@link IOException} wrapped in an unchecked
     * exception.
     */
    void read(final SegmentStore directory, final Snapshots.Reader reader) throws IOException
    {
        try (SegmentFile file = directory.open(name(), SegmentStore.Access.READ))
        {
            final Content content = new Content(file);
            try (InputStream input = content.input())
            {
                content.callBack(() -> reader.read(input));
            }
        }
    }

    /**
     * Reads the file and verifies every byte of it.
     *
     * @throws CorruptJournalException    if the file is damaged.
     * @throws UnsupportedFormatException if the file has a newer format.
     */
    public Origin verify(final SegmentStore directory) throws IOException
    {
        final CRC32C checksum = new CRC32C();
        try (SegmentFile file = directory.open(name(), SegmentStore.Access.READ);
            InputStream content = new CheckedInputStream(new Content(file).input(), checksum))
        {
            final long length = file.length();
            check(length >= Block.LENGTH, 0, "at least " + Block.LENGTH + " bytes", length + " bytes");
            final ByteBuffer block = Block.allocate(1);
            file.read(0, block);
            Block.check(block, MAGIC, path(), false);
            check(
                block.getLong(SEQUENCE_OFFSET) == sequence && block.getLong(NUMBER_OFFSET) == number, SEQUENCE_OFFSET,
                "the sequence and number of the file's name",
                block.getLong(SEQUENCE_OFFSET) + " and " + block.getLong(NUMBER_OFFSET));
            final long expected = Block.LENGTH + block.getLong(CONTENT_LENGTH_OFFSET);
            check(expected == length, CONTENT_LENGTH_OFFSET, expected + " bytes", length + " bytes");
            content.transferTo(OutputStream.nullOutputStream());
            final int sum = block.getInt(CONTENT_CHECKSUM_OFFSET);
            check(
                sum == (int)checksum.getValue(), CONTENT_CHECKSUM_OFFSET, "checksum " + Integer.toHexString(sum),
                Long.toHexString(checksum.getValue()));
            return new Origin(Block.uuid(block), block.getLong(TERM_OFFSET));
        }
    }

    private void check(final boolean isRight, final int offset, final String expected, final String found)
    {
        if (!isRight)
        {
            throw new CorruptJournalException(
                "corrupt snapshot: file=" + path() + ", offset=" + offset + ", expected=" + expected + ", found=" +
                    found,
                null, path(), offset, CorruptJournalException.UNKNOWN);
        }
    }

    /**
     * The content of an open file, as the application reads or writes it in one callback. An I/O error fails the whole
     * load or save, even if the application catches it: a snapshot with a gap must not be saved.
     */
    private static final class Content
    {
        private final SegmentFile file;
        private long offset = Block.LENGTH;
        private @Nullable IOException failure;

        Content(final SegmentFile file)
        {
            this.file = file;
        }

        private interface Step
        {
            void run() throws IOException;
        }

        /** Rethrows an I/O error of the file as it is, and an exception of the application unchecked. */
        void callBack(final Step callback) throws IOException
        {
            try
            {
                callback.run();
            }
            catch (final IOException | RuntimeException ex)
            {
                if (null == failure)
                {
                    throw ex instanceof final IOException io ? new UncheckedIOException(io) : (RuntimeException)ex;
                }
            }
            if (null != failure)
            {
                throw failure;
            }
            failure = new IOException("the stream of a snapshot is closed");
        }

        /** Reads or writes the next bytes. */
        private void pass(final int length, final Step step) throws IOException
        {
            if (null != failure)
            {
                throw failure;
            }
            try
            {
                step.run();
                offset += length;
            }
            catch (final IOException ex)
            {
                failure = ex;
                throw ex;
            }
        }

        InputStream input() throws IOException
        {
            final long end = file.length();
            return new BufferedInputStream(new InputStream()
            {
                @Override
                public int read() throws IOException
                {
                    final byte[] single = new byte[1];
                    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
                }

                @Override
                public int read(final byte[] bytes, final int start, final int length) throws IOException
                {
                    final int count = (int)Math.min(Math.min(length, CHUNK_LENGTH), end - offset);
                    if (count <= 0)
                    {
                        return -1;
                    }
                    pass(count, () -> file.read(offset, ByteBuffer.wrap(bytes, start, count)));
                    return count;
                }

                @Override
                public int available()
                {
                    return (int)Math.min(Integer.MAX_VALUE, end - offset);
                }
            }, CHUNK_LENGTH);
        }

        /** Writes in chunks. */
        private final class Output extends OutputStream
        {
            private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_LENGTH);

            @Override
            public void write(final int value) throws IOException
            {
                write(new byte[]{ (byte)value }, 0, 1);
            }

            @Override
            public void write(final byte[] bytes, final int start, final int length) throws IOException
            {
                for (int done = 0; done < length;)
                {
                    if (!chunk.hasRemaining() || null != failure)
                    {
                        writeChunk();
                    }
                    final int count = Math.min(chunk.remaining(), length - done);
                    chunk.put(bytes, start + done, count);
                    done += count;
                }
            }

            void writeChunk() throws IOException
            {
                chunk.flip();
                pass(chunk.limit(), () -> file.write(offset, chunk));
                chunk.clear();
            }
        }
    }
}
