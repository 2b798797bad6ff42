// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.testkit.FaultStore;
import io.journal.testkit.Tearing;
import io.journal.tests.support.JournalFixture;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Crashes a workload at each of its steps, opens every resulting disk state and checks it; then lets the opened journal
 * continue for a while, to crash it a second time. Counts distinct states.
 */
final class Crashes
{
    private static final int REOPENED_LENGTH = 700;
    // Each moment has many possible disks after a power loss, and one after a kill.
    private static final int KILLS_PER_DISK = 5;
    private static final int DISKS_PER_ROT = 6;
    private static final int MAX_ROOM = 40_000;

    private final Backend backend;
    private final Path directory;
    private final Path otherDirectory;
    private final Variant variant;
    private final Set<Long> states = new HashSet<>();
    private final Set<Long> doubleStates = new HashSet<>();
    private final Set<Long> kills = new HashSet<>();
    private long moments;
    private long rots;

    /**
     * @param directory that holds the locks of the journals.
     */
    Crashes(final Backend backend, final Path directory, final Path otherDirectory, final Variant variant)
    {
        this.backend = backend;
        this.directory = directory;
        this.otherDirectory = otherDirectory;
        this.variant = variant;
    }

    /**
     * @param disks   how many disks of each moment at most, of each tearing.
     * @param doubles how many of them live on to a second end, in percent.
     */
    void run(final Workload workload, final long seed, final int disks, final int doubles)
    {
        final String place = "backend=" + backend + ", workload=" + workload + ", seed=" + seed;
        final List<Moment> seen;
        try (RecordedJournal recorded = new RecordedJournal(
            directory, new FaultStore(backend), variant, Expected.nothing(), 1, seed))
        {
            workload.run(recorded);
            seen = recorded.moments();
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(place, ex);
        }

        final Random random = new Random(seed);
        for (int i = 0; i < seen.size(); i++)
        {
            final Moment moment = seen.get(i);
            final String where = place + ", moment=" + i + " (" + moment.place() + ")";
            moments++;
            checkKill(moment, random, doubles, where);
            for (final Tearing tearing : Tearing.values())
            {
                int number = 0;
                for (final FaultStore disk : moment.point().disks(tearing, disks, random.nextLong()))
                {
                    final String which = where + ", tearing=" + tearing + ", disk=" + number++;
                    if (states.add(key(disk, moment.expected())))
                    {
                        if (random.nextInt(100) < doubles)
                        {
                            checkDouble(disk, moment.expected(), random.nextLong(), which);
                        }
                        else if (0 == random.nextInt(DISKS_PER_ROT) && RottenSlot.make(disk))
                        {
                            rots++;
                            check(disk, moment.expected().rotten(), false, which + ", rotten slot");
                        }
                        else
                        {
                            check(disk, moment.expected(), false, which);
                        }
                    }
                }
            }
        }
    }

    int states()
    {
        return states.size();
    }

    int doubleStates()
    {
        return doubleStates.size();
    }

    @Override
    public String toString()
    {
        return "moments=" + moments + ", states=" + states.size() + ", double states=" + doubleStates.size() +
            ", kills=" + kills.size() + ", rotten slots=" + rots;
    }

    /** Bytes that a killed process did not fsync can still be lost after another process has opened the journal. */
    private void checkKill(final Moment moment, final Random random, final int doubles, final String where)
    {
        final String which = where + ", killed";
        if (kills.add(key(moment.point().killed(), moment.expected())))
        {
            check(moment.point().killed(), moment.expected(), true, which);
            if (random.nextInt(100) < KILLS_PER_DISK * doubles)
            {
                checkDouble(moment.point().killed(), moment.expected(), random.nextLong(), which);
            }
            if (moment.isOfNames())
            {
                checkReopening(moment, which);
            }
        }
    }

