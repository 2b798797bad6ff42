package io.journal.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.UnsupportedFormatException;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The file of one cursor. Normative text: {@code docs/format.md}, "Cursors".
 * <pre>
 * block 0          48  int32  length of the name
 *                  52  bytes  name, ASCII
 * block 1, 2        0  int64  generation
 *                   8  int64  truncation epoch
 *                  16  int64  sequence
 * </pre>
 * A save is written to the slot of the older generation and is durable on return. From then on no slot holds a higher
 * sequence: if one slot is damaged later, the other one may redeliver records to the consumer, but never skips any.
 * <p>
 * Changed by one thread at a time; the accessors are thread-safe.
 */
public final class CursorFile implements AutoCloseable
{
    static final String MAGIC = "JRNLCURS";
    public static final int LENGTH = 3 * Block.LENGTH;
    // Without the suffix, so that no cursor file can have this name.
    public static final String SPARE = "spare";

    private static final String SUFFIX = ".cursor";
    private static final int MAX_NAME_LENGTH = 100;
    private static final int NAME_LENGTH_OFFSET = 48;
    private static final int NAME_OFFSET = 52;
    private static final int NAME_END = NAME_OFFSET + MAX_NAME_LENGTH;

    private final SegmentStore directory;
    private final String name;
    private SegmentFile file;
    private volatile Place place;

    // Whether the place is known to be durable: after a failed fsync, the page cache may hold one that is not.
    private boolean isConfirmed;

    private CursorFile(final SegmentStore directory, final String name, final Place place)
    {
        this.directory = directory;
        this.name = name;
        this.place = place;
    }

    private static final class Place
    {
        final long generation;
        final long epoch;
        final long sequence;

        Place(final long generation, final long epoch, final long sequence)
        {
            this.generation = generation;
            this.epoch = epoch;
            this.sequence = sequence;
        }

        Place next(final long epoch, final long sequence)
        {
            return new Place(generation + 1, epoch, sequence);
        }

        int slotOffset()
        {
            return (int)(1 + (generation & 1)) * Block.LENGTH;
        }

        boolean isPossible(final int slotOffset)
        {
            return generation > 0 && generation < Layout.MAX_POSITION && slotOffset == slotOffset() &&
                epoch >= 0 && epoch < Layout.MAX_POSITION && sequence >= 0 && sequence < Layout.MAX_POSITION;
        }

        void write(final SegmentFile file) throws IOException
        {
            final ByteBuffer block = Block.allocate(1);
            block.putLong(0, generation);
            block.putLong(8, epoch);
            block.putLong(16, sequence);
            Block.seal(block, 0);
            file.write(slotOffset(), block);
            file.force(0, LENGTH);
        }

        static Place read(final ByteBuffer buffer, final int start)
        {
            return new Place(buffer.getLong(start), buffer.getLong(start + 8), buffer.getLong(start + 16));
        }

        @Override
        public String toString()
        {
            return "generation " + generation + ", epoch " + epoch + ", sequence " + sequence;
        }
    }

    /**
     * Whether a name is valid for a cursor.
     */
    public static boolean isName(final String name)
    {
        return !name.isEmpty() && name.length() <= MAX_NAME_LENGTH && '.' != name.charAt(0) &&
            name.chars().allMatch(CursorFile::isOfNames);
    }

    private static boolean isOfNames(final int character)
    {
        return character >= 'A' && character <= 'Z' || character >= 'a' && character <= 'z' ||
            character >= '0' && character <= '9' || '.' == character || '_' == character || '-' == character;
    }

    /**
     * The name of the cursor that a file belongs to.
     *
     * @return name of the cursor, or null if the file is not a cursor file.
     */
    public static String cursorOf(final String fileName)
    {
        final int length = fileName.length() - SUFFIX.length();
        final String name = fileName.endsWith(SUFFIX) ? fileName.substring(0, length) : "";
        return isName(name) ? name : null;
    }

    public static String fileName(final String name)
    {
        return name + SUFFIX;
    }

    public static String path(final String name)
    {
        return JournalFiles.CURSORS + "/" + fileName(name);
    }

    /**
     * Creates the file of a new cursor. Its content is durable on return; the caller must fsync the directory.
     *
     * @throws IOException if the file cannot be created; nothing is left of it.
     */
    static CursorFile create(
        final SegmentStore directory, final String name, final UUID uuid, final long epoch, final long sequence)
        throws IOException
    {
        final Place place = new Place(1, epoch, sequence);
        deleteSpare(directory);
        try
        {
            try (SegmentFile file = directory.create(SPARE, LENGTH))
            {
                file.write(0, identity(name, uuid));
                place.write(file);
            }
            directory.rename(SPARE, fileName(name));
        }
        catch (final IOException ex)
        {
            deleteSpare(directory);
            throw ex;
        }

        final CursorFile cursor = new CursorFile(directory, name, place);
        cursor.isConfirmed = true;
        return cursor;
    }

