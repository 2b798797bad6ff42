// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.crash;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.InMemory;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A power loss, a process crash or a failed fsync at any step of append, fsync, recovery and close, repeatedly on the
 * result. Any unforced sectors and names may survive a power loss or not; pages of a failed fsync are clean from then
 * on until they are written again. Records acknowledged as durable must be there, and the journal must open.
 */
@Tag("slow")
@InMemory
class PowerLossTest extends JournalFixture
{
    private static final int SECTOR_LENGTH = 512;

    private Random random;
    private RecordModel model;
    private JournalDirectory directory;
    private Device device;
    private long lives;
    private long powerLosses;
    private long kills;
    private long failedForces;
    private long endsWhileOpening;
    private long cutTails;
    private long rewritten;
    private long forcedRecords;
    private long cursorSaves;
    // Possible places of the cursor: the last one saved, or the one being saved when the journal ended.
    private final Set<Long> cursorPlaces = new HashSet<>();

    /** How a life of the journal ends. */
    private enum End
    {
        POWER_LOSS, KILL, FAILED_FORCE, CLOSE
    }

    /** The process or the power is gone: every further call throws this. */
    private static final class Ended extends IOException
    {
        private static final long serialVersionUID = 1L;
    }

    /** A file, whatever its name. */
    private static final class Inode
    {
        // The bytes on the device, which survive a power loss; null if the file was never forced.
        private byte[] durable;
        // The last visible bytes of a file that has been deleted.
        private byte[] deleted;
        // Sectors that a failed fsync has not written, with their bytes: a retry does not write them either.
        private final Map<Integer, byte[]> lost = new TreeMap<>();
    }

    /**
     * A device with a cache in front.
     */
    private final class Device implements StepStore.Steps
    {
        private Map<String, Inode> names = new TreeMap<>();
        private Map<String, Inode> durableNames = new TreeMap<>();
        private End end;
        private int stepsLeft;
        private Map<String, byte[]> left;
        private boolean isForceFailed;

        void begin(final End end, final int stepsLeft)
        {
            this.end = end;
            this.stepsLeft = stepsLeft;
            left = null;
            isForceFailed = false;
        }

        boolean isEnded()
        {
            return null != left || isForceFailed;
        }

        @Override
        public boolean before(final Step step, final String name) throws IOException
        {
            writeBackWatermarks();
            tick();
            switch (step)
            {
                case CREATE:
                    names.put(name, new Inode());
                    return true;

                case DELETE:
                    delete(name);
                    return true;

                case FORCE:
                    force(name, names.get(name));
                    return false;

                case FORCE_DIRECTORY:
                    durableNames.keySet().removeIf((entry) -> isIn(entry, name));
                    names.forEach((entry, inode) ->
                    {
                        if (isIn(entry, name))
                        {
                            durableNames.put(entry, inode);
                        }
                    });
                    return false;

                default:
                    return true;
            }
        }

        @Override
        public boolean beforeWrite(final String name, final long offset, final int length) throws IOException
        {
            tick();
            final Inode inode = names.get(name);
            for (long at = offset / SECTOR_LENGTH; at * SECTOR_LENGTH < offset + length; at++)
            {
                inode.lost.remove((int)(at * SECTOR_LENGTH));
            }
            return true;
        }

        @Override
        public boolean beforeRename(final String from, final String to) throws IOException
        {
            tick();
            names.put(to, names.remove(from));
            return true;
        }

        private void tick() throws Ended
        {
            if (null == left && End.FAILED_FORCE != end && End.CLOSE != end && stepsLeft-- <= 0)
            {
                stop();
            }
            if (null != left)
            {
                throw new Ended();
            }
        }

        /**
         * The process ends at this moment, with or without the power.
         */
        void stop()
        {
            left = End.POWER_LOSS == end ? losePower() : directory.content();
        }

        private void delete(final String name)
        {
            final Inode inode = names.remove(name);
            if (null != inode)
            {
                inode.deleted = directory.read(name);
            }
        }

        private boolean isIn(final String entry, final String prefix)
        {
            return entry.startsWith(prefix) && entry.indexOf('/', prefix.length()) < 0;
        }

