// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.journal.store.Backend;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.Tearing;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An application keeps snapshots of its state and prunes its journal by them, itself or by retention. A power loss at
 * every step, and again at every step of the following start: it starts from every disk state, with everything
 * acknowledged, and reuses no sequence that a snapshot contains.
 */
@Tag("slow")
class SnapshotCrashTest
{
    private static final int SOAK_STATES = 15_000;

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    @TempDir(factory = MemoryDirectory.class)
    private Path otherDirectory;

    private final Set<Long> states = new HashSet<>();
    private final Set<Long> doubleStates = new HashSet<>();
    private int pruned;
    private int loaded;

    /** Two backends are enough, because in memory the others are the same as the second. */
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void applicationRestartsFromEveryDiskWithAllAcknowledged(final Backend backend)
    {
        run(backend, 1, 2, 2);

        assertTrue(states.size() > 150 && doubleStates.size() > 40 && pruned > 50 && loaded > 50, this::toString);
    }

    @Tag("soak")
    @EachBackend(except = Backend.DIRECT)
    void applicationStartsFromTensOfThousandsOfDisks(final Backend backend)
    {
        final long first = Long.getLong("journal.test.seed", System.nanoTime());
        long seed = first;
        while (states.size() < SOAK_STATES || doubleStates.size() < SOAK_STATES)
        {
            run(backend, seed++, 12, 2);
        }
        System.out.printf("snapshots on %s: first seed=%d, seeds=%d, %s%n", backend, first, seed - first, this);
    }

    @Override
    public String toString()
    {
        return "states=" + states.size() + ", double states=" + doubleStates.size() + ", of pruned journals=" + pruned +
            ", with a snapshot=" + loaded;
    }

    /** The possible states: any prefix of the appended records that includes the acknowledged ones. */
    private record Promise(List<Long> hashes, long acknowledged)
    {
        void check(final SnapshotApplication application)
        {
            final long sequence = application.sequence();
            assertTrue(
                sequence >= acknowledged && sequence < hashes.size(),
                () -> "sequence=" + sequence + ", acknowledged=" + acknowledged + ", appended=" + (hashes.size() - 1));
            assertEquals(hashes.get((int)sequence), application.hash());
            assertEquals(sequence, application.journal().lastSequence());
        }
    }

    private record Moment(CrashPoint point, Promise promise, String place)
    {
    }

    /** Runs an application with a crash point at every step. */
    private static final class Life implements AutoCloseable
    {
        final List<Moment> moments = new ArrayList<>();
        private final Path path;
        private final long number;
        private FaultStore store;
        private List<Long> hashes;
        private long acknowledged;
        private boolean isSaved;
        private SnapshotApplication application;

        Life(final Path path, final FaultStore store, final Promise promise, final long number)
        {
            this.path = path;
            this.number = number;
            hashes = new ArrayList<>(promise.hashes);
            acknowledged = promise.acknowledged;
            attach(store);
        }

        void open()
        {
            application = SnapshotApplication.open(path, store);
            promise().check(application);
            // The opening has decided which of the possible states is true.
            hashes = new ArrayList<>(hashes.subList(0, (int)application.sequence() + 1));
            acknowledged = application.sequence();
            look("opened");
        }

        void append(final int length)
        {
            final Entry entry = Entry.of(number, application.sequence() + 1, length);
            hashes.add(application.hashWith(entry));
            assertEquals(hashes.size() - 1, application.append(entry));
            look("appended");
        }

        void acknowledge()
        {
            application.journal().force();
            acknowledged = application.sequence();
            look("forced");
        }

        void save()
        {
            application.save();
            isSaved = true;
            // Nobody asked for an fsync, but the records in a snapshot are durable.
            acknowledged = application.sequence();
            look("saved");
        }

        void prune()
        {
            application.journal().snapshots().prune();
            look("pruned");
        }

        /** Until there is a snapshot, retention may drop records without which the application cannot start. */
        void retain()
        {
            if (isSaved)
            {
                application.retain();
                look("retained");
            }
        }

