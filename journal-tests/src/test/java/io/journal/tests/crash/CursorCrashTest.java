// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.crash;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A process crash or a power loss at any step of a cursor change, and again during the following recovery. The cursor
 * then has its old or its new sequence, never one beyond a record that its consumer did not see.
 */
class CursorCrashTest extends RecoveryFixture
{
    private static final long GONE = -1;

    @EachBackend
    void saveInterruptedAtAnyStepLeavesTheOldOrNewSequence(final Backend backend)
    {
        prepare(backend);
        final Map<String, byte[]> image = crashed.content();
        assertLegal(backend, image, (journal) -> journal.cursor("a").save(9), 4, 9);
        assertLegal(backend, image, (journal) -> journal.cursor("a").save(1), 4, 1);
        assertLegal(backend, image, (journal) -> journal.cursor("a").save(4), 4);
        assertLegal(backend, image, (journal) -> journal.cursor("b").save(7), 4);
    }

    @EachBackend
    void laterSaveInterruptedAtAnyStepLeavesTheOldOrNewSequence(final Backend backend)
    {
        prepare(backend);
        final Map<String, byte[]> image = crashed.content();
        crashed.restore(image);
        try (Journal journal = open(crashed, backend))
        {
            final JournalCursor cursor = journal.cursor("a");
            for (final long sequence : new long[]{ 5, 6, 3, 10, 2, 2, 8 })
            {
                cursor.save(sequence);
            }
        }
        assertLegal(backend, crashed.content(), (journal) ->
        {
            journal.cursor("a").save(9);
            journal.cursor("a").save(10);
        }, 8, 9, 10);
    }

    @EachBackend
    void savedSequenceSurvivesAFailedFsyncAndPowerLoss(final Backend backend)
    {
        prepare(backend);
        final FailingSteps device = new FailingSteps(StepStore.Step.FORCE);
        final Map<String, byte[]> onDevice;
        final Journal failing = open(crashed, backend, device);
        try
        {
            failing.cursor("a").save(5);
            onDevice = crashed.content();
            device.fail();
            assertThrows(JournalException.class, () -> failing.cursor("a").save(9));
        }
        finally
        {
            closeFallible(failing);
        }

        final CursorImages images = new CursorImages(crashed, onDevice);
        try (Journal journal = open(crashed, backend, images))
        {
            journal.cursor("a").save(10);
            images.take();
        }
        final Set<Long> found = new HashSet<>();
        for (final Map<String, byte[]> image : images.images())
        {
            crashed.restore(image);
            open(crashed, backend, (journal) -> found.add(journal.cursor("a").sequence()));
        }
        assertEquals(Set.of(5L, 9L, 10L), found);
    }

    @EachBackend
    void creationInterruptedAtAnyStepLeavesACursorOrNone(final Backend backend)
    {
        prepare(backend);
        final Map<String, byte[]> image = crashed.content();
        assertLegal(backend, image, (journal) -> journal.cursor("c"), 4);
        crashed.restore(image);
        open(crashed, backend, (journal) -> journal.deleteCursor("a"));
        assertLegal(backend, crashed.content(), (journal) -> journal.cursor("a"), GONE, 0);
    }

    @EachBackend
    void deletionInterruptedAtAnyStepLeavesTheCursorOrNone(final Backend backend)
    {
        prepare(backend);
        assertLegal(backend, crashed.content(), (journal) -> journal.deleteCursor("a"), 4, GONE);
    }

    @EachBackend
    void cursorsMoveBackWithATruncationInterruptedAtAnyStep(final Backend backend)
    {
        prepareTruncation(backend);
        final List<Map<String, byte[]>> ends = imagesOf(backend, (journal) -> journal.truncateAfter(6));
        assertTrue(ends.size() > 20, () -> "images=" + ends.size());
        int truncated = 0;
        for (final Map<String, byte[]> end : ends)
        {
            crashed.restore(end);
            truncated += isTruncatedWithCursors(backend) ? 1 : 0;
        }
        assertTrue(truncated > 5 && ends.size() - truncated > 5, "truncated=" + truncated + ", of " + ends.size());
    }

    @EachBackend
    void cursorsMoveBackWithATruncationInterruptedTwice(final Backend backend)
    {
        endTwice(backend, 1, 150);
    }

    @Tag("soak")
    @EachBackend
    void cursorsMoveBackWithATruncationInterruptedTwiceAtAnyStep(final Backend backend)
    {
        endTwice(backend, System.nanoTime(), 2000);
    }

