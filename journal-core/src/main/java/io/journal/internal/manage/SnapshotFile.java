package io.journal.internal.manage;

import io.journal.Snapshots;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

import io.journal.CorruptJournalException;
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
 *  56  int64     number of the snapshot among those of that sequence, from 1
 *  64  int64     term of the record of that sequence
 *  72  int64     length of the content
 *  80  uint32    CRC32C of the content
 *  84  int32     1 if the next field is set, else 0
 *  88  uint32    CRC32C of sequence, tag and bytes of the record with that sequence
 *  92  zeros
 * 4092 uint32    CRC32C of the block
 * 4096 content
 * </pre>
 */
public record SnapshotFile(long sequence, long number) implements Comparable<SnapshotFile>
{
    static final String MAGIC = "JRNLSNAP";
    static final String TEMPORARY = "spare";

    private static final int SEQUENCE_OFFSET = Block.IDENTITY_LENGTH;
    private static final int NUMBER_OFFSET = SEQUENCE_OFFSET + 8;
    private static final int TERM_OFFSET = NUMBER_OFFSET + 8;
    private static final int CONTENT_LENGTH_OFFSET = TERM_OFFSET + 8;
    private static final int CONTENT_CHECKSUM_OFFSET = CONTENT_LENGTH_OFFSET + 8;
    private static final int HAS_RECORD_OFFSET = CONTENT_CHECKSUM_OFFSET + 4;
    private static final int RECORD_CHECKSUM_OFFSET = HAS_RECORD_OFFSET + 4;

    private static final String SUFFIX = ".snapshot";
    private static final String DISCARDED_SUFFIX = ".discarded";
    private static final Pattern NAME = Pattern.compile("(0[0-4]\\d{18})-([1-9]\\d{0,9})\\.(snapshot|discarded)");

    /**
     * Identity of the journal and of the record that a snapshot was taken from, if the journal held that.
     */
    public record Origin(UUID uuid, long term, boolean hasRecord, int recordChecksum)
    {
    }

    /**
     * Parses the name of a snapshot; null if it is not one.
     */
    static SnapshotFile of(final String name)
    {
        return name.endsWith(SUFFIX) ? ofAny(name) : null;
    }

    /**
     * Parses the name of a snapshot, valid or discarded; null if it is neither.
     */
    static SnapshotFile ofAny(final String name)
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

    /**
     * The snapshots in a directory, the newest first.
     */
    public static List<SnapshotFile> newestFirst(final SegmentStore directory) throws IOException
    {
        final List<SnapshotFile> list = new ArrayList<>();
        for (final String name : directory.list())
        {
            final SnapshotFile file = of(name);
            if (null != file)
            {
                list.add(file);
            }
        }
        list.sort(Collections.reverseOrder());

        return list;
    }