    /**
     * Deletes the temporary file of an unfinished creation.
     */
    static void deleteSpare(final SegmentStore directory) throws IOException
    {
        directory.delete(SPARE);
    }

    /**
     * Reads the file of a cursor. Changes nothing.
     *
     * @throws CorruptJournalException    if the file is damaged or belongs to another cursor.
     * @throws UnsupportedFormatException if the file has a newer format.
     * @throws IOException                if the file cannot be read.
     */
    public static CursorFile read(final SegmentStore directory, final String name, final UUID uuid) throws IOException
    {
        final ByteBuffer buffer = Block.allocate(3);
        try (SegmentFile file = directory.open(fileName(name), SegmentStore.Access.READ))
        {
            if (file.length() != LENGTH)
            {
                throw unusable(name, 0, LENGTH + " bytes", file.length() + " bytes");
            }
            file.read(0, buffer);
        }

        Block.check(buffer, MAGIC, path(name), true);
        if (!uuid.equals(Block.uuid(buffer)))
        {
            throw unusable(name, Block.IDENTITY_LENGTH - 16, "journal " + uuid, "journal " + Block.uuid(buffer));
        }
        if (!Arrays.equals(
            identity(name, uuid).array(), NAME_LENGTH_OFFSET, NAME_END, buffer.array(), NAME_LENGTH_OFFSET, NAME_END))
        {
            throw unusable(name, NAME_LENGTH_OFFSET, "the name of the file", "another name");
        }

        return new CursorFile(directory, name, newest(name, buffer));
    }

    /**
     * The exception for an unusable cursor file.
     */
    static CorruptJournalException unusable(
        final String name, final int offset, final String expected, final String found)
    {
        return new CorruptJournalException(
            "unusable cursor: file=" + path(name) + ", offset=" + offset + ", expected=" + expected + ", found=" +
                found);
    }

    public String name()
    {
        return name;
    }

    long epoch()
    {
        return place.epoch;
    }

    public long sequence()
    {
        return place.sequence;
    }

    /** Offset in the file of the slot with the current place. */
    int slotOffset()
    {
        return place.slotOffset();
    }

    /**
     * Opens the file unless it is open.
     */
    public void open() throws IOException
    {
        if (null == file)
        {
            file = directory.open(fileName(name), SegmentStore.Access.WRITE);
        }
    }

    /**
     * Saves a sequence, durably. If this throws, the file holds either the previous sequence or this one.
     */
    public void save(final long sequence) throws IOException
    {
        confirm();
        if (sequence > place.sequence)
        {
            put(place.epoch, sequence);
        }
        else if (sequence < place.sequence)
        {
            settle(place.epoch, sequence);
        }
    }

    /**
     * Lowers the cursor to a sequence, unless it is below already, and moves it to a truncation epoch. Durable on
     * return.
     */
    void clamp(final long epoch, final long sequence) throws IOException
    {
        confirm();
        settle(epoch, Math.min(place.sequence, sequence));
    }

    /**
     * Closes the file, which is opened again when needed.
     */
    @Override
    public void close()
    {
        if (null != file)
        {
            file.close();
            file = null;
        }
    }

    /**
     * Rewrites the place that was read. Must precede any write to the other slot, which may be the only durable one.
     */
    void confirm() throws IOException
    {
        open();
        if (!isConfirmed)
        {
            place.write(file);
            isConfirmed = true;
        }
    }

    /**
     * Writes a place to both slots, so that neither holds a higher sequence or an earlier epoch.
     */
    private void settle(final long epoch, final long sequence) throws IOException
    {
        put(epoch, sequence);
        put(epoch, sequence);
    }

    private void put(final long epoch, final long sequence) throws IOException
    {
        final Place next = place.next(epoch, sequence);
        next.write(file);
        place = next;
    }

    private static ByteBuffer identity(final String name, final UUID uuid)
    {
        final ByteBuffer block = Block.allocate(1);
        Block.identify(block, MAGIC, uuid);
        block.putInt(NAME_LENGTH_OFFSET, name.length());
        for (int i = 0; i < name.length(); i++)
        {
            block.put(NAME_OFFSET + i, (byte)name.charAt(i));
        }
        Block.seal(block, 0);

        return block;
    }

    private static Place newest(final String name, final ByteBuffer buffer)
    {
        Place newest = null;
        for (int start = Block.LENGTH; start < LENGTH; start += Block.LENGTH)
        {
            if (Block.isSealed(buffer, start))
            {
                final Place place = Place.read(buffer, start);
                if (!place.isPossible(start))
                {
                    throw unusable(name, start, "a possible place", place.toString());
                }
                if (null == newest || place.generation > newest.generation)
                {
                    newest = place;
                }
            }
        }

        if (null == newest)
        {
            throw unusable(name, Block.LENGTH, "a valid checksum", "none");
        }

        return newest;
    }
}
