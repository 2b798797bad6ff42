package io.journal.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.platform.NotRegularFileException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The file of one cursor. Normative text: {@code docs/format.md}, "Cursors".
 * <pre>
 * block 0          48  int32  length of the name
 *                  52  bytes  name, ASCII
 * block 1, 2        0  int64  generation
 *                   8  int64  term of the record of that sequence
 *                  16  int64  sequence
 * </pre>
 * A save is durable on return. From then on no slot holds a higher sequence: if one slot is damaged later, the other
 * may redeliver records to the consumer, but never skips any. Changed by one thread at a time, under the lock of the
 * cursors; any thread may ask for the sequence.
 */
public final class CursorFile implements AutoCloseable
{
    public static final int LENGTH = Slots.FILE_LENGTH;
    // Without the suffix, so that no cursor file can have this name.
    public static final String SPARE = "spare";

    private static final String MAGIC = "JRNLCURS";
    private static final int NAME_LENGTH_OFFSET = 48;
    private static final int NAME_OFFSET = 52;
    private static final int NAME_END = NAME_OFFSET + CursorName.MAX_LENGTH;
    private static final int TERM_OFFSET = 8;
    private static final int SEQUENCE_OFFSET = 16;
    // Not a possible number: the cursor was withdrawn.
    private static final long NO_TERM = -1;

    private final SegmentStore directory;
    private final String name;
    private SegmentFile file;
    private long generation;
    private long term;
    // Whether the journal is known to have the record of that term.
    private boolean isVerified;
    private volatile long sequence;
    // Whether the slot is known to be durable: after a failed fsync, the page cache may hold one that is not.
    private boolean isConfirmed;
    // Whether it was withdrawn in one slot, while the other one may still be used after a power loss.
    private boolean isHalfWithdrawn;
    // Why the cursor cannot be used, or null. What it is at counts for nothing then.
    private volatile JournalException fault;

    private CursorFile(
        final SegmentStore directory, final String name, final long generation, final long term, final long sequence)
    {
        this.directory = directory;
        this.name = name;
        this.generation = generation;
        this.term = term;
        this.sequence = sequence;
    }

    /**
     * Creates the file of a new cursor. Its content is durable on return; the caller must fsync the directory. If this
     * throws, nothing is left of it.
     */
    public static CursorFile create(
        final SegmentStore directory, final String name, final UUID uuid, final long term, final long sequence)
        throws IOException
    {
        directory.delete(SPARE);
        try
        {
            try (SegmentFile file = directory.create(SPARE, LENGTH))
            {
                file.write(0, identity(name, uuid));
                write(file, 1, term, sequence);
            }
            directory.rename(SPARE, CursorName.fileName(name));
        }
        catch (final IOException ex)
        {
            directory.delete(SPARE);
            throw ex;
        }

        final CursorFile cursor = new CursorFile(directory, name, 1, term, sequence);
        cursor.isConfirmed = true;
        return cursor;
    }

    /**
     * Reads the file of a cursor, in whatever state it is: a file that is damaged or cannot be read is a fault of its
     * cursor alone. Returns null if it does not exist any more. Changes nothing.
     */
    static CursorFile readAny(final SegmentStore directory, final String name, final UUID uuid)
    {
        final CursorFile cursor = new CursorFile(directory, name, 0, -1, -1);
        try
        {
            return readSlots(directory, name, uuid);
        }
        catch (final NoSuchFileException ex)
        {
            return null;
        }
        catch (final NotRegularFileException ex)
        {
            cursor.fault = CursorFaults.unusable(CursorName.path(name), 0, "a regular file", "something else");
        }
        catch (final IOException ex)
        {
            cursor.unreadable(ex);
        }
        catch (final JournalException ex)
        {
            cursor.fault = ex;
        }

        return cursor;
    }

    /**
     * Reads the file of a cursor; throws if it is damaged, belongs to another cursor, or has a newer format.
     */
    public static CursorFile read(final SegmentStore directory, final String name, final UUID uuid) throws IOException
    {
        final CursorFile cursor = readSlots(directory, name, uuid);
        if (null != cursor.fault)
        {
            throw cursor.fault;
        }

        return cursor;
    }

    /** Reads it; a cursor that was withdrawn has a fault. */
    private static CursorFile readSlots(final SegmentStore directory, final String name, final UUID uuid)
        throws IOException
    {
        final String path = CursorName.path(name);
        final ByteBuffer buffer;
        try (SegmentFile file = directory.open(CursorName.fileName(name), SegmentStore.Access.READ))
        {
            buffer = Slots.read(file);
            if (null == buffer)
            {
                throw CursorFaults.unusable(path, 0, LENGTH + " bytes", file.length() + " bytes");
            }
        }

        Block.check(buffer, MAGIC, path, true);
        if (!uuid.equals(Block.uuid(buffer)))
        {
            throw CursorFaults.unusable(path, Block.IDENTITY_LENGTH - 16, "journal " + uuid,
                "journal " + Block.uuid(buffer));
        }
        if (!Arrays.equals(
            identity(name, uuid).array(), NAME_LENGTH_OFFSET, NAME_END, buffer.array(), NAME_LENGTH_OFFSET, NAME_END))
        {
            throw CursorFaults.unusable(path, NAME_LENGTH_OFFSET, "the name of the file", "another name");
        }

        final int slot = Slots.BLOCKS.newest(buffer, (offset) -> checked(path, buffer, offset));
        if (Slots.NONE == slot)
        {
            throw CursorFaults.unusable(path, Block.LENGTH, "a valid checksum", "none");
        }

        final CursorFile cursor = new CursorFile(
            directory, name, buffer.getLong(slot), buffer.getLong(slot + TERM_OFFSET),
            buffer.getLong(slot + SEQUENCE_OFFSET));
        if (NO_TERM == cursor.term)
        {
            final int other = Slots.BLOCKS.offset(cursor.generation + 1);
            cursor.isHalfWithdrawn = NO_TERM != buffer.getLong(other + TERM_OFFSET);
            cursor.fault =
                CursorFaults.impossible(path, slot, cursor.generation, cursor.term, cursor.sequence);
        }

        return cursor;
    }