    /**
     * Checksum that distinguishes a record from another one with the same sequence.
     */
    static int recordChecksum(
        final long sequence, final long tag, final ByteBuffer record, final int index, final int length)
    {
        final CRC32C checksum = new CRC32C();
        checksum.update(Block.allocate(1).putLong(sequence).putLong(tag).flip());
        checksum.update(record.duplicate().limit(index + length).position(index));
        return (int)checksum.getValue();
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

    /**
     * Writes content and header to a file that so far consists of an empty header block. Does not fsync. An exception
     * of the writer is rethrown, an {@link IOException} as the cause of an unchecked one.
     */
    void write(final SegmentFile file, final Origin origin, final Snapshots.Writer writer)
        throws IOException
    {
        final ByteBuffer block = Block.allocate(1);
        Block.identify(block, MAGIC, origin.uuid);
        block.putLong(SEQUENCE_OFFSET, sequence);
        block.putLong(NUMBER_OFFSET, number);
        block.putLong(TERM_OFFSET, origin.term);
        block.putInt(HAS_RECORD_OFFSET, origin.hasRecord ? 1 : 0);
        block.putInt(RECORD_CHECKSUM_OFFSET, origin.recordChecksum);
        try (SnapshotContent.Output output = new SnapshotContent.Output(file, Block.LENGTH))
        {
            output.writeAll(writer);
            block.putLong(CONTENT_LENGTH_OFFSET, output.end() - Block.LENGTH);
            block.putInt(CONTENT_CHECKSUM_OFFSET, output.checksum());
        }
        Block.seal(block, 0);
        file.write(0, block);
    }

    /**
     * Passes the content to a reader, whose exceptions are rethrown, an {@link IOException} as the cause of an
     * unchecked one.
     */
    void read(final SegmentStore directory, final Snapshots.Reader reader) throws IOException
    {
        try (SegmentFile file = directory.open(name(), SegmentStore.Access.READ))
        {
            SnapshotContent.read(file, Block.LENGTH, reader);
        }
    }

    /**
     * Copies the file. The content of the copy is durable on return; the caller must fsync the directory.
     */
    void copy(final SegmentStore from, final SegmentStore to) throws IOException
    {
        try (SegmentFile source = from.open(name(), SegmentStore.Access.READ);
            SegmentFile target = to.create(name(), source.length()))
        {
            readChunks(source, 0, target::write);
            target.force(0, target.length());
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
        try (SegmentFile file = directory.open(name(), SegmentStore.Access.READ))
        {
            final ByteBuffer block = readHeader(file);
            final CRC32C checksum = new CRC32C();
            readChunks(file, Block.LENGTH, (offset, chunk) -> checksum.update(chunk));
            if ((int)checksum.getValue() != block.getInt(CONTENT_CHECKSUM_OFFSET))
            {
                throw corrupt(
                    CONTENT_CHECKSUM_OFFSET, "checksum " + Integer.toHexString(block.getInt(CONTENT_CHECKSUM_OFFSET)),
                    Integer.toHexString((int)checksum.getValue()), null);
            }

            return new Origin(
                Block.uuid(block),
                block.getLong(TERM_OFFSET),
                0 != block.getInt(HAS_RECORD_OFFSET),
                block.getInt(RECORD_CHECKSUM_OFFSET));
        }
        catch (final EOFException ex)
        {
            throw corrupt(0, "more bytes", "the end of the file", ex);
        }
    }

    private ByteBuffer readHeader(final SegmentFile file) throws IOException
    {
        final ByteBuffer block = Block.allocate(1);
        final long length = file.length();
        if (length < Block.LENGTH)
        {
            throw corrupt(0, "at least " + Block.LENGTH + " bytes", length + " bytes", null);
        }
        file.read(0, block);
        Block.check(block, MAGIC, path(), false);
        if (block.getLong(SEQUENCE_OFFSET) != sequence || block.getLong(NUMBER_OFFSET) != number)
        {
            throw corrupt(
                SEQUENCE_OFFSET, "the sequence and number of the file's name",
                block.getLong(SEQUENCE_OFFSET) + " and " + block.getLong(NUMBER_OFFSET), null);
        }
        if (block.getLong(CONTENT_LENGTH_OFFSET) != length - Block.LENGTH)
        {
            throw corrupt(
                CONTENT_LENGTH_OFFSET, Block.LENGTH + block.getLong(CONTENT_LENGTH_OFFSET) + " bytes",
                length + " bytes", null);
        }

        return block;
    }

    private interface Chunk
    {
        void accept(long offset, ByteBuffer bytes) throws IOException;
    }

    private static void readChunks(final SegmentFile file, final long start, final Chunk action) throws IOException
    {
        final long end = file.length();
        final ByteBuffer chunk = ByteBuffer.allocate(SnapshotContent.CHUNK_LENGTH);
        for (long offset = start; offset < end; offset += chunk.limit())
        {
            file.read(offset, chunk.clear().limit((int)Math.min(chunk.capacity(), end - offset)));
            action.accept(offset, chunk.flip());
        }
    }

    /** Orders by sequence, then by number: the newest is last. */
    @Override
    public int compareTo(final SnapshotFile other)
    {
        final int order = Long.compare(sequence, other.sequence);
        return 0 != order ? order : Long.compare(number, other.number);
    }

    private String prefix()
    {
        return JournalFiles.digits(sequence) + "-" + number;
    }

    private CorruptJournalException corrupt(
        final int offset, final String expected, final String found, final Throwable cause)
    {
        return new CorruptJournalException(
            "corrupt snapshot: file=" + path() + ", offset=" + offset + ", expected=" + expected + ", found=" + found,
            cause, path(), offset, CorruptJournalException.UNKNOWN);
    }
}
