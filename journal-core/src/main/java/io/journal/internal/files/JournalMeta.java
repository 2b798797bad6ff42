package io.journal.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * {@code journal.meta}: identity and state of the journal. Normative text: {@code docs/format.md}, "journal.meta".
 * <pre>
 * block 0          48  int64  segment length
 *                  56  int64  creation time
 * block 1, 2        0  int64  generation
 *                   8  int64  truncation epoch
 *                  16  int64  start position
 *                  24  int64  start sequence
 *                  32  int32  pending: 0 nothing, 1 truncation
 *                  40  int64  position of this epoch's truncation
 *                  48  int64  sequence of the next record at that position
 *                  56  int64  end of the range to be zeroed
 *                  64  int64  term of the record before the start sequence
 * </pre>
 * Immutable. A change of state is written to the slot of the older generation and is durable on return.
 */
public final class JournalMeta
{
    public static final String MAGIC = "JRNLMETA";
    public static final int LENGTH = Slots.FILE_LENGTH;
    public static final String TEMPORARY = JournalFiles.SPARE_PREFIX + "meta";
    public static final int SEGMENT_LENGTH_OFFSET = 48;
    public static final int TIME_OFFSET = 56;

    private static final String ADVICE = "; restore it from a backup, or rebuild it with \"journal repair\"";
    private static final int NOTHING = 0;
    private static final int TRUNCATION = 1;

    public final UUID uuid;
    public final int segmentLength;
    public final State state;
    /** Whether the other slot holds a truncation intent although the state has none: that one is complete. */
    public final boolean isIntentLeft;

    private JournalMeta(final UUID uuid, final int segmentLength, final State state)
    {
        this(uuid, segmentLength, state, false);
    }

    private JournalMeta(final UUID uuid, final int segmentLength, final State state, final boolean isIntentLeft)
    {
        this.uuid = uuid;
        this.segmentLength = segmentLength;
        this.state = state;
        this.isIntentLeft = isIntentLeft;
    }

    /** A state of the journal. */
    public static final class State
    {
        private static final Cut EVERYTHING = new Cut(0, 0, 0);

        public final long generation;
        public final long epoch;
        public final long startPosition;
        public final long startSequence;
        /** Term of the record before, or 0 if there is none or it is unknown. */
        public final long startTerm;
        /** The truncation of the current epoch, or null if there was none. */
        public final Cut cut;
        /** The truncation intent: the truncation if it is not complete yet, or null. */
        public final Cut pending;

        public State(
            final long generation,
            final long epoch,
            final long startPosition,
            final long startSequence,
            final long startTerm,
            final Cut cut,
            final boolean isPending)
        {
            this.generation = generation;
            this.epoch = epoch;
            this.startPosition = startPosition;
            this.startSequence = startSequence;
            this.startTerm = startTerm;
            this.cut = cut;
            pending = isPending ? cut : null;
        }

        /** The next state, with a truncation intent. */
        public State cutting(final Cut cut)
        {
            return new State(generation + 1, epoch + 1, startPosition, startSequence, startTerm, cut, true);
        }

        /** The next state, with a truncation that is complete already, because there is nothing to zero. */
        public State afterCut(final Cut cut)
        {
            return new State(generation + 1, epoch + 1, startPosition, startSequence, startTerm, cut, false);
        }

        /** The next state, without a truncation intent. */
        public State withoutIntent()
        {
            return new State(generation + 1, epoch, startPosition, startSequence, startTerm, cut, false);
        }

        /** The next state, with a later start. */
        public State startingAt(final long position, final long sequence, final long term)
        {
            return new State(generation + 1, epoch, position, sequence, term, cut, false);
        }

        /** The next state, which differs in its generation only. */
        public State again()
        {
            return new State(generation + 1, epoch, startPosition, startSequence, startTerm, cut, null != pending);
        }

        /**
         * What was truncated since an epoch: null if nothing was, this epoch's truncation, or everything if there was
         * more than one or it is not known. Only the newest truncation is kept: a reader that slept through two of them
         * has to seek again.
         */
        public Cut cutSince(final long since)
        {
            if (since == epoch)
            {
                return null;
            }
            return since == epoch - 1 && null != cut ? cut : EVERYTHING;
        }

        /** Position of the truncation that began the epoch; 0 if there was none, or it is not known. */
        public long cutPosition()
        {
            return null != cut && Layout.isPossibleFrame(cut.position) ? cut.position : 0;
        }