    /**
     * Opens the journal of a killed process, and ends the opening at each of its steps with a power loss: names that it
     * saw are lost or come back.
     */
    private void checkReopening(final Moment moment, final String where)
    {
        final List<Moment> seen;
        try (RecordedJournal recorded = new RecordedJournal(
            otherDirectory, moment.point().killed(), variant, moment.expected(), 2, 0))
        {
            recorded.open();
            seen = recorded.moments();
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(where + ", reopening, " + moment.expected(), ex);
        }

        for (final Moment second : seen)
        {
            // The first disk has lost everything that was not fsynced.
            for (final FaultStore disk : second.point().disks(Tearing.SECTORS, 1, 0))
            {
                if (doubleStates.add(key(disk, second.expected())))
                {
                    check(disk, second.expected(), false, where + ", reopening, moment=" + second.place());
                }
            }
        }
    }

    private void check(final FaultStore disk, final Expected expected, final boolean isKilled, final String where)
    {
        disk.faults(variant.plan(disk));
        try (Journal journal =
            JournalFixture.repeatable(otherDirectory, variant.wrap(disk), variant.randoms(new Random(0))).open())
        {
            if (isKilled)
            {
                expected.checkKilled(journal);
            }
            else
            {
                expected.check(journal);
            }

            final List<Entry> before = Expected.read(journal);
            final Entry entry = Entry.of(99, journal.lastSequence() + 1, REOPENED_LENGTH);
            journal.awaitForced(journal.appender().append(entry.tag(), entry.bytes()));
            before.add(entry);
            assertEquals(before, Expected.read(journal));
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(where + ", " + expected, ex);
        }
    }

    /**
     * Opens a disk, lets the journal continue, and crashes it again at some of its steps, including those of its
     * opening.
     */
    private void checkDouble(final FaultStore disk, final Expected expected, final long seed, final String where)
    {
        final List<Moment> seen;
        final boolean isCut;
        try (RecordedJournal recorded = new RecordedJournal(otherDirectory, disk, variant, expected, 2, seed))
        {
            recorded.open();
            isCut = recorded.journal().recoveryReport().tornLength() > 0;
            goOn(recorded, expected);
            seen = recorded.moments();
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(where + ", going on, seed=" + seed + ", " + expected, ex);
        }

        final Random random = new Random(seed);
        // After a cut, crash at more steps, because the records that were cut may come back.
        final int stride = isCut ? 2 : 8;
        for (int i = random.nextInt(stride); i < seen.size(); i += 1 + random.nextInt(stride))
        {
            final Moment moment = seen.get(i);
            for (final FaultStore second : moment.point().disks(Tearing.values()[i & 1], isCut ? 8 : 3, seed + i))
            {
                if (doubleStates.add(key(second, moment.expected())))
                {
                    check(
                        second, moment.expected(), false,
                        where + ", seed=" + seed + ", second moment=" + i + " (" + moment.place() + ")");
                }
            }
        }
    }

    /**
     * Appends records in place of lost ones: some of exactly their lengths, some that end where a lost record began,
     * some of any length.
     */
    private static void goOn(final RecordedJournal recorded, final Expected expected)
    {
        final int kind = recorded.random.nextInt(3);
        for (int i = 0; i < 3; i++)
        {
            final int lost = (int)recorded.journal().lastSequence();
            final boolean isLost = lost < expected.records().size();
            final long room = isLost && lost < expected.ends().size() ?
                expected.ends().get(lost) - recorded.journal().counters().appendedPosition() -
                    RecordedJournal.FRAME_HEADER_LENGTH :
                -1;
            if (0 == kind && isLost)
            {
                recorded.append(expected.records().get(lost).bytes().length);
            }
            else
            {
                recorded.append(1 == kind && room >= 0 && room < MAX_ROOM ? (int)room : recorded.random.nextInt(2000));
            }
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.force();
            }
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.keepCheckpoint();
            }
        }
        recorded.awaitForced();
    }

    private static long key(final FaultStore disk, final Expected expected)
    {
        return 31 * disk.fingerprint() + (expected.records().size() << 16 ^ expected.acknowledged());
    }
}
