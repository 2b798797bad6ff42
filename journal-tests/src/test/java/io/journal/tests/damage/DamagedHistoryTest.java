// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Test;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Damaged segments and records of an open journal: other records are still found and read, and damaged history can be
 * pruned.
 */
@InMemory
class DamagedHistoryTest extends JournalFixture
{
    private static final int COUNT = 600;
    private static final Set<Long> HARMED = Set.of(2L, 3L, 5L);

    /** Damage that makes a segment unreadable, or hides where its records begin. */
    private enum Harm
    {
        HEADER((files, name) -> files.flip(name, 300, 2)),
        FIRST_FRAME((files, name) -> files.flip(name, FIRST_OFFSET + 30, 2)),
        SHORT((files, name) -> files.cut(name, 20_000)),
        MISSING(JournalDirectory::delete);

        final BiConsumer<JournalDirectory, String> action;

        Harm(final BiConsumer<JournalDirectory, String> action)
        {
            this.action = action;
        }
    }

    /** Looks a record up by its sequence, in a journal or a read-only journal. */
    private interface Lookup
    {
        boolean get(long sequence, RecordHandler handler);
    }

    // The segment of each record, by its sequence.
    private final Map<Long, Long> ordinals = new HashMap<>();

    private Journal journal(final Backend backend)
    {
        return journal(backend, false);
    }

    private Journal journal(final Backend backend, final boolean isRecycling)
    {
        final Journal journal =
            closing(builder(directory(), backend).recycleSegments(isRecycling).backgroundThread(false).open());
        append(journal);
        return journal;
    }

    private void append(final Journal journal)
    {
        appendNumbered(journal, COUNT, 900);
        journal.force();
        final JournalDirectory files = new JournalDirectory(directory());
        for (final long ordinal : files.ordinals())
        {
            for (final Frame record : files.records(ordinal))
            {
                ordinals.put(record.sequence(), ordinal);
            }
        }
        assertEquals(COUNT, ordinals.size());
    }

    private void harm(final Harm harm)
    {
        HARMED.forEach((ordinal) -> harm.action.accept(new JournalDirectory(directory()), segmentName(ordinal)));
    }

    @EachBackend(and = Harm.class)
    void recordsOfOtherSegmentsAreFound(final Backend backend, final Harm harm)
    {
        final Journal journal = journal(backend);
        final ReadOnlyJournal followed = closing(Journal.openReadOnly(directory()));
        harm(harm);

        assertOthersFound(journal::get, closing(journal.openReader()));
        assertOthersFound(followed::get, closing(followed.openReader()));
    }

    private void assertOthersFound(final Lookup lookup, final JournalReader reader)
    {
        for (long sequence = COUNT; sequence >= 1; sequence -= 7)
        {
            final long wanted = sequence;
            if (HARMED.contains(ordinals.get(sequence)))
            {
                assertReported(() -> lookup.get(wanted, (buffer, offset, length, header) ->
                {
                }));
                reader.seek(wanted);
                assertReported(() -> poll(reader, 1));
            }
            else
            {
                final List<Entry> found = new ArrayList<>();
                assertTrue(lookup.get(wanted, into(found)), () -> "sequence=" + wanted);
                reader.seek(wanted);
                found.addAll(poll(reader, 1));
                assertEquals(2, found.size());
                found.forEach((entry) -> assertNumbered(wanted, entry));
            }
        }
        reader.seekToEnd();
        assertEquals(COUNT + 1, reader.nextSequence());
        reader.seekToTime(Instant.EPOCH);
        assertEquals(1, reader.nextSequence());
    }