        private void force(final String name, final Inode inode) throws IOException
        {
            final byte[] present = directory.read(name);
            final boolean isFailing = End.FAILED_FORCE == end && !isForceFailed && stepsLeft-- <= 0;
            final byte[] durable = null == inode.durable ? new byte[present.length] : inode.durable;
            for (int offset = 0; offset < present.length; offset += SECTOR_LENGTH)
            {
                final byte[] sector = sector(present, offset);
                final byte[] lost = inode.lost.get(offset);
                if (isFailing && random.nextBoolean() && !Arrays.equals(sector, sector(durable, offset)))
                {
                    inode.lost.put(offset, sector);
                }
                else if (null == lost || !Arrays.equals(lost, sector))
                {
                    System.arraycopy(sector, 0, durable, offset, sector.length);
                    inode.lost.remove(offset);
                }
            }
            inode.durable = durable;
            if (isFailing)
            {
                isForceFailed = true;
                failedForces++;
                throw new IOException("injected");
            }
        }

        /**
         * The watermarks are mapped: now and then the operating system writes a sector of them by itself.
         */
        private void writeBackWatermarks()
        {
            final Inode inode = names.get(CONTROL);
            if (null != inode && null != inode.durable && directory.exists(CONTROL) && random.nextInt(10) == 0)
            {
                final byte[] present = directory.read(CONTROL);
                final int offset = WATERMARKS[0] + SECTOR_LENGTH * random.nextInt(4);
                System.arraycopy(present, offset, inode.durable, offset, SECTOR_LENGTH);
            }
        }

        private Map<String, byte[]> losePower()
        {
            final int chance = new int[]{ 0, 50, 90, 100 }[random.nextInt(4)];
            final Map<String, byte[]> image = new TreeMap<>();
            (random.nextBoolean() ? names : durableNames).forEach((name, inode) ->
            {
                final byte[] present = present(inode);
                if (null != present)
                {
                    image.put(name, mix(inode, present, chance));
                }
            });
            return image;
        }

        private byte[] present(final Inode inode)
        {
            for (final Map.Entry<String, Inode> entry : names.entrySet())
            {
                if (entry.getValue() == inode)
                {
                    return directory.exists(entry.getKey()) ? directory.read(entry.getKey()) : null;
                }
            }

            return inode.deleted;
        }

        private byte[] mix(final Inode inode, final byte[] present, final int chance)
        {
            if (null == inode.durable && random.nextInt(4) == 0)
            {
                return new byte[0];
            }

            final byte[] mixed = null == inode.durable ? new byte[present.length] : inode.durable.clone();
            for (int offset = 0; offset < Math.min(mixed.length, present.length); offset += SECTOR_LENGTH)
            {
                final byte[] sector = sector(present, offset);
                if (random.nextInt(100) < chance && !Arrays.equals(inode.lost.get(offset), sector))
                {
                    System.arraycopy(sector, 0, mixed, offset, Math.min(sector.length, mixed.length - offset));
                }
            }

            return mixed;
        }

        private byte[] sector(final byte[] bytes, final int offset)
        {
            return Arrays.copyOfRange(bytes, offset, Math.min(bytes.length, offset + SECTOR_LENGTH));
        }

        /**
         * Makes the directory what is left after the end.
         */
        void settle()
        {
            if (null != left)
            {
                directory.restore(left);
            }
            if (End.POWER_LOSS == end)
            {
                names = new TreeMap<>();
                left.forEach((name, bytes) ->
                {
                    final Inode inode = new Inode();
                    inode.durable = bytes;
                    names.put(name, inode);
                });
                durableNames = new TreeMap<>(names);
            }
        }
    }

    @EachBackend
    void durableRecordsSurvivePowerLossKillAndFailedFsync(final Backend backend)
    {
        final long first = 1 + 10 * backend.ordinal();
        for (long seed = first; seed < first + 6; seed++)
        {
            live(backend, seed, 15);
        }
        assertTrue(
            powerLosses > 10 && kills > 10 && failedForces > 5 && endsWhileOpening > 2 && cutTails > 0 &&
                rewritten > 2 && cursorSaves > 25,
            this::counts);
    }

    @Tag("soak")
    @EachBackend
    void durableRecordsSurviveThousandsOfCrashes(final Backend backend)
    {
        final long start = System.nanoTime();
        final long first = Long.getLong("journal.test.seed", System.nanoTime());
        for (long seed = first; seed < first + 300; seed++)
        {
            live(backend, seed, 30);
        }
        System.out.printf(
            "losses of power on %s: seed=%d, %s, seconds=%d%n",
            backend, first, counts(), (System.nanoTime() - start) / 1_000_000_000);
    }

