// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep.Kind;
import io.journal.testkit.Tearing;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.MemoryDirectory;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each call made by snapshots fails once. */
class SnapshotFaultTest
{
    private static final int RECORD_LENGTH = 9000;
    // The state spans several chunks.
    private static final String STATE = "state".repeat(30_000);

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    private final List<Throwable> reported = new ArrayList<>();
    private String loaded;

    @EachBackend(except = Backend.DIRECT)
    void fullDiskRefusesASaveAndLeavesNothingOfIt(final Backend backend) throws IOException
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = prepare(store))
        {
            final long used = store.usedBytes();
            int refused = 0;
            for (long room = 0; room < 4096 + STATE.length(); room += 5000)
            {
                store.capacity(used + room);
                assertThrows(JournalFullException.class, () -> save(journal));
                refused++;
                assertUnchanged(journal, store, used);
            }
            assertEquals(31, refused);

            store.capacity(used + 4096 + STATE.length());
            save(journal);
            assertSaved(journal);
        }
    }

    @EachBackend(except = Backend.DIRECT)
    void everyFailedWriteOrNameLeavesTheOlderSnapshotsAndTheJournalInUse(final Backend backend) throws IOException
    {
        for (final Kind kind : List.of(Kind.CREATE, Kind.WRITE, Kind.RENAME))
        {
            int failures = 0;
            for (boolean isFailing = true; isFailing;)
            {
                final FaultStore store = new FaultStore(backend);
                try (Journal journal = prepare(store))
                {
                    final long used = store.usedBytes();
                    store.faults(FaultPlan.nth(kind, failures + 1, Fault.errorAfter(100)));
                    isFailing = isFailed(() -> save(journal));
                    store.faults(FaultPlan.none());
                    failures += isFailing ? 1 : 0;
                    if (isFailing)
                    {
                        assertFalse(journal.counters().isFailed());
                        assertUnchanged(journal, store, used);
                        save(journal);
                    }
                    assertSaved(journal);
                }
            }
            // The writes are three chunks and the header.
            assertEquals(Kind.WRITE == kind ? 4 : 1, failures, kind::toString);
        }
        assertTrue(reported.isEmpty(), reported::toString);
    }

    @EachBackend(except = Backend.DIRECT)
    void failedFsyncIsNotRetriedAndLeavesASnapshotOnEveryDisk(final Backend backend)
    {
        for (final Consumer<Journal> action : List.<Consumer<Journal>>of(
            this::save, (journal) -> journal.snapshots().prune(), (journal) -> journal.snapshots().discardAfter(7)))
        {
            int failures = 0;
            for (boolean isFailing = true; isFailing; failures++)
            {
                final int nth = failures + 1;
                final FaultStore store = new FaultStore(backend);
                final List<CrashPoint> points = new ArrayList<>();
                try (Journal journal = prepare(store))
                {
                    final int[] forces = new int[1];
                    store.faults((step) ->
                    {
                        final boolean isForce = Kind.FORCE == step.kind() || Kind.FORCE_DIRECTORY == step.kind();
                        forces[0] += isForce ? 1 : 0;
                        return isForce && forces[0] == nth ? Fault.error() : Fault.none();
                    });
                    isFailing = isFailed(() -> action.accept(journal));
                    if (isFailing)
                    {
                        assertTrue(journal.counters().isFailed());
                        assertThrows(JournalException.class, () -> action.accept(journal));
                        assertThrows(JournalException.class, () -> load(journal));
                        assertEquals(nth, forces[0]);
                    }
                    points.add(store.crashPoint());
                    store.faults(FaultPlan.none());
                    assertEquals(isFailing, isFailed(journal::force));
                }
                catch (final JournalException ex)
                {
                    // Closing reports the failure again.
                    assertTrue(isFailing, ex::toString);
                }

                for (final FaultStore disk : points.get(0).disks(Tearing.PAGES, 10, nth))
                {
                    assertOpens(disk);
                }
                assertOpens(points.get(0).killed());
            }
            assertTrue(failures > 1, "failures=" + (failures - 1));
        }
    }

    /**
     * The next opening's own fsync may succeed; records could then be pruned that a power loss makes necessary again.
     */
    @EachBackend(except = Backend.DIRECT)
    void snapshotWhoseNameMayNotBeDurableIsDeleted(final Backend backend) throws IOException
    {
        final FaultStore store = new FaultStore(backend);
        final Journal journal = prepare(store);
        store.faults((step) -> Kind.FORCE_DIRECTORY == step.kind() && step.name().startsWith("snapshots") ?
            Fault.error() : Fault.none());
        assertThrows(JournalException.class, () -> save(journal));
        assertEquals(2, store.child("snapshots").list().size());

        store.faults(FaultPlan.none());
        JournalFixture.closeFallible(journal);
        try (Journal next = JournalFixture.repeatable(directory, store, () -> 2).open())
        {
            assertEquals(8, load(next));
        }
    }

    @EachBackend(except = Backend.DIRECT)
    void failedReadIsAnErrorAndNotACorruptSnapshot(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = prepare(store))
        {
            save(journal);
            int failures = 0;
            for (boolean isFailing = true; isFailing; failures++)
            {
                store.faults(FaultPlan.nth(Kind.READ, failures + 1, Fault.error()));
                isFailing = isFailed(() -> load(journal));
            }
            // The reads are the header, three chunks, the record unless it is mapped, and three chunks again.
            assertTrue(failures > 7, "failures=" + failures);
            store.faults(FaultPlan.nth(Kind.READ, 1, Fault.error()));
            assertThrows(JournalException.class, () -> journal.snapshots().prune());
            assertEquals(1, journal.firstSequence());
            assertFalse(journal.counters().isFailed());
            assertSaved(journal);
        }
        assertTrue(reported.isEmpty(), reported::toString);
    }

    @EachBackend(except = Backend.DIRECT)
    void oldSnapshotThatCannotBeDeletedIsReportedAndTheNewOneSaved(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = prepare(store))
        {
            store.faults((step) -> Kind.DELETE == step.kind() ? Fault.error() : Fault.none());
            save(journal);
            store.faults(FaultPlan.none());
            assertSaved(journal);
            assertEquals(1, reported.size());
        }
    }

    @EachBackend(except = Backend.DIRECT)
    void everyStepOfASaveIsDurableBeforeTheNextRestsOnIt(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = JournalFixture.repeatable(directory, store, () -> 1).open())
        {
            journal.appender().append(1, new byte[100]);
            final List<String> steps = new ArrayList<>();
            store.faults((step) ->
            {
                if (step.name().startsWith("snapshots") && step.kind().isChange() || step.name().isEmpty() ||
                    step.name().endsWith(".journal") && Kind.FORCE == step.kind())
                {
                    steps.add(step.kind() + " " + step.name());
                }
                return Fault.none();
            });
            journal.snapshots().save(1, (output) -> output.write(1));
            assertEquals(
                List.of(
                    "FORCE 00000000000000000000.journal",
                    "MAKE_DIRECTORY snapshots",
                    "FORCE_DIRECTORY ",
                    "CREATE snapshots/spare",
                    "WRITE snapshots/spare",
                    "WRITE snapshots/spare",
                    "FORCE snapshots/spare",
                    "RENAME snapshots/spare",
                    "FORCE_DIRECTORY snapshots/"),
                steps);
        }
    }

    @EachBackend(except = Backend.DIRECT)
    void snapshotOfAFailedSaveDoesNotComeBackAfterATruncation(final Backend backend) throws IOException
    {
        final FaultStore store = new FaultStore(backend);
        final CrashPoint killed;
        try (JournalFixture.Fallible fallible = new JournalFixture.Fallible(prepare(store)))
        {
            store.faults((step) -> Kind.FORCE_DIRECTORY == step.kind() ? Fault.error() : Fault.none());
            assertThrows(JournalException.class, () -> save(fallible.journal()));
            killed = store.crashPoint();
        }

        final FaultStore reopened = killed.killed();
        final CrashPoint point;
        try (Journal journal = JournalFixture.repeatable(directory, reopened, () -> 2).open())
        {
            journal.truncateAfter(8);
            journal.awaitForced(journal.appender().append(new byte[10]));
            point = reopened.crashPoint();
        }
        assertEightIsNewest(point);
    }

    /** The name is deleted again, and the journal goes on, so the next truncation makes the deletion durable. */
    @EachBackend(except = Backend.DIRECT)
    void snapshotWhoseFsyncCouldNotBeginDoesNotComeBackAfterATruncation(final Backend backend) throws IOException
    {
        final FaultStore disk = new FaultStore(backend);
        final boolean[] isFailing = { false };
        final CrashPoint point;
        try (Journal journal = prepare(new StepStore(disk, (step, name) ->
        {
            if (isFailing[0] && StepStore.Step.FORCE_DIRECTORY == step)
            {
                throw new SegmentStore.NotBegunException("on purpose", null);
            }
            return true;
        })))
        {
            isFailing[0] = true;
            assertThrows(JournalException.class, () -> save(journal));
            isFailing[0] = false;
            journal.truncateAfter(8);
            journal.awaitForced(journal.appender().append(new byte[10]));
            point = disk.crashPoint();
        }
        assertEightIsNewest(point);
    }

    private void assertEightIsNewest(final CrashPoint point)
    {
        for (final FaultStore disk : point.disks(Tearing.PAGES, 20, 1))
        {
            try (Journal journal = JournalFixture.repeatable(directory, disk, () -> 3).open())
            {
                assertEquals(8, load(journal));
                assertEquals(9, journal.lastSequence());
            }
        }
    }

    /** A journal of two segments with the snapshots 7 and 8. */
    private Journal prepare(final SegmentStore store)
    {
        final Journal journal =
            JournalFixture.repeatable(directory, store, () -> 1).errorHandler(reported::add).open();
        for (int i = 1; i <= 9; i++)
        {
            final Entry entry = Entry.of(1, i, RECORD_LENGTH);
            journal.appender().append(entry.tag(), entry.bytes());
        }
        journal.force();
        journal.snapshots().save(7, (output) -> output.write("seven".getBytes(UTF_8)));
        journal.snapshots().save(8, (output) -> output.write("eight".getBytes(UTF_8)));
        return journal;
    }

    private void save(final Journal journal)
    {
        journal.snapshots().save(9, (output) -> output.write(STATE.getBytes(UTF_8)));
    }

    private long load(final Journal journal)
    {
        return journal.snapshots().load((input) -> loaded = new String(input.readAllBytes(), UTF_8));
    }

    private static boolean isFailed(final Runnable action)
    {
        try
        {
            action.run();
            return false;
        }
        catch (final JournalException ex)
        {
            return true;
        }
    }

    private void assertUnchanged(final Journal journal, final FaultStore store, final long used) throws IOException
    {
        assertEquals(8, load(journal));
        assertEquals("eight", loaded);
        assertEquals(used, store.usedBytes());
        assertEquals(2, store.child("snapshots").list().size());
    }

    private void assertSaved(final Journal journal)
    {
        assertEquals(9, load(journal));
        assertEquals(STATE, loaded);
    }

    private void assertOpens(final FaultStore disk)
    {
        try (Journal journal = JournalFixture.repeatable(directory, disk, () -> 2).open())
        {
            final long sequence = load(journal);
            assertEquals(9, journal.lastSequence());
            final String expected = 9 == sequence ? STATE : 8 == sequence ? "eight" : 7 == sequence ? "seven" : null;
            assertTrue(0 == sequence || loaded.equals(expected), () -> "sequence=" + sequence);
            assertTrue(sequence + 1 >= journal.firstSequence());
            save(journal);
            assertSaved(journal);
        }
    }
}