    private void endTwice(final Backend backend, final long seed, final int count)
    {
        prepareTruncation(backend);
        final Random random = new Random(seed);
        final List<Map<String, byte[]>> ends = imagesOf(backend, (journal) -> journal.truncateAfter(6));
        for (int i = 0; i < count; i += 10)
        {
            crashed.restore(ends.get(random.nextInt(ends.size())));
            final List<Map<String, byte[]>> again = imagesOf(backend, (journal) ->
            {
            });
            final Set<Boolean> found = new HashSet<>();
            for (int j = 0; j < 10; j++)
            {
                crashed.restore(again.get(random.nextInt(again.size())));
                try
                {
                    found.add(isTruncatedWithCursors(backend));
                    assertEquals(1, found.size(), "what an opening finds does not change with the next one");
                }
                catch (final AssertionError | JournalException ex)
                {
                    throw new AssertionError("seed=" + seed + ", pair=" + i, ex);
                }
            }
        }
    }

    @EachBackend
    void damageToOneSlotDoesNotMakeAConsumerMissRecords(final Backend backend)
    {
        prepareTruncation(backend);
        open(crashed, backend, (journal) ->
        {
            journal.truncateAfter(6);
            model.forgetAfter(6);
            model.append(journal, 6, 100);
            journal.cursor("b").save(12);
            journal.cursor("b").save(11);
        });
        final Map<String, byte[]> image = crashed.content();
        for (final int slot : STATE_SLOTS)
        {
            crashed.restore(image);
            crashed.flip(CONTROL, slot, 3);
            open(crashed, backend, (journal) ->
            {
                assertEquals(6, journal.cursor("a").sequence());
                assertEquals(11, journal.cursor("b").sequence());
            });
        }
    }

    /**
     * Ten forced records, a cursor at 4 and one at 7.
     */
    private void prepare(final Backend backend)
    {
        open(live, backend, (journal) ->
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(3);
            journal.cursor("a").save(4);
            journal.cursor("b").save(7);
            journal.force();
            live.copyTo(crashed.path);
        });
    }

    /**
     * Ten forced records, and cursors at 9, 4 and 10.
     */
    private void prepareTruncation(final Backend backend)
    {
        open(live, backend, (journal) ->
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(9);
            journal.cursor("b").save(4);
            journal.cursor("c").save(10);
            journal.cursor("c").save(5);
            journal.cursor("c").save(10);
            live.copyTo(crashed.path);
        });
    }

    /** Asserts that the cursors belong to the end of the journal; returns whether that was truncated. */
    private boolean isTruncatedWithCursors(final Backend backend)
    {
        boolean isTruncated = false;
        // Twice, and with a record that takes a cut one's place.
        for (int i = 0; i < 2; i++)
        {
            try (Journal journal = openUnforced(crashed, backend))
            {
                isTruncated = journal.lastSequence() < 10;
                assertEquals((isTruncated ? 6 : 10) + i, journal.lastSequence());
                assertEquals(List.of("a", "b", "c"), journal.cursorNames());
                assertEquals(isTruncated ? 6 : 9, journal.cursor("a").sequence());
                assertEquals(4, journal.cursor("b").sequence());
                assertEquals(isTruncated ? 6 : 10, journal.cursor("c").sequence());
                journal.appender().append(new byte[200]);
            }
        }
        return isTruncated;
    }

    /**
     * Asserts where the cursor "a" is after an end at any step of a change.
     */
    private void assertLegal(
        final Backend backend, final Map<String, byte[]> image, final Consumer<Journal> change, final long... places)
    {
        crashed.restore(image);
        final List<Map<String, byte[]>> ends = imagesOf(backend, change);
        final Set<Long> found = new HashSet<>();
        for (final Map<String, byte[]> end : ends)
        {
            crashed.restore(end);
            open(crashed, backend, (journal) ->
            {
                model.assertHolds(journal);
                final long place =
                    journal.cursorNames().contains("a") ? journal.cursor("a").sequence() : GONE;
                found.add(place);
                assertEquals(7, journal.cursor("b").sequence());
            });
        }
        final Set<Long> legal = new HashSet<>();
        for (final long place : places)
        {
            legal.add(place);
        }
        assertEquals(legal, found);
    }

    /**
     * Pictures of all ends while a journal is opened, changed and closed.
     */
    private List<Map<String, byte[]>> imagesOf(final Backend backend, final Consumer<Journal> change)
    {
        final CursorImages images = new CursorImages(crashed);
        try (Journal journal = open(crashed, backend, images))
        {
            change.accept(journal);
            images.take();
        }

        return images.images();
    }

    private void open(final JournalDirectory directory, final Backend backend, final Consumer<Journal> user)
    {
        try (Journal journal = openUnforced(directory, backend))
        {
            user.accept(journal);
        }
    }
}