    private static boolean checked(final String path, final ByteBuffer buffer, final int slot)
    {
        final long generation = buffer.getLong(slot);
        final long term = buffer.getLong(slot + TERM_OFFSET);
        final long sequence = buffer.getLong(slot + SEQUENCE_OFFSET);
        if (!Slots.BLOCKS.isPossible(generation, slot) || term < NO_TERM || term >= Layout.MAX_POSITION ||
            sequence < 0 || sequence >= Layout.MAX_POSITION)
        {
            throw CursorFaults.impossible(path, slot, generation, term, sequence);
        }

        return true;
    }

    public String name()
    {
        return name;
    }

    public long term()
    {
        return term;
    }

    public long sequence()
    {
        return sequence;
    }

    /** Why the cursor cannot be used, or null. */
    public JournalException fault()
    {
        return fault;
    }

    /**
     * Whether a fault is that the file cannot be read now; it may be intact.
     */
    public static boolean isUnreadable(final JournalException fault)
    {
        return null != fault && !(fault instanceof CorruptJournalException) &&
            !(fault instanceof UnsupportedFormatException);
    }

    /** Notes that the file cannot be read now. */
    void unreadable(final IOException cause)
    {
        fault = CursorFaults.unreadable(CursorName.path(name), cause);
    }

    /** Whether {@link #verify} or a save has related it to the journal. */
    public boolean isVerified()
    {
        return isVerified;
    }

    /**
     * Rejects the cursor if the journal has another record of its sequence than the one that it was saved at.
     *
     * @param found term of the journal's record; 0 if there is none or it is not known any more.
     */
    public void verify(final long found)
    {
        if (null == fault && 0 != found && 0 != term && found != term)
        {
            fault = CursorFaults.unusable(
                CursorName.path(name), Slots.BLOCKS.offset(generation) + TERM_OFFSET, "term " + found + " of record " +
                    sequence,
                "term " + term + ", of another history of this journal");
        }
        isVerified = true;
    }

    /** Whether it was saved at a later record than the journal's last one, and its file does not durably say so yet. */
    boolean isAhead(final long lastSequence)
    {
        return isHalfWithdrawn || null == fault && sequence > lastSequence;
    }

    /** Why the cursor cannot be used in a journal that ends before its record. */
    CorruptJournalException ahead(final long lastSequence)
    {
        return CursorFaults.unusable(
            CursorName.path(name), Slots.BLOCKS.offset(generation) + SEQUENCE_OFFSET,
            "at most sequence " + lastSequence,
            "sequence " + sequence);
    }

    /** Opens the file unless it is open. */
    public void open() throws IOException
    {
        if (null == file)
        {
            file = directory.open(CursorName.fileName(name), SegmentStore.Access.WRITE);
        }
    }

    /**
     * Saves a sequence, durably. If this throws, the file holds either the previous sequence or this one.
     *
     * @param term of the record.
     */
    public void save(final long sequence, final long term) throws IOException
    {
        confirm();
        // Twice, so that neither slot holds a higher sequence.
        final boolean isTwice = sequence < this.sequence;
        if (isTwice || sequence > this.sequence || term != this.term)
        {
            next(term, sequence);
        }
        if (isTwice)
        {
            next(term, sequence);
        }
        isVerified = true;
    }

    /** Moves the cursor back to a record. Durable on return. */
    void lower(final long sequence, final long term) throws IOException
    {
        confirm();
        // Twice, so that neither slot holds a higher sequence.
        next(term, sequence);
        next(term, sequence);
    }

    /**
     * Makes the cursor unusable for good: it was saved at a record that is gone, whose sequence another one will get.
     * Durable on return.
     */
    void withdraw(final long lastSequence) throws IOException
    {
        final JournalException ahead = isHalfWithdrawn ? fault : ahead(lastSequence);
        lower(sequence, NO_TERM);
        isHalfWithdrawn = false;
        fault = ahead;
    }

    /**
     * Rewrites the slot that was read. Must precede any write to the other slot, which may be the only durable one.
     */
    void confirm() throws IOException
    {
        open();
        if (!isConfirmed)
        {
            write(file, generation, term, sequence);
            isConfirmed = true;
        }
    }

    private void next(final long term, final long sequence) throws IOException
    {
        write(file, generation + 1, term, sequence);
        generation++;
        this.term = term;
        this.sequence = sequence;
    }

    private static void write(
        final SegmentFile file, final long generation, final long term, final long sequence) throws IOException
    {
        final ByteBuffer slot = Block.allocate(1);
        slot.putLong(0, generation);
        slot.putLong(TERM_OFFSET, term);
        slot.putLong(SEQUENCE_OFFSET, sequence);
        Slots.write(file, slot);
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

    /** Closes the file, which is opened again when needed. */
    @Override
    public void close()
    {
        if (null != file)
        {
            file.close();
            file = null;
        }
    }
}