        void reopen(final boolean isKilled)
        {
            final FaultStore left = isKilled ? store.crashPoint().killed() : store;
            if (isKilled)
            {
                store.faults(FaultPlan.none());
            }
            application.close();
            if (isKilled)
            {
                attach(left);
            }
            else
            {
                acknowledged = hashes.size() - 1;
            }
            look("closed");
            open();
        }

        @Override
        public void close()
        {
            store.faults(FaultPlan.none());
            if (null != application)
            {
                application.close();
            }
        }

        private void attach(final FaultStore store)
        {
            this.store = store;
            store.faults((step) ->
            {
                if (step.kind().isChange())
                {
                    look(step.kind() + " " + step.name() + " " + step.offset() + "+" + step.length());
                }
                return Fault.none();
            });
        }

        private Promise promise()
        {
            return new Promise(List.copyOf(hashes), acknowledged);
        }

        private void look(final String place)
        {
            moments.add(new Moment(store.crashPoint(), promise(), place));
        }
    }

    private void run(final Backend backend, final long seed, final int disks, final int doubles)
    {
        final String place = "backend=" + backend + ", seed=" + seed;
        final Random random = new Random(seed);
        final List<Moment> moments;
        try (Life life = new Life(directory, new FaultStore(backend), new Promise(List.of(0L), 0), 1))
        {
            moments = life.moments;
            life.open();
            for (int i = 0; i < 40; i++)
            {
                step(life, random);
            }
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(place, ex);
        }

        for (int i = 0; i < moments.size(); i++)
        {
            final Moment moment = moments.get(i);
            final Tearing tearing = Tearing.values()[i % Tearing.values().length];
            final String where = place + ", moment=" + i + " (" + moment.place + "), tearing=" + tearing;
            int number = 0;
            for (final FaultStore disk : moment.point.disks(tearing, disks, random.nextLong()))
            {
                if (states.add(key(disk, moment.promise)))
                {
                    check(disk, moment.promise, random.nextInt(100) < doubles, where + ", disk=" + number);
                }
                number++;
            }
        }
    }

    private static void step(final Life life, final Random random)
    {
        final int kind = random.nextInt(20);
        if (kind < 11)
        {
            life.append(random.nextInt(4) == 0 ? 20_000 : random.nextInt(6000));
        }
        else if (kind < 13)
        {
            life.acknowledge();
        }
        else if (kind < 16)
        {
            life.save();
        }
        else if (kind == 16)
        {
            life.prune();
        }
        else if (kind == 17)
        {
            life.retain();
        }
        else
        {
            life.reopen(kind == 18);
        }
    }

    /**
     * Starts from a disk and runs until it has saved and pruned. If asked to, starts again from each state that a power
     * loss may leave at any of these steps.
     */
    private void check(final FaultStore disk, final Promise promise, final boolean isTwice, final String where)
    {
        final List<Moment> moments;
        try (Life life = new Life(otherDirectory, disk, promise, 2))
        {
            moments = life.moments;
            life.open();
            pruned += life.application.journal().firstSequence() > 1 ? 1 : 0;
            loaded += life.application.loadedSequence() > 0 ? 1 : 0;
            life.append(700);
            life.save();
            if (0 == (promise.hashes.size() & 1))
            {
                life.prune();
            }
            else
            {
                life.retain();
            }
            life.append(700);
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(where + ", " + promise, ex);
        }

        for (int i = 0; isTwice && i < moments.size(); i++)
        {
            final Moment moment = moments.get(i);
            for (final FaultStore second : moment.point.disks(Tearing.values()[i & 1], 3, i))
            {
                if (doubleStates.add(key(second, moment.promise)))
                {
                    check(second, moment.promise, false, where + ", second moment=" + i + " (" + moment.place + ")");
                }
            }
        }
    }

    private static long key(final FaultStore disk, final Promise promise)
    {
        return 31 * disk.fingerprint() + ((long)promise.hashes.size() << 16 ^ promise.acknowledged);
    }
}
