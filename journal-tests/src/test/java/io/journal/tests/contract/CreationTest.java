// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.CONTROL_LENGTH;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Interrupted creations, and damaged {@code journal.control} files. */
class CreationTest extends RecoveryFixture
{
    @EachBackend
    void creationInterruptedAtAnyStepIsCompletedByTheNextOpen(final Backend backend)
    {
        final List<Map<String, byte[]>> ends = new ArrayList<>();
        open(live, backend, (step, name) -> !Files.exists(live.path) || ends.add(live.content())).close();
        assertTrue(ends.size() > 8, () -> "steps=" + ends.size());
        for (int step = 0; step < ends.size(); step++)
        {
            crashed.restore(ends.get(step));
            final boolean isJournal = crashed.exists(CONTROL);
            final String place = "step " + step + " of " + ends.size();
            model = new RecordModel();
            try (Journal journal = open(crashed, backend))
            {
                assertEquals(!isJournal, journal.recoveryReport().isNew(), place);
                assertEquals(0, journal.lastSequence(), place);
                model.appendInto(journal, 1, 5000);
            }
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertEquals(List.of(), crashed.content().keySet().stream().filter(JournalFiles::isSpare).toList());
            }
        }
    }

    /** A power loss can still take the name, and the journal with it, even if the next fsync succeeds. */
    @EachBackend
    void controlFileIsDeletedIfItsNameMayNotBeDurable(final Backend backend)
    {
        final AtomicBoolean isNamed = new AtomicBoolean();
        assertThrows(JournalException.class, () -> open(live, backend, (step, name) ->
        {
            isNamed.compareAndSet(false, StepStore.Step.RENAME == step && CONTROL.equals(name));
            if (isNamed.get() && StepStore.Step.FORCE_DIRECTORY == step)
            {
                throw new IOException("injected");
            }
            return true;
        }));
        assertTrue(isNamed.get());
        assertFalse(live.exists(CONTROL));
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
        final byte[] control = live.read(CONTROL);
        for (final int length : new int[]{ 0, 1, 4095, 4096, 5000, SEGMENT_LENGTH - 1, SEGMENT_LENGTH })
        {
            crashed.restore(Map.of(
                "spare-00000000000000000000", Arrays.copyOf(segment, length),
                "spare-control", Arrays.copyOf(control, Math.min(length, control.length))));
            assertNewAndUsable(backend, SEGMENT_LENGTH);
            assertEquals(List.of(), crashed.content().keySet().stream().filter(JournalFiles::isSpare).toList());
        }
    }

    @EachBackend
    void singleUnusedSegmentOrNoneIsAnUnfinishedCreation(final Backend backend)
    {
        final byte[] segment = unusedSegment(backend);
        final byte[] control = live.read(CONTROL);
        for (final int length : new int[]{ SEGMENT_LENGTH, 2 * SEGMENT_LENGTH })
        {
            crashed.restore(Map.of(segmentName(0), segment));
            assertNewAndUsable(backend, length);
        }
        final Map<String, byte[]> others =
            Map.of("notes.txt", new byte[]{ 1 }, "journal.lock", new byte[]{ 'x' }, "cursors", new byte[9]);
        final Map<String, byte[]> all = new HashMap<>(others);
        all.put(segmentName(0), segment);
        all.put("spare-control", control);
        for (final Map<String, byte[]> files : List.of(Map.<String, byte[]>of(), others, all))
        {
            crashed.restore(files);
            assertNewAndUsable(backend, SEGMENT_LENGTH);
            assertEquals(files.containsKey("notes.txt"), crashed.exists("notes.txt"));
        }
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
    void journalWithoutItsControlFileIsRejectedAndOpensAgainWithIt(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            live.copyTo(crashed.path);
            crashed.delete(CONTROL);
            assertRefused(backend, segmentName(0));

            model.appendInto(journal, 1, 3000);
            live.copyTo(crashed.path);
        }
        final byte[] control = crashed.read(CONTROL);
        crashed.delete(CONTROL);
        assertRefused(backend, "0000000000000000000");

        crashed.rename(segmentName(0), "aside");
        assertRefused(backend, segmentName(1));
        crashed.rename("aside", segmentName(0));

        crashed.put("spare-control", control);
        assertRefused(backend, "0000000000000000000");

        crashed.rename("spare-control", CONTROL);
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

    // A damaged journal.control.

    @EachBackend
    void controlFileOfAWrongLengthIsRejected(final Backend backend)
    {
        crashWithUsedState(backend);
        final byte[] control = crashed.read(CONTROL);
        for (int length = 0; length < CONTROL_LENGTH + 100;
            length += 0 == length % 4096 ? 1 : length % 4096 < 4050 ? 2000 : 3)
        {
            if (CONTROL_LENGTH != length)
            {
                crashed.put(CONTROL, Arrays.copyOf(control, length));
                final String message = assertRefused(backend, CONTROL);
                assertTrue(message.contains("expected=" + CONTROL_LENGTH), message);
                assertTrue(message.contains("found=" + length), message);
            }
        }
    }

    @EachBackend
    void controlFileWithoutAValidStateIsRejected(final Backend backend)
    {
        crashWithUsedState(backend);
        final byte[] control = crashed.read(CONTROL);
        final byte[] random = new byte[CONTROL_LENGTH];
        new Random(3).nextBytes(random);
        final byte[] withoutStates = control.clone();
        Arrays.fill(withoutStates, STATE_SLOTS[0], WATERMARKS[0], (byte)0);
        final byte[] damagedStates = control.clone();
        damagedStates[STATE_SLOTS[0] + 3] ^= 8;
        damagedStates[STATE_SLOTS[1] + 3] ^= 8;
        for (final byte[] bytes : List.of(
            new byte[CONTROL_LENGTH], random, Arrays.copyOf(crashed.read(segmentName(0)), CONTROL_LENGTH),
            withoutStates, damagedStates))
        {
            crashed.put(CONTROL, bytes);
            assertRefused(backend, CONTROL);
        }
    }

    @EachBackend
    void invalidSegmentLengthIsRejected(final Backend backend)
    {
        crashWithUsedState(backend);
        final byte[] block = crashed.read(CONTROL, 0, BLOCK_LENGTH);
        // The last one is valid but belongs to another journal, which the segments show.
        for (final long length : new long[]{ 0, 1, -1, 32 * 1024, SEGMENT_LENGTH + 1, 3 * SEGMENT_LENGTH, 1L << 31,
            1L << 62, Long.MIN_VALUE, (1L << 32) + SEGMENT_LENGTH, 2 * SEGMENT_LENGTH })
        {
            JournalDirectory.littleEndian(block).putLong(48, length);
            crashed.overwrite(CONTROL, 0, JournalDirectory.sealed(block));
            final Map<String, byte[]> before = crashed.content();
            final CorruptJournalException ex = assertThrows(
                CorruptJournalException.class,
                () -> Journal.builder(crashed.path).backend(backend).backgroundThread(false).open().close());
            assertTrue(2 * SEGMENT_LENGTH == length || CONTROL.equals(ex.file()), ex::toString);
            crashed.assertHolds(before);
        }
    }

    @EachBackend
    void controlFileOfAnotherJournalIsRejected(final Backend backend)
    {
        crashWithUsedState(backend);
        crashed.adopt(CONTROL, new UUID(9, 9));
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("uuid"), ex.getMessage());
    }

    /** Both slots of the state were used, because a recovery has cut a torn tail and records replaced it. */
    private void crashWithUsedState(final Backend backend)
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
        assertFalse(crashed.state().newest().isEmpty());
    }

    private byte[] unusedSegment(final Backend backend)
    {
        open(live, backend).close();
        final byte[] segment = live.read(segmentName(0));
        Arrays.fill(segment, FIRST_OFFSET, SEGMENT_LENGTH, (byte)0);
        return segment;
    }

    private String assertRefused(final Backend backend, final String file)
    {
        final Map<String, byte[]> before = crashed.content();
        final String message =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close()).getMessage();
        for (final String part : List.of("file=" + file, "expected=", "found="))
        {
            assertTrue(message.contains(part), message);
        }
        crashed.assertHolds(before);
        return message;
    }
}
