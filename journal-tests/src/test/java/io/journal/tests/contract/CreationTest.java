package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.MARK;
import static io.journal.tests.support.JournalDirectory.META;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Interrupted creations, and damaged {@code journal.meta} files.
 */
class CreationTest extends RecoveryFixture
{
    private static final int META_LENGTH = 3 * BLOCK_LENGTH;

    // Unfinished creation.

    @EachBackend
    void creationInterruptedAtAnyStepIsCompletedByTheNextOpen(final Backend backend)
    {
        final List<Map<String, byte[]>> ends = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(live.path), (step, name) ->
        {
            if (Files.exists(live.path))
            {
                ends.add(live.content());
            }
            return true;
        });
        model.builder(live, backend).store(store).open().close();

        assertTrue(ends.size() > 8, () -> "steps=" + ends.size());
        for (int step = 0; step < ends.size(); step++)
        {
            crashed.restore(ends.get(step));
            final boolean isJournal = crashed.exists(META);
            final String place = "step " + step + " of " + ends.size();
            model = new RecordModel();
            try (Journal journal = open(crashed, backend))
            {
                assertEquals(!isJournal, journal.recoveryReport().isNew(), place);
                assertEquals(0, journal.lastSequence(), place);
                model.appendInto(journal, 1, 5000);
                model.assertHolds(journal);
            }
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertEquals(List.of(), crashed.content().keySet().stream().filter(JournalFiles::isSpare).toList());
            }
        }
    }

    /** The next fsync may succeed although a power loss still takes the name, and with it the journal. */
    @EachBackend
    void metaIsDeletedIfItsNameMayNotBeDurable(final Backend backend)
    {
        final AtomicBoolean isNamed = new AtomicBoolean();
        final StepStore store = new StepStore(backend.store(live.path), (step, name) ->
        {
            isNamed.compareAndSet(false, StepStore.Step.RENAME == step && META.equals(name));
            if (isNamed.get() && StepStore.Step.FORCE_DIRECTORY == step)
            {
                throw new IOException("injected");
            }
            return true;
        });
        assertThrows(JournalException.class, () -> model.builder(live, backend).store(store).open());
        assertTrue(isNamed.get());
        assertFalse(live.exists(META));

        final Journal journal = closing(open(live, backend));
        assertTrue(journal.recoveryReport().isNew());
        model.append(journal, 3, 100);
        model.assertHolds(journal);
    }

    @EachBackend
    void halfFilledFilesOfACreationAreDeleted(final Backend backend)
    {
        open(live, backend).close();
        final byte[] segment = live.read(segmentName(0));
        final byte[] meta = live.read(META);
        for (final int length : new int[]{ 0, 1, 4095, 4096, 5000, SEGMENT_LENGTH - 1, SEGMENT_LENGTH })
        {
            crashed.restore(Map.of(
                "spare-00000000000000000000", Arrays.copyOf(segment, length),
                "spare-meta", Arrays.copyOf(meta, Math.min(length, meta.length))));
            assertNewAndUsable(backend, SEGMENT_LENGTH);
            assertEquals(List.of(), crashed.content().keySet().stream().filter(JournalFiles::isSpare).toList());
        }
    }

    @EachBackend
    void singleUnusedSegmentIsAnUnfinishedCreation(final Backend backend)
    {
        final byte[] segment = unusedSegment(backend);
        for (final int length : new int[]{ SEGMENT_LENGTH, 2 * SEGMENT_LENGTH })
        {
            crashed.restore(Map.of(segmentName(0), segment));
            assertNewAndUsable(backend, length);
        }
    }

    @EachBackend
    void filesNextToASingleUnusedSegmentAreIgnored(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 3, 100);
        }
        crashed.restore(Map.of(
            segmentName(0), unusedSegment(backend),
            MARK, live.read(MARK),
            "notes.txt", new byte[]{ 1 },
            "spare-meta", live.read(META)));
        assertNewAndUsable(backend, SEGMENT_LENGTH);
        assertTrue(crashed.exists("notes.txt"));
    }

    @EachBackend
    void directoryWithoutSegmentsIsANewJournal(final Backend backend) throws IOException
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 3, 100);
        }
        crashed.restore(Map.of(
            MARK, live.read(MARK), "journal.lock", new byte[]{ 'x' }, "cursors", new byte[9]));
        assertNewAndUsable(backend, SEGMENT_LENGTH);

        crashed.restore(Map.of());
        assertNewAndUsable(backend, SEGMENT_LENGTH);
    }

    private void assertNewAndUsable(final Backend backend, final int segmentLength)
    {
        model = new RecordModel();
        try (Journal journal = model.builder(crashed, backend).segmentLength(segmentLength).open())
        {
            assertTrue(journal.recoveryReport().isNew());
            assertEquals(segmentLength, journal.segmentLength());
            model.append(journal, 30, 5000);
            model.assertHolds(journal);
        }
        try (Journal journal = model.builder(crashed, backend).segmentLength(segmentLength).open())
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            model.assertHolds(journal);
        }
    }

    @EachBackend
    void singleSegmentWithContentIsRejected(final Backend backend)
    {
        final byte[] unused = unusedSegment(backend);
        for (final int offset : new int[]{ FIRST_OFFSET, FIRST_OFFSET + 7, FIRST_OFFSET + MARK_LENGTH, 30_001,
            SEGMENT_LENGTH - 1 })
        {
            final byte[] segment = unused.clone();
            segment[offset] = 1;
            crashed.restore(Map.of(segmentName(0), segment));
            assertRefused(backend, segmentName(0));
        }
    }

    @EachBackend
    void journalWithoutItsMetaIsRejectedAndOpensAgainWithIt(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            live.copyTo(crashed.path);
            crashed.delete(META);
            assertRefused(backend, segmentName(0));

            model.appendInto(journal, 1, 3000);
            live.copyTo(crashed.path);
        }
        final byte[] meta = crashed.read(META);
        crashed.delete(META);
        assertRefused(backend, "0000000000000000000");

        crashed.rename(segmentName(0), "aside");
        assertRefused(backend, segmentName(1));
        crashed.rename("aside", segmentName(0));

        crashed.put("spare-meta", meta);
        assertRefused(backend, "0000000000000000000");

        crashed.rename("spare-meta", META);
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
    }

    @EachBackend
    void unusedSegmentsOtherThanASingleFirstOneAreRejected(final Backend backend)
    {
        final byte[] first = unusedSegment(backend);
        final byte[] second = first.clone();
        JournalDirectory.littleEndian(second).putLong(48, 1);
        System.arraycopy(JournalDirectory.sealed(Arrays.copyOf(second, BLOCK_LENGTH)), 0, second, 0, BLOCK_LENGTH);

        crashed.restore(Map.of(segmentName(1), second));
        assertRefused(backend, segmentName(1));
        crashed.restore(Map.of(segmentName(0), first, segmentName(1), second));
        assertRefused(backend, segmentName(1));
    }

    @EachBackend
    void singleInvalidSegmentIsRejected(final Backend backend)
    {
        final byte[] unused = unusedSegment(backend);
        for (final int length : new int[]{ 0, 1, 4095, 4096, 4097, SEGMENT_LENGTH - 1, SEGMENT_LENGTH + 1 })
        {
            crashed.restore(Map.of(segmentName(0), Arrays.copyOf(unused, length)));
            assertRefused(backend, segmentName(0));
        }
        crashed.restore(Map.of(segmentName(0), new byte[SEGMENT_LENGTH]));
        assertRefused(backend, segmentName(0));

        for (int bit = 0; bit < 8 * 80; bit += 7)
        {
            crashed.restore(Map.of(segmentName(0), unused));
            crashed.flip(segmentName(0), bit / 8, bit % 8);
            final Map<String, byte[]> before = crashed.content();
            assertThrows(JournalException.class, () -> openUnforced(crashed, backend).close());
            crashed.assertHolds(before);
        }
    }

    // A damaged journal.meta.

    @EachBackend
    void metaOfAWrongLengthIsRejected(final Backend backend)
    {
        crashWithUsedMeta(backend);
        final byte[] meta = crashed.read(META);
        for (int length = 0; length < META_LENGTH + 100;
            length += 0 == length % 4096 ? 1 : length % 4096 < 4050 ? 90 : 3)
        {
            if (META_LENGTH != length)
            {
                crashed.put(META, Arrays.copyOf(meta, length));
                final String message = assertRefused(backend, META);
                assertTrue(message.contains("expected=" + META_LENGTH), message);
                assertTrue(message.contains("found=" + length), message);
            }
        }
    }

    @EachBackend
    void metaOfGarbageIsRejected(final Backend backend)
    {
        crashWithUsedMeta(backend);
        final byte[] garbage = new byte[META_LENGTH];
        crashed.put(META, garbage);
        assertRefused(backend, META);

        new Random(3).nextBytes(garbage);
        crashed.put(META, garbage);
        assertRefused(backend, META);

        crashed.put(META, Arrays.copyOf(crashed.read(segmentName(0)), META_LENGTH));
        assertRefused(backend, META);
    }

    @EachBackend
    void flippedBitInTheMetaLosesNothingSilently(final Backend backend)
    {
        crashWithUsedMeta(backend);
        final Map<String, byte[]> image = crashed.content();
        int refused = 0;
        int opened = 0;
        for (int offset = 0; offset < META_LENGTH; offset++)
        {
            final int inBlock = offset % BLOCK_LENGTH;
            final boolean isUsed = inBlock < 64 || inBlock >= BLOCK_LENGTH - 4;
            if (isUsed || 0 == offset % 97)
            {
                crashed.restore(image);
                crashed.flip(META, offset, offset % 8);
                final Map<String, byte[]> before = crashed.content();
                try (Journal journal = openUnforced(crashed, backend))
                {
                    opened++;
                    model.assertHolds(journal);
                    assertNothingCut(journal.recoveryReport());
                }
                catch (final JournalException ex)
                {
                    refused++;
                    crashed.assertHolds(before);
                }
            }
        }

        assertTrue(refused >= 64, "refused=" + refused);
        assertTrue(opened >= 2 * 64, "opened=" + opened);
    }

    @EachBackend
    void metaWithoutAValidSlotIsRejected(final Backend backend)
    {
        crashWithUsedMeta(backend);
        final byte[] meta = crashed.read(META);
        crashed.flip(META, BLOCK_LENGTH + 3, 3);
        crashed.flip(META, 2 * BLOCK_LENGTH + 3, 3);
        assertRefused(backend, META);

        crashed.put(META, meta);
        crashed.zero(META, BLOCK_LENGTH, META_LENGTH);
        assertRefused(backend, META);
    }

    @EachBackend
    void damagedOnlySlotOfANewJournalIsRejected(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 3, 100);
            live.copyTo(crashed.path);
        }
        final int slot = 0 == JournalDirectory.littleEndian(crashed.read(META)).getLong(BLOCK_LENGTH) ? 2 : 1;
        crashed.flip(META, (long)slot * BLOCK_LENGTH + 10, 1);

        assertRefused(backend, META);
    }

    @EachBackend
    void impossibleStateIsRejected(final Backend backend)
    {
        crashWithUsedMeta(backend);
        final Map<String, byte[]> image = crashed.content();
        final State state = crashed.state();
        final long generation = state.generation() + 1;
        final long epoch = state.epoch();
        final List<State> impossible = List.of(
            new State(generation, epoch, 1000L * SEGMENT_LENGTH, 7, false, 0, 0, 0),
            new State(generation, epoch, -SEGMENT_LENGTH, 1, false, 0, 0, 0),
            new State(generation, epoch, 4096, 1, false, 0, 0, 0),
            new State(generation, epoch, Long.MAX_VALUE, 1, false, 0, 0, 0),
            new State(generation, epoch, Long.MIN_VALUE, 1, false, 0, 0, 0),
            new State(generation, epoch, 0, 0, false, 0, 0, 0),
            new State(generation, epoch, 0, -1, false, 0, 0, 0));
        for (final State next : impossible)
        {
            crashed.restore(image);
            crashed.writeState(next);
            final Map<String, byte[]> before = crashed.content();
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close(), next::toString);
            crashed.assertHolds(before);
        }
    }

    @EachBackend
    void invalidSegmentLengthIsRejected(final Backend backend)
    {
        crashWithUsedMeta(backend);
        final byte[] block = crashed.read(META, 0, BLOCK_LENGTH);
        for (final long length : new long[]{ 0, 1, -1, 32 * 1024, SEGMENT_LENGTH + 1, 3 * SEGMENT_LENGTH, 1L << 31,
            1L << 62,
            Long.MIN_VALUE, (1L << 32) + SEGMENT_LENGTH })
        {
            JournalDirectory.littleEndian(block).putLong(48, length);
            crashed.overwrite(META, 0, JournalDirectory.sealed(block));
            assertRefused(backend, META);
        }

        // Valid, but of another journal: its segments show that.
        JournalDirectory.littleEndian(block).putLong(48, 2 * SEGMENT_LENGTH);
        crashed.overwrite(META, 0, JournalDirectory.sealed(block));
        final Map<String, byte[]> before = crashed.content();
        assertThrows(
            CorruptJournalException.class,
            () -> Journal.builder(crashed.path).backend(backend).writeWindow(0).backgroundThread(false).open().close());
        crashed.assertHolds(before);
    }

    @EachBackend
    void metaOfAnotherJournalIsRejected(final Backend backend)
    {
        crashWithUsedMeta(backend);
        crashed.adopt(META, new UUID(9, 9));
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("uuid"), ex.getMessage());
    }

    @EachBackend
    void newerFormatIsRejectedAsNewer(final Backend backend)
    {
        crashWithUsedMeta(backend);
        final Map<String, byte[]> image = crashed.content();
        for (final String name : new String[]{ META, segmentName(crashed.newest()) })
        {
            for (final int[] change : new int[][]{ { 8, 3 }, { 9, 1 }, { 20, 1 }, { 27, 128 }, { 24, 2 } })
            {
                crashed.restore(image);
                change(name, change[0], change[1]);
                final Map<String, byte[]> before = crashed.content();
                final UnsupportedFormatException ex =
                    assertThrows(UnsupportedFormatException.class, () -> open(crashed, backend).close());
                assertTrue(ex.getMessage().contains("file=" + name), ex.getMessage());
                crashed.assertHolds(before);
            }

            // A newer minor version and compatible features change nothing for an older reader.
            for (final int[] change : new int[][]{ { 10, 7 }, { 16, 1 }, { 19, 128 } })
            {
                crashed.restore(image);
                change(name, change[0], change[1]);
                try (Journal journal = open(crashed, backend))
                {
                    model.assertHolds(journal);
                }
            }
        }
    }

    private void change(final String name, final int offset, final int value)
    {
        final byte[] block = crashed.read(name, 0, BLOCK_LENGTH);
        block[offset] = (byte)value;
        crashed.overwrite(name, 0, JournalDirectory.sealed(block));
    }

    /**
     * Both slots of the state were used: a recovery has cut something, and records came in its place.
     */
    private void crashWithUsedMeta(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        Damage.BODY.apply(crashed, crashed.record(7));
        model.forgetAfter(6);
        final JournalDirectory next = directory("used");
        try (Journal journal = open(crashed, backend))
        {
            model.append(journal, 4, 100);
            model.appendInto(journal, 1, 5000);
            journal.force();
            crashed.copyTo(next.path);
        }
        crashed = next;
        assertFalse(crashed.state().isPending());
        assertTrue(crashed.state().epoch() > 0);
    }

    private byte[] unusedSegment(final Backend backend)
    {
        final JournalDirectory other = directory("other");
        other.restore(Map.of());
        open(other, backend).close();
        final byte[] segment = other.read(segmentName(0));
        Arrays.fill(segment, FIRST_OFFSET, SEGMENT_LENGTH, (byte)0);
        return segment;
    }

    private String assertRefused(final Backend backend, final String file)
    {
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("file=" + file), ex.getMessage());
        assertTrue(ex.getMessage().contains("expected="), ex.getMessage());
        assertTrue(ex.getMessage().contains("found="), ex.getMessage());
        crashed.assertHolds(before);
        return ex.getMessage();
    }
}