        public void write(final SegmentFile file) throws IOException
        {
            final ByteBuffer block = Block.allocate(1);
            block.putLong(0, generation);
            block.putLong(8, epoch);
            block.putLong(16, startPosition);
            block.putLong(24, startSequence);
            block.putInt(32, null == pending ? NOTHING : TRUNCATION);
            block.putLong(64, startTerm);
            if (null != cut)
            {
                block.putLong(40, cut.position);
                block.putLong(48, cut.sequence);
                block.putLong(56, cut.zeroEnd);
            }
            Slots.write(file, block);
        }

        public static State decode(final ByteBuffer buffer, final int start)
        {
            final int pending = buffer.getInt(start + 32);
            if (NOTHING != pending && TRUNCATION != pending)
            {
                throw new UnsupportedFormatException(
                    "unknown pending change: file=" + JournalFiles.META + ", offset=" + (start + 32) +
                        ", found=" + pending + "; open it with a newer version of the library");
            }

            final Cut cut =
                new Cut(buffer.getLong(start + 40), buffer.getLong(start + 48), buffer.getLong(start + 56));
            return new State(
                buffer.getLong(start),
                buffer.getLong(start + 8),
                buffer.getLong(start + 16),
                buffer.getLong(start + 24),
                buffer.getLong(start + 64),
                NOTHING == pending && 0 == cut.position ? null : cut,
                TRUNCATION == pending);
        }
    }

    /** A truncation, which removes everything from a position on. */
    public static final class Cut
    {
        public final long position;
        public final long sequence;
        public final long zeroEnd;

        public Cut(final long position, final long sequence, final long zeroEnd)
        {
            this.position = position;
            this.sequence = sequence;
            this.zeroEnd = zeroEnd;
        }
    }

    /** Creates the file of a new journal, durably. Its existence makes the directory a journal. */
    public static JournalMeta create(
        final SegmentStore store, final UUID uuid, final int segmentLength, final long timeMs) throws IOException
    {
        return create(store, JournalFiles.META, uuid, segmentLength, new State(1, 0, 0, 1, 0, null, false), timeMs);
    }

    /**
     * Creates the file of a journal in the given state, durably. The name is that of {@code journal.meta}, or a
     * temporary one as long as the journal is incomplete.
     */
    public static JournalMeta create(
        final SegmentStore store,
        final String name,
        final UUID uuid,
        final int segmentLength,
        final State state,
        final long timeMs) throws IOException
    {
        try (SegmentFile file = store.create(TEMPORARY, LENGTH))
        {
            file.write(0, identity(uuid, segmentLength, timeMs));
            state.write(file);
        }
        store.rename(TEMPORARY, name);
        try
        {
            store.force();
        }
        catch (final Throwable ex)
        {
            deleteAfter(ex, store, name);
            throw ex;
        }

        return new JournalMeta(uuid, segmentLength, state);
    }

    /** The next fsync of the directory may succeed although a power loss still takes the name. */
    private static void deleteAfter(final Throwable failure, final SegmentStore store, final String name)
    {
        try
        {
            store.delete(name);
        }
        catch (final IOException ex)
        {
            // The original failure is the more useful one to report.
            failure.addSuppressed(ex);
        }
    }

    /** Reads the file, or throws if it is damaged, does not belong to a journal, or has a newer format. */
    public static JournalMeta read(final SegmentStore store, final boolean forWriting) throws IOException
    {
        return read(store, JournalFiles.META, forWriting);
    }

    /** Reads a file of this format that has another name. */
    public static JournalMeta read(final SegmentStore store, final String name, final boolean forWriting)
        throws IOException
    {
        final ByteBuffer buffer;
        try (SegmentFile file = store.open(name, SegmentStore.Access.READ))
        {
            buffer = Slots.read(file);
            if (null == buffer)
            {
                throw new CorruptJournalException(
                    "wrong length: file=" + name + ", offset=0, expected=" + LENGTH +
                        ", found=" + file.length() + ADVICE,
                    null, name, 0, CorruptJournalException.UNKNOWN);
            }
        }

        Block.check(buffer, MAGIC, name, forWriting);
        final long segmentLength = buffer.getLong(SEGMENT_LENGTH_OFFSET);
        if (!isSegmentLength(segmentLength))
        {
            throw new CorruptJournalException(
                "impossible segment length: file=" + JournalFiles.META + ", offset=" + SEGMENT_LENGTH_OFFSET +
                    ", expected=a power of two, found=" + segmentLength,
                null, name, SEGMENT_LENGTH_OFFSET, CorruptJournalException.UNKNOWN);
        }

        final List<State> found = new ArrayList<>();
        final int slot = Slots.BLOCKS.newest(buffer, (offset) ->
        {
            found.add(State.decode(buffer, offset));
            return checked(found.get(found.size() - 1), (int)segmentLength, offset);
        });
        if (Slots.NONE == slot)
        {
            throw new CorruptJournalException(
                "no valid state: file=" + JournalFiles.META + ", offset=" + Block.LENGTH +
                    ", expected=a valid checksum, found=none" + ADVICE,
                null, name, Block.LENGTH, CorruptJournalException.UNKNOWN);
        }

        final State state = State.decode(buffer, slot);
        final boolean isIntentLeft =
            null == state.pending && found.stream().anyMatch((other) -> null != other.pending);
        return new JournalMeta(Block.uuid(buffer), (int)segmentLength, state, isIntentLeft);
    }

