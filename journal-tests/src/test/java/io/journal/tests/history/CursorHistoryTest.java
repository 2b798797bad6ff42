// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.LogRecords;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Cursors of a journal that is truncated and pruned. */
class CursorHistoryTest extends RecoveryFixture
{
    @EachBackend
    void truncationMovesCursorsBack(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("above").save(9);
            journal.cursor("below").save(4);
            journal.cursor("at").save(6);

            journal.truncateAfter(6);

            assertPlaces(journal);
            assertEquals(0, journal.cursor("above").lag());
            assertEquals(2, journal.cursor("below").lag());
            assertThrows(IllegalArgumentException.class, () -> journal.cursor("above").save(7));
            model.forgetAfter(6);
            model.append(journal, 5, 200);
            live.copyTo(crashed.path);
            journal.cursor("above").save(8);
        }
        try (Journal journal = open(live, backend))
        {
            assertEquals(8, journal.cursor("above").sequence());
            model.assertHolds(journal);
        }
        final Journal journal = closing(open(crashed, backend));
        assertPlaces(journal);
    }

    private static void assertPlaces(final Journal journal)
    {
        assertEquals(6, journal.cursor("above").sequence());
        assertEquals(4, journal.cursor("below").sequence());
        assertEquals(6, journal.cursor("at").sequence());
    }

    @EachBackend
    void savesDuringTruncationsNeverGetAheadOfTheRecords(final Backend backend)
    {
        final long seed = Long.getLong("journal.test.seed", 1);
        final Random random = new Random(seed);
        final AtomicBoolean isDone = new AtomicBoolean();
        final AtomicLong saves = new AtomicLong();
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 20, 50);
            final JournalCursor cursor = journal.cursor("a");
            final List<Background> savers = new ArrayList<>();
            for (int i = 0; i < 2; i++)
            {
                savers.add(Background.start("saver", () ->
                {
                    while (!isDone.get())
                    {
                        try
                        {
                            cursor.save(journal.lastSequence());
                            saves.incrementAndGet();
                        }
                        catch (final IllegalArgumentException | IllegalStateException ignore)
                        {
                            // The record was cut off meanwhile.
                            Thread.onSpinWait();
                        }
                    }
                }));
            }
            for (int round = 0; round < 40 || saves.get() < 40; round++)
            {
                final long last = model.size() - random.nextInt(10);
                journal.truncateAfter(last);
                assertTrue(cursor.sequence() <= last, () -> "seed=" + seed + ", " + cursor + ", last=" + last);
                model.forgetAfter(last);
                model.append(journal, random.nextInt(15), 50);
                if (model.size() < 20)
                {
                    model.append(journal, 20, 50);
                }
                savers.forEach(Background::check);
            }
            isDone.set(true);
            savers.forEach(Background::join);
            live.copyTo(crashed.path);
        }
        catch (final AssertionError ex)
        {
            throw new AssertionError("seed=" + seed, ex);
        }
        final Journal journal = closing(open(crashed, backend));
        assertTrue(journal.cursor("a").sequence() <= journal.lastSequence());
    }

    @EachBackend
    void retentionKeepsRecordsAheadOfACursor(final Backend backend) throws Exception
    {
        final Retention retention = Retention.bytes(SEGMENT_LENGTH);
        final Journal journal = closing(model.builder(live, backend).retention(retention).open());
        journal.cursor("a");
        model.appendInto(journal, 3, 5000);
        runAgent(journal);
        assertEquals(1, journal.firstSequence());

        final long wanted = live.records(2).get(3).sequence();
        journal.cursor("a").save(wanted - 1);
        model.appendInto(journal, 4, 5000);
        runAgent(journal);
        assertEquals(live.records(2).get(0).sequence(), journal.firstSequence());
        assertEquals(wanted - 1, journal.cursor("a").sequence());

        journal.cursor("a").delete();
        model.appendInto(journal, 5, 5000);
        runAgent(journal);
        assertTrue(journal.firstSequence() > wanted);
    }

    @EachBackend
    void consumerThatHoldsBackRetentionForAMinuteIsLoggedOnce(final Backend backend) throws Exception
    {
        final TestClock clock = new TestClock();
        final Journal journal = closing(model.builder(live, backend)
            .retention(Retention.bytes(SEGMENT_LENGTH)).clock(clock).open());
        final JournalCursor slow = journal.cursor("slow");
        try (LogRecords log = new LogRecords())
        {
            for (int ordinal = 1; ordinal < 6; ordinal++)
            {
                model.appendInto(journal, ordinal, 5000);
                journal.cursor("fast").save(journal.lastSequence());
                runAgent(journal);
                clock.advance(Duration.ofSeconds(30).toMillis());
            }
            assertEquals(1, journal.firstSequence());
            assertEquals(1, log.messages().size(), () -> log.messages().toString());
            final String message = log.messages().get(0);
            assertTrue(message.startsWith("a consumer holds back retention: "), message);
            assertTrue(message.contains(", cursor=slow, sequence=0, "), message);

            slow.save(journal.lastSequence());
            model.appendInto(journal, 6, 5000);
            runAgent(journal);
            assertTrue(journal.firstSequence() > 1);
            assertEquals(1, log.messages().size(), () -> log.messages().toString());
        }
    }

    @EachBackend
    void retentionThatIgnoresCursorsDropsRecordsAheadOfThem(final Backend backend) throws Exception
    {
        final Retention retention = Retention.bytes(SEGMENT_LENGTH).ignoringCursors();
        final Journal journal = closing(model.builder(live, backend).retention(retention).open());
        final JournalCursor cursor = journal.cursor("a");
        model.appendInto(journal, 3, 5000);
        journal.force();
        runAgent(journal);

        assertTrue(journal.firstSequence() > 1);
        assertEquals(0, cursor.sequence());
        assertEquals(model.size() - journal.firstSequence() + 1, cursor.lag());
    }
}