    private static void assertReported(final Runnable read)
    {
        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, read::run);
        assertTrue(HARMED.stream().anyMatch((ordinal) -> segmentName(ordinal).equals(ex.file())), ex::toString);
    }

    @EachBackend(and = Harm.class)
    void damagedHistoryIsPruned(final Backend backend, final Harm harm)
    {
        final Journal journal = journal(backend);
        harm(harm);

        // A record before the damage, the damaged record, and a record after it.
        assertEquals(first(1), journal.prune(first(2) - 1));
        assertEquals(first(1), journal.prune(first(3)));
        assertEquals(first(6), journal.prune(first(7) - 1));

        assertNumbered(first(6), COUNT, readAll(journal));
        journal.close();
        assertNumbered(first(6), COUNT, readAll(directory(), backend));
    }

    @EachBackend(and = Harm.class)
    void damagedHistoryOfAReopenedJournalIsPruned(final Backend backend, final Harm harm)
    {
        journal(backend).close();
        final Journal journal = closing(reopen(backend));
        harm(harm);

        assertEquals(first(6), journal.prune(first(7) - 1));

        assertNumbered(first(6), COUNT, readAll(journal));
    }

    @EachBackend(and = Harm.class)
    void filesThatAreMissingOrCutShortAreNotRecycled(final Backend backend, final Harm harm)
    {
        final Journal journal = journal(backend, true);
        // Pruning recycles the oldest segments first.
        harm.action.accept(new JournalDirectory(directory()), segmentName(0));
        harm.action.accept(new JournalDirectory(directory()), segmentName(1));

        assertEquals(first(2), journal.prune(first(3) - 1));

        appendNumbered(journal, COUNT, 900);
        assertNumbered(first(2), 2 * COUNT, readAll(journal));
        journal.close();
        assertNumbered(first(2), 2 * COUNT, readAll(directory(), backend));
    }

    /** Other backends reach the end of the file when they read. */
    @Test
    void mappedSegmentThatIsCutShortWhileItIsOpenedIsReported()
    {
        final AtomicBoolean isCutting = new AtomicBoolean();
        final Journal journal = closing(builder(Backend.MAPPED, new StepStore.AllSteps()
        {
            @Override
            public void afterRead(final String name, final long offset, final ByteBuffer bytes)
            {
                // Truncate the file after its header was read, when its length is known already.
                if (isCutting.get() && 0 == offset && segmentName(3).equals(name))
                {
                    new JournalDirectory(directory()).cut(name, 20_000);
                }
            }
        }).recycleSegments(false).backgroundThread(false).open());
        append(journal);
        isCutting.set(true);

        final JournalReader reader = closing(journal.openReader());
        final List<Entry> found = new ArrayList<>();
        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> readOn(reader, found));

        assertEquals(segmentName(3), ex.file());
        assertNumbered(1, first(3) - 1, found);
    }

    @EachBackend
    void damagedFrameHidesNoOtherBackwards(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).backgroundThread(false).open());
        appendNumbered(journal, 300, 500);
        journal.force();
        final JournalDirectory files = new JournalDirectory(directory());
        final Frame mark = files.frames(1).get(0);
        final long first = mark.sequence();
        final List<Frame> damages = List.of(
            mark, files.record(20), files.record(first), files.record(first - 1), files.record(first + 10));
        for (final Frame damaged : damages)
        {
            for (final int offset : new int[]{ 0, 8, 24 })
            {
                files.flip(damaged.file(), damaged.offset() + offset, 4);
                try (JournalReader reader = journal.openReader())
                {
                    final long hidden = damaged.isControl() ? 0 : damaged.sequence();
                    reader.seekToEnd();
                    for (long sequence = 300; sequence >= 1; sequence--)
                    {
                        final List<Entry> found = new ArrayList<>();
                        if (hidden == sequence)
                        {
                            assertPlace(damaged, assertThrows(
                                CorruptJournalException.class, () -> reader.pollBackwards(into(found), 1)));
                            reader.seek(sequence);
                        }
                        else
                        {
                            assertEquals(1, reader.pollBackwards(into(found), 1), "sequence=" + sequence);
                            assertNumbered(sequence, sequence, found);
                        }
                    }
                    assertEquals(0, reader.pollBackwards(into(new ArrayList<>()), 1));
                }
                files.flip(damaged.file(), damaged.offset() + offset, 4);
            }
        }
    }

    private static void assertPlace(final Frame damaged, final CorruptJournalException ex)
    {
        assertEquals(damaged.file(), ex.file());
        assertEquals(damaged.offset(), ex.offset());
    }

    /** The first sequence of a segment. */
    private long first(final long ordinal)
    {
        return ordinals.entrySet().stream().filter((entry) -> ordinal == entry.getValue())
            .mapToLong(Map.Entry::getKey).min().orElseThrow();
    }
}