    /** A slot of a valid checksum, current or not, has to be possible. */
    private static boolean checked(final State state, final int segmentLength, final int offset)
    {
        if (!isPossible(state, segmentLength, offset / Block.LENGTH - 1))
        {
            throw new CorruptJournalException(
                "impossible state: file=" + JournalFiles.META + ", offset=" + offset +
                    ", generation=" + state.generation + ", epoch=" + state.epoch +
                    ", startPosition=" + state.startPosition + ", startSequence=" + state.startSequence +
                    ADVICE,
                null, JournalFiles.META, offset, CorruptJournalException.UNKNOWN);
        }

        return true;
    }

    public static boolean isPossible(final State state, final int segmentLength, final int slot)
    {
        return Slots.BLOCKS.isPossible(state.generation, (1 + slot) * Block.LENGTH) &&
            state.epoch >= 0 && state.epoch < Layout.MAX_POSITION &&
            state.startPosition >= 0 && state.startPosition < Layout.MAX_POSITION &&
            0 == (state.startPosition & (segmentLength - 1)) &&
            state.startSequence >= 1 && state.startSequence < Layout.MAX_POSITION;
    }

    public static boolean isSegmentLength(final long length)
    {
        return length >= Layout.MIN_SEGMENT_LENGTH && length <= Layout.MAX_SEGMENT_LENGTH &&
            1 == Long.bitCount(length);
    }

    /**
     * Rewrites the whole file in place, where readers that follow the journal see it. The identity is written last:
     * until then, the file is either damaged as before or already complete.
     *
     * @param state with a generation that no reader has seen.
     */
    public static void rewrite(
        final SegmentStore store, final UUID uuid, final int segmentLength, final State state, final long timeMs)
        throws IOException
    {
        try (SegmentFile file = store.open(JournalFiles.META, SegmentStore.Access.WRITE))
        {
            state.write(file);
            state.again().write(file);
            file.write(0, identity(uuid, segmentLength, timeMs));
            file.force(0, LENGTH);
        }
    }

    /** Changes the state durably. Returns this journal in the new state. */
    public JournalMeta with(final SegmentStore store, final State next) throws IOException
    {
        try (SegmentFile file = open(store))
        {
            return with(file, next);
        }
    }

    /**
     * Changes the state durably, in a file that is already open: an exception here is a failure of storage.
     */
    public JournalMeta with(final SegmentFile file, final State next) throws IOException
    {
        assert next.generation == state.generation + 1 : "generation=" + next.generation;
        next.write(file);
        return new JournalMeta(uuid, segmentLength, next);
    }

    /** Opens the file to change the state. */
    public static SegmentFile open(final SegmentStore store) throws IOException
    {
        return store.open(JournalFiles.META, SegmentStore.Access.WRITE);
    }

    /**
     * Rewrites the current state in its slot. After a failed fsync the page cache may hold a state that is not durable.
     * The other slot is then the only durable one, and must not be overwritten before this.
     */
    public void confirm(final SegmentStore store) throws IOException
    {
        try (SegmentFile file = open(store))
        {
            state.write(file);
        }
    }

    /**
     * Writes the state without a truncation intent to both slots, so that damage to one cannot revive the intent.
     */
    public JournalMeta withoutIntent(final SegmentStore store) throws IOException
    {
        final JournalMeta first = with(store, state.withoutIntent());
        return first.with(store, first.state.withoutIntent());
    }

    private static ByteBuffer identity(final UUID uuid, final int segmentLength, final long timeMs)
    {
        final ByteBuffer identity = Block.allocate(1);
        Block.identify(identity, MAGIC, uuid);
        identity.putLong(SEGMENT_LENGTH_OFFSET, segmentLength);
        identity.putLong(TIME_OFFSET, timeMs);
        Block.seal(identity, 0);
        return identity;
    }
}