    private void live(final Backend backend, final long seed, final int count)
    {
        random = new Random(seed);
        model = new RecordModel();
        cursorPlaces.clear();
        directory = new JournalDirectory(temp.resolve("journal"));
        directory.restore(Map.of());
        device = new Device();
        long acknowledged = 0;
        for (int life = 0; life < count; life++)
        {
            final End end = End.values()[Math.min(random.nextInt(8) / 2, 3)];
            // A mapped journal takes few steps for many records.
            final int steps = Backend.MAPPED == backend || End.FAILED_FORCE == end ? 50 : 300;
            device.begin(end, random.nextInt(0 == random.nextInt(3) ? 20 : steps));
            final String place =
                "seed=" + seed + ", life=" + life + ", end=" + end + ", backend=" + backend;
            acknowledged = live(backend, acknowledged, place);
            if (null == device.left && (End.POWER_LOSS == end || End.KILL == end))
            {
                device.stop();
            }
            device.settle();
            lives++;
            powerLosses += End.POWER_LOSS == end ? 1 : 0;
            kills += End.KILL == end ? 1 : 0;
        }
        forcedRecords += acknowledged;
    }

    /**
     * @return last sequence that was acknowledged as forced when the end came.
     */
    private long live(final Backend backend, final long acknowledgedBefore, final String place)
    {
        long acknowledged = acknowledgedBefore;
        boolean isOpen = false;
        try (Journal journal = model.builder(directory, backend)
            .store(new StepStore(backend.store(directory.path), device))
            .errorHandler((error) -> assertTrue(device.isEnded(), error::toString))
            .writeWindow(random.nextInt(3) == 0 ? 4096 : 0)
            .open())
        {
            isOpen = true;
            cutTails += journal.recoveryReport().tornLength() > 0 ? 1 : 0;
            rewritten += journal.recoveryReport().isRewritten() ? 1 : 0;
            final long last = journal.lastSequence();
            assertTrue(last >= acknowledged, () -> place + ", acknowledged=" + acknowledgedBefore + ", " + journal);
            model.assertHolds(journal, last);
            model.forgetAfter(last);
            acknowledged = journal.forcedSequence();
            assertEquals(last, acknowledged, place);
            assertCursorIsWhereItMayBe(journal, place);
            while (!device.isEnded() && model.size() < last + 400)
            {
                acknowledged = work(journal, acknowledged);
            }
        }
        catch (final JournalException ex)
        {
            if (!device.isEnded())
            {
                throw new AssertionError(place, ex);
            }
            endsWhileOpening += isOpen ? 0 : 1;
        }
        catch (final AssertionError ex)
        {
            throw new AssertionError(place, ex);
        }

        return acknowledged;
    }

    private long work(final Journal journal, final long acknowledged)
    {
        switch (random.nextInt(13))
        {
            case 0:
                model.append(journal, random.nextInt(10_000));
                return acknowledged;

            case 1:
                model.forceAndMark(journal);
                return journal.forcedSequence();

            case 2:
                doWork(journal);
                return acknowledged;

            case 3:
                journal.appender().claim(random.nextInt(5000)).close();
                return acknowledged;

            case 4:
                if (journal.lastSequence() > 0)
                {
                    journal.awaitForced(journal.lastSequence());
                }
                return journal.forcedSequence();

            case 5:
                saveCursor(journal);
                return journal.forcedSequence();

            default:
                model.append(journal, random.nextInt(700));
                return acknowledged;
        }
    }

    private void saveCursor(final Journal journal)
    {
        final JournalCursor cursor = journal.cursor("cursor");
        cursorPlaces.add(cursor.sequence());
        final long sequence = random.nextInt((int)journal.lastSequence() + 1);
        cursorPlaces.add(sequence);
        cursor.save(sequence);
        assertTrue(sequence <= journal.forcedSequence());
        cursorPlaces.clear();
        cursorPlaces.add(sequence);
        cursorSaves++;
    }

    private void assertCursorIsWhereItMayBe(final Journal journal, final String place)
    {
        if (!cursorPlaces.isEmpty())
        {
            assertEquals(List.of("cursor"), journal.cursorNames(), place);
            final long sequence = journal.cursor("cursor").sequence();
            assertTrue(cursorPlaces.contains(sequence), () -> place + ", sequence=" + sequence + ", " + cursorPlaces);
        }
    }

    private String counts()
    {
        return "lives=" + lives + ", losses of power=" + powerLosses + ", kills=" + kills + ", failed forces=" +
            failedForces + ", ends while opening=" + endsWhileOpening + ", tails cut=" + cutTails + ", rewritten=" +
            rewritten + ", records forced at the end=" + forcedRecords + ", cursor saves=" + cursorSaves;
    }
}
