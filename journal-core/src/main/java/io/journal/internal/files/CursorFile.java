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
 * A place is written to the slot of the older generation and is durable when that returns. From then on no slot holds
 * a higher sequence: if one is damaged some day, the other one may make a consumer see records again, but never miss
 * any.
 * <p>
 * Changed by one thread at a time; the accessors are for any.
 */
public final class CursorFile implements AutoCloseable
{
    static final String MAGIC = "JRNLCURS";
    public static final int LENGTH = 3 * Block.LENGTH;
    // Without the suffix, so that no cursor's file has this name.
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

    // Whether the device is known to have the place: after a force that failed, memory may show one it does not have.
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
     * Whether a cursor may have a name.
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
     * The cursor whose file has a name.
     *
     * @return name of the cursor, or null if it is no cursor's file.
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
     * Makes the file of a new cursor, forced under its name; that of the directory is the caller's to force.
     *
     * @throws IOException if it cannot be made; nothing is left of it.
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
     * Removes what a creation that did not end has left.
     */
    static void deleteSpare(final SegmentStore directory) throws IOException
    {
        directory.delete(SPARE);
    }

    /**
     * Reads the file of a cursor. Changes nothing.
     *
     * @throws CorruptJournalException    if it is damaged, or not this cursor's.
     * @throws UnsupportedFormatException if it is of a newer format.
     * @throws IOException                if it cannot be read.
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
     * What is wrong with a cursor's file, and what its user can do.
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

    /** Where in the file the place lies. */
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
     * Saves a place. If it fails, either the one before or this one counts when the file is read again.
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
     * Goes back to a sequence unless the place is below, and on to a truncation epoch.
     */
    void clamp(final long epoch, final long sequence) throws IOException
    {
        confirm();
        settle(epoch, Math.min(place.sequence, sequence));
    }

    /**
     * Gives up the file, which is opened again when it is needed.
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
     * Writes again what was read, before the other slot is touched, which may be all that the device has.
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
     * Puts a place into both slots, so that none holds a higher sequence or a former epoch.
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
