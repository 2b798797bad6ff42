// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.journal.CorruptJournalException;
import io.journal.ForcePolicy;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.FaultStore;
import io.journal.testkit.Tearing;
import io.journal.tests.model.RandomFaults.Mode;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.JournalFixture.Entry;
import io.journal.tests.support.JournalFixture.TestClock;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A random sequence of operations, faults, crashes and openings of a journal, each compared with a {@link
 * JournalModel}. Files are in a {@link FaultStore}, which can lose what was not fsynced, or in a directory.
 */
final class RandomJournal implements AutoCloseable
{
    private static final int LIVES = 6;
    private static final int MAX_OPERATIONS = 60;
    private static final int MAX_STEPS = 12;
    private static final int MAX_OPENINGS = 3;
    private static final int MAX_CHECKPOINTS = 8;
    private static final int MAX_BATCH = 6;
    private static final int MARK_AND_HEADER = JournalFixture.MARK_LENGTH + JournalFixture.FRAME_HEADER_LENGTH;
    // Zeros are written to the longest segments in several steps.
    private static final int[] SHIFTS = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 5 };
    private static final List<String> CURSORS = List.of("a", "b", "c".repeat(100));

    private record Operation(int weight, Runnable run)
    {
    }

    private final Path temp;
    private final Backend backend;
    private final boolean isOnFiles;
    private final Random random;
    private final int segmentLength;
    private final Retention retention;
    private final RandomFaults faults;
    private final TestClock clock = new TestClock();
    private final List<Operation> operations = List.of(
        new Operation(33, () -> append(length())),
        new Operation(3, this::fill),
        new Operation(4, () -> claim(length())),
        new Operation(7, this::appendBatch),
        new Operation(2, this::mismatch),
        new Operation(7, this::force),
        new Operation(3, this::awaitForced),
        new Operation(5, this::doWork),
        new Operation(2, this::advanceClock),
        new Operation(2, this::roll),
        new Operation(5, this::truncate),
        new Operation(4, this::prune),
        new Operation(5, this::saveCursor),
        new Operation(2, this::deleteCursor),
        new Operation(4, this::saveSnapshot),
        new Operation(2, this::pruneBySnapshots),
        new Operation(2, this::keepCheckpoint),
        new Operation(5, this::follow),
        new Operation(3, this::get));
    private final List<String> steps = new ArrayList<>();
    private JournalModel model = new JournalModel();

    private Path directory;
    // Null if the files are in a directory.
    private FaultStore store;
    // Not null once a crash has interrupted an operation that is still to return.
    private CrashPoint crashPoint;
    private JournalModel crashModel;
    private boolean isPowerLost;
    private boolean wasClosed;
    private int lives;
    private long recordNumber;
    private final Deque<Integer> lostLengths = new ArrayDeque<>();

    private Journal journal;
    private JournalAppender appender;
    private boolean isShared;
    private ForcePolicy policy;
    private int window;
    private JournalReader reader;
    // Whether the reader knows its place: a seek that failed has to be repeated.
    private boolean isSought;
    private CorruptJournalException reported;
    // Thrown by the last operation that failed.
    private Throwable failure;

    /**
     * @param temp directory of the journal's directories, which does not exist yet.
     */
    RandomJournal(final Path temp, final Backend backend, final boolean isOnFiles, final long seed)
        throws IOException
    {
        this.temp = temp;
        this.backend = backend;
        this.isOnFiles = isOnFiles;
        random = new Random(seed);
        segmentLength = JournalFixture.SEGMENT_LENGTH << SHIFTS[random.nextInt(SHIFTS.length)];
        retention = 0 == random.nextInt(3) ? Retention.bytes(3L * segmentLength) : null;
        faults = new RandomFaults(backend);
        directory = Files.createDirectory(temp).resolve("0");
        if (!isOnFiles)
        {
            // It holds the lock.
            Files.createDirectory(directory);
            attach(new FaultStore(backend));
        }
    }

    private void attach(final FaultStore disk)
    {
        store = disk;
        store.faults(faults);
    }

    void run() throws IOException
    {
        open();
        for (int life = 0; life < LIVES; life++)
        {
            live();
            if (0 == random.nextInt(3))
            {
                openWithFaults();
            }
            open();
        }
    }

    private void live() throws IOException
    {
        beginFaults();
        final int crash = isOnFiles ? -1 : random.nextInt(2 * MAX_OPERATIONS);
        final int count = random.nextInt(MAX_OPERATIONS);
        for (int i = 0; i < count && null == crashPoint && !journal.counters().isFailed(); i++)
        {
            if (crash == i)
            {
                faults.at(1 + random.nextInt(MAX_STEPS), this::captureCrash);
            }
            operate();
        }
        end();
    }

    /** The operation in progress ends at this step: its result may be there or not. */
    private void captureCrash()
    {
        crashPoint = store.crashPoint();
        crashModel = model.copy();
        if (null != retention)
        {
            crashModel.lastFirst = model.records.size() + 1L;
        }
    }

    private void beginFaults()
    {
        if (random.nextInt(3) > 0)
        {
            final Mode mode = Mode.values()[random.nextInt(Mode.ALL_CHANGES.ordinal())];
            final double probability = random.nextBoolean() ? 0.02 : 0.2;
            log("faults " + mode + " " + probability);
            faults.begin(mode, probability, random.nextLong());
        }
    }

    private void operate()
    {
        int choice = random.nextInt(operations.stream().mapToInt(Operation::weight).sum());
        for (final Operation operation : operations)
        {
            choice -= operation.weight;
            if (choice < 0)
            {
                operation.run.run();
                observe();
                return;
            }
        }
    }

    /** What a journal in use says of itself. */
    private void observe()
    {
        if (null != reported)
        {
            throw reported;
        }
        final long first = journal.firstSequence();
        model.durable = Math.max(model.durable, journal.forcedSequence());
        if (journal.counters().isFailed())
        {
            model.lastFirst = Math.max(model.lastFirst, first);
            return;
        }
        assertEquals(model.records.size(), journal.lastSequence());
        assertTrue(journal.writtenSequence() <= journal.lastSequence());
        assertTrue(window > 0 || journal.writtenSequence() == journal.lastSequence());
        assertTrue(journal.forcedSequence() <= journal.writtenSequence());
        model.written = journal.writtenSequence();
        if (null != retention && first > model.lastFirst)
        {
            model.first = model.first == model.lastFirst ? first : model.first;
            model.lastFirst = first;
        }
        assertTrue(model.first <= first && first <= model.lastFirst, () -> "first=" + first + ", " + model);
    }

    /**
     * Runs an operation that may throw if a call to the store failed.
     *
     * @return whether it returned.
     */
    private boolean attempt(final String what, final Executable operation)
    {
        log(what);
        final int before = faults.injected();
        try
        {
            operation.execute();
            return true;
        }
        catch (final CorruptJournalException ex)
        {
            throw ex;
        }
        catch (final JournalException | OutOfMemoryError ex)
        {
            log("  " + ex);
            failure = ex;
            if (before == faults.injected() && !(null != journal && journal.counters().isFailed()))
            {
                throw ex;
            }
            retentionMayHaveFailed();
            return false;
        }
        catch (final RuntimeException | Error ex)
        {
            throw ex;
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(ex);
        }
    }

    private int length()
    {
        // A record as long as a lost one would end where stale frames continue, if it were appended in its place.
        if (!lostLengths.isEmpty() && random.nextBoolean())
        {
            return lostLengths.remove();
        }
        final int max = appender.maxRecordLength();
        final int choice = random.nextInt(20);
        if (choice < 8)
        {
            return random.nextInt(200);
        }
        if (choice < 12)
        {
            return random.nextInt(9000);
        }
        return choice < 18 ? random.nextInt(max / 8) : random.nextInt(max + 1);
    }

    private Entry next(final int length)
    {
        return new Entry(
            model.records.size() + 1L, random.nextLong(), JournalFixture.record(++recordNumber, length));
    }

    private void append(final int length)
    {
        final Entry entry = next(length);
        final byte[] bytes = entry.bytes();
        final long expected = random.nextBoolean() ? JournalAppender.ANY : entry.sequence() - 1;
        appended("append " + length, List.of(entry), () -> switch (random.nextInt(3))
        {
            case 0 -> appender.appendIf(expected, entry.tag(), bytes, 0, length);
            case 1 -> appender.appendIf(expected, entry.tag(), ByteBuffer.wrap(bytes), 0, length);
            default -> appender.appendIf(expected, entry.tag(), JournalAppender.wrap(bytes), 0, length);
        });
    }

    private interface Append
    {
        long run();
    }

    /** Appends records all of which are there, or none. */
    private void appended(final String what, final List<Entry> entries, final Append append)
    {
        final long before = model.records.size();
        entries.forEach((entry) ->
        {
            model.inner.set(model.records.size(), before < model.records.size());
            model.records.add(entry);
        });
        final long after = model.records.size();
        if (attempt(what, () -> assertEquals(after, append.run())))
        {
            if (ForcePolicy.everyRecord() == policy)
            {
                assertEquals(after, journal.forcedSequence());
            }
        }
        else if (!journal.counters().isFailed())
        {
            // Nothing is in doubt as long as the journal is in use.
            final long last = journal.lastSequence();
            final boolean isNothingThere = failure instanceof JournalFullException;
            assertTrue(last == before || last == after && !isNothingThere, () -> "last=" + last);
            model.forgetAfter(last);
        }
    }

    /** Appends a record that ends at the end of the segment, or just before it. */
    private void fill()
    {
        final long left = segmentLength - journal.counters().appendedPosition() % segmentLength;
        final long length = left - JournalFixture.FRAME_HEADER_LENGTH - 8L * random.nextInt(12);
        if (length >= 0 && length <= appender.maxRecordLength())
        {
            append((int)length);
        }
    }

    private void claim(final int length)
    {
        final Entry entry = next(length);
        if (isShared)
        {
            append(length);
        }
        else if (random.nextBoolean())
        {
            appended("claim and commit " + length, List.of(entry), () ->
            {
                try (RecordClaim claim = appender.claim(length))
                {
                    claim.tag(entry.tag()).buffer().putBytes(0, entry.bytes());
                    return claim.commit();
                }
            });
        }
        else
        {
            attempt("claim and abort " + length, () ->
            {
                try (RecordClaim claim = appender.claim(length))
                {
                    claim.tag(entry.tag()).buffer().putBytes(0, entry.bytes());
                }
            });
        }
    }

    private void appendBatch()
    {
        final RecordBatch batch = new RecordBatch();
        final List<Entry> entries = new ArrayList<>();
        int room = segmentLength - JournalFixture.SEGMENT_HEADER_LENGTH - 2 * MARK_AND_HEADER;
        for (int i = 1 + random.nextInt(MAX_BATCH); i > 0; i--)
        {
            final Entry entry = next(Math.min(length(), segmentLength / 8));
            room -= entry.bytes().length + MARK_AND_HEADER;
            if (room > 0)
            {
                entries.add(new Entry(entry.sequence() + entries.size(), entry.tag(), entry.bytes()));
                batch.add(entry.tag(), entry.bytes());
            }
        }
        appended("batch " + batch, entries, () -> appender.append(batch));
    }

    private void mismatch()
    {
        final long expected = model.records.size() + (random.nextBoolean() ? 1 : -1);
        attempt("mismatch", () ->
        {
            assertEquals(JournalAppender.MISMATCH, appender.appendIf(expected, 1, new byte[10]));
            final RecordBatch batch = new RecordBatch().add(new byte[10]);
            assertEquals(JournalAppender.MISMATCH, appender.appendIf(expected, batch));
        });
    }

    private void force()
    {
        if (attempt("force", () -> journal.force()))
        {
            assertEquals(model.records.size(), journal.forcedSequence());
        }
    }

    private void awaitForced()
    {
        final long first = journal.firstSequence();
        if (first <= model.records.size())
        {
            final long sequence = first + random.nextInt((int)(model.records.size() - first) + 1);
            final boolean isForcing = ForcePolicy.manual() == policy || ForcePolicy.everyRecord() == policy;
            // The background agent has no thread.
            final boolean isForced = journal.forcedSequence() >= sequence;
            attempt("await " + sequence, () -> assertTrue(
                journal.awaitForced(sequence, Duration.ZERO) || !isForced && !isForcing));
        }
    }

    private void doWork()
    {
        attempt("work", () ->
        {
            for (int i = random.nextInt(8); i >= 0; i--)
            {
                journal.backgroundAgent().doWork();
            }
        });
    }

    private void advanceClock()
    {
        clock.advance(random.nextInt(2000));
    }

    private void roll()
    {
        attempt("roll", () -> journal.roll());
    }

    private void truncate()
    {
        final long last = model.records.size();
        final long least = Math.max(journal.firstSequence() - 1, Collections.max(model.snapshots));
        final long most = 0 == random.nextInt(4) ? last - least : Math.min(last - least, 12);
        final long sequence = model.inner.nextClearBit((int)last - random.nextInt((int)most + 1));
        final JournalModel before = model.copy();
        model.cut = sequence;
        final boolean isDone = attempt("truncate " + sequence, () -> journal.truncateAfter(sequence));
        final boolean isInUse = !journal.counters().isFailed();
        // A truncation also throws, although it is complete, if there is no memory to delete segments.
        if (isDone || isInUse && sequence < last && sequence == journal.lastSequence())
        {
            model.cut = JournalModel.NONE;
            model.forgetAfter(sequence);
            model.durable = sequence;
            model.written = sequence;
            model.cursors.replaceAll((name, sequences) -> clamped(before.cursor(name), sequence));
            assertEquals(sequence, journal.forcedSequence());
        }
        else if (isInUse)
        {
            assertEquals(last, journal.lastSequence());
            model = before;
        }
    }

    private static Set<Long> clamped(final Set<Long> sequences, final long most)
    {
        return Set.copyOf(sequences.stream().map((sequence) -> Math.min(sequence, most)).toList());
    }

    /** Prunes to some record that no snapshot needs. */
    private void prune()
    {
        final long first = journal.firstSequence();
        final double part = random.nextDouble();
        final long any = first + (long)(part * part * (model.records.size() - first + 2));
        final long needed = Collections.max(model.snapshots) > 0 ? Collections.min(model.snapshots) : any;
        final long sequence = Math.max(first, Math.min(any, needed));
        model.lastFirst = Math.max(model.lastFirst, sequence);
        attempt("prune " + sequence, () -> pruned(journal.prune(sequence), sequence));
    }

    private void pruned(final long first, final long most)
    {
        assertTrue(model.first <= first && first <= most, () -> "first=" + first);
        assertEquals(first, journal.firstSequence());
        model.first = first;
        model.lastFirst = first;
    }

    private long anySequence()
    {
        final long first = journal.firstSequence();
        return first - 1 + random.nextInt((int)(model.records.size() - first) + 2);
    }

    private void saveCursor()
    {
        final String name = CURSORS.get(random.nextInt(CURSORS.size()));
        final long sequence = anySequence();
        Set<Long> during = JournalModel.union(model.cursor(name), Set.of(sequence));
        if (during.contains(JournalModel.NONE))
        {
            // A new cursor starts at the beginning of the journal.
            during = JournalModel.union(during, Set.of(journal.firstSequence() - 1));
        }
        model.cursors.put(name, during);
        if (attempt("save cursor " + name + " " + sequence, () -> journal.cursor(name).save(sequence)))
        {
            model.cursors.put(name, Set.of(sequence));
            assertTrue(journal.forcedSequence() >= sequence);
        }
    }

    private void deleteCursor()
    {
        final String name = CURSORS.get(random.nextInt(CURSORS.size()));
        model.cursors.put(name, JournalModel.union(model.cursor(name), Set.of(JournalModel.NONE)));
        if (attempt("delete cursor " + name, () -> journal.deleteCursor(name)))
        {
            model.cursors.put(name, Set.of(JournalModel.NONE));
        }
    }

    private void saveSnapshot()
    {
        final long least = Math.max(journal.firstSequence() - 1, Collections.max(model.snapshots));
        final long sequence = Math.max(least, model.records.size() - random.nextInt(5));
        model.snapshots = JournalModel.union(model.snapshots, Set.of(sequence));
        if (attempt(
            "save snapshot " + sequence,
            () -> journal.snapshots().save(sequence, (output) -> output.write(JournalModel.snapshot(sequence)))))
        {
            model.snapshots = Set.of(sequence);
            assertTrue(journal.forcedSequence() >= sequence);
        }
    }

    private void pruneBySnapshots()
    {
        final long most = Math.max(journal.firstSequence(), Collections.max(model.snapshots) + 1);
        model.lastFirst = Math.max(model.lastFirst, most);
        attempt("prune by snapshots", () -> pruned(journal.snapshots().prune(), most));
    }

    /** Reads to some record, and keeps its checkpoint. */
    private void keepCheckpoint()
    {
        final long sequence = anySequence();
        if (model.checkpoints.size() < MAX_CHECKPOINTS && sequence >= journal.firstSequence())
        {
            attempt("checkpoint " + sequence, () ->
            {
                try (JournalReader reading = journal.openReader())
                {
                    reading.seek(sequence + 1);
                    model.checkpoints.put(reading.checkpoint(), model.records.get((int)sequence - 1));
                }
            });
        }
    }

    /** Reads what the reader has not passed yet. A failed poll has passed what its handler was given. */
    private void follow()
    {
        if (!isSought || JournalReader.State.FOLLOWING != reader.state() || 0 == random.nextInt(3))
        {
            final long sequence = anySequence() + 1;
            isSought = attempt("seek " + sequence, () -> reader.seek(sequence));
            if (!isSought)
            {
                return;
            }
        }
        final int first = (int)reader.nextSequence() - 1;
        final int limit = 1 + random.nextInt(30);
        final List<Entry> found = new ArrayList<>();
        final boolean isBackwards = random.nextBoolean();
        final boolean isWhole = attempt((isBackwards ? "poll backwards " : "poll ") + limit, () ->
        {
            if (isBackwards)
            {
                reader.pollBackwards(JournalFixture.into(found), limit);
            }
            else
            {
                reader.poll(JournalFixture.into(found), limit);
            }
        });
        final int count = found.size();
        if (isBackwards)
        {
            Collections.reverse(found);
        }
        final int from = isBackwards ? first - count : first;
        assertEquals(model.records.subList(from, from + count), found);
        assertEquals(isBackwards ? from : from + count, reader.nextSequence() - 1);
        if (isWhole)
        {
            final long most = isBackwards ? first + 1 - journal.firstSequence() : model.records.size() - first;
            assertEquals(Math.min(limit, most), count);
        }
    }

    private void get()
    {
        final long sequence = anySequence();
        final List<Entry> found = new ArrayList<>();
        if (attempt("get " + sequence, () -> journal.get(sequence, JournalFixture.into(found))))
        {
            assertEquals(
                sequence < journal.firstSequence() ? List.of() : List.of(model.records.get((int)sequence - 1)), found);
        }
    }

    /** Ends the process, if it was not at a step of an operation. */
    private void end() throws IOException
    {
        final boolean isInjected = faults.isInjected();
        if (journal.counters().isFailed())
        {
            assertTrue(isInjected);
            faults.end();
            assertRejected();
            assertReadable();
        }
        if (null != crashPoint || 0 == random.nextInt(4))
        {
            crash();
        }
        else
        {
            closeJournal(isInjected);
        }
    }

    private void assertRejected()
    {
        log("failed");
        assertThrows(JournalException.class, () -> appender.append(new byte[8]));
        assertThrows(JournalException.class, () -> journal.force());
        assertThrows(JournalException.class, () -> journal.roll());
        assertThrows(JournalException.class, () -> journal.truncateAfter(journal.firstSequence() - 1));
        assertThrows(JournalException.class, () -> journal.prune(journal.lastSequence()));
        assertThrows(JournalException.class, () -> journal.cursor("a").save(journal.firstSequence() - 1));
        assertThrows(
            JournalException.class, () -> journal.snapshots().save(journal.firstSequence() - 1, (output) ->
            {
            }));
    }

    /** A reader of a failed journal continues up to what was written. */
    private void assertReadable()
    {
        if (isSought && JournalModel.NONE == model.cut && JournalReader.State.FOLLOWING == reader.state())
        {
            final int first = (int)reader.nextSequence() - 1;
            assertEquals(
                model.records.subList(first, (int)journal.writtenSequence()), JournalFixture.poll(reader));
        }
    }

    private void crash() throws IOException
    {
        final CrashPoint point = null != crashPoint || isOnFiles ? crashPoint : store.crashPoint();
        model = null != crashPoint ? crashModel : model;
        crashPoint = null;
        wasClosed = false;
        final Path before = directory;
        if (isOnFiles)
        {
            log("kill");
            directory = temp.resolve(Integer.toString(++lives));
            JournalFixture.copy(before, directory);
        }
        giveUp();
        if (isOnFiles)
        {
            JournalFixture.deleteTree(before);
        }
        else if (0 == random.nextInt(3))
        {
            log("kill");
            attach(point.killed());
        }
        else
        {
            losePower(point);
        }
    }

    private void losePower(final CrashPoint point)
    {
        final Tearing tearing = Tearing.values()[random.nextInt(2)];
        log("power loss, " + tearing);
        isPowerLost = true;
        attach(point.disk(tearing, random.nextLong()));
    }

    /** Closes the journal, without an effect on the files if it was not closed. */
    private void giveUp()
    {
        faults.begin(Mode.ALL_CHANGES, 1, 0);
        try
        {
            closeHandles();
        }
        catch (final JournalException ignore)
        {
            // The process has ended.
        }
        faults.end();
    }

    private void closeHandles()
    {
        if (null != reader)
        {
            reader.close();
        }
        journal.close();
    }

    private void closeJournal(final boolean isInjected)
    {
        final boolean isFailed = journal.counters().isFailed();
        log("close");
        boolean isClosed = false;
        try
        {
            closeHandles();
            isClosed = true;
            assertFalse(isFailed);
            model.durable = model.records.size();
            model.written = model.durable;
        }
        catch (final JournalException | OutOfMemoryError ex)
        {
            log("  " + ex);
            assertTrue(isInjected || faults.isInjected());
        }
        giveUp();
        if (!isOnFiles && 0 == random.nextInt(4))
        {
            losePower(store.crashPoint());
        }
        wasClosed = isClosed;
    }

    /** Openings that fail, or that a crash interrupts. */
    private void openWithFaults() throws IOException
    {
        boolean isOpen = false;
        for (int i = 0; i < MAX_OPENINGS && !isOpen; i++)
        {
            beginFaults();
            if (!isOnFiles && random.nextBoolean())
            {
                faults.at(1 + random.nextInt(3 * MAX_STEPS), this::captureCrash);
            }
            isOpen = attempt("open with faults", () -> journal = builder().open());
            wasClosed = false;
            if (null != crashPoint)
            {
                crash();
                isOpen = false;
            }
            else if (!isOpen && !isOnFiles && 0 == random.nextInt(3))
            {
                losePower(store.crashPoint());
            }
            faults.end();
        }
    }

    private void open()
    {
        faults.end();
        final boolean isOpen = null != journal && !journal.isClosed();
        if (!isOpen)
        {
            attempt("open", () -> journal = builder().open());
            log("  " + journal.recoveryReport());
            // A power loss may bring back an older durable watermark.
            if (wasClosed && !isPowerLost)
            {
                assertTrue(journal.recoveryReport().isCleanlyClosed());
                assertEquals(0, journal.recoveryReport().tornLength());
            }
        }
        model.check(journal, isPowerLost);
        lostLengths.clear();
        model.records.stream().skip(journal.lastSequence()).forEach((lost) -> lostLengths.add(lost.bytes().length));
        model.found(journal);
        if (null != reported)
        {
            throw reported;
        }
        isPowerLost = false;
        isShared = 0 == random.nextInt(3);
        appender = isShared ? journal.sharedAppender() : journal.appender();
        reader = journal.openReader();
        isSought = true;
    }

    private JournalBuilder builder()
    {
        window = new int[]{ 0, 0, 1, 1001, 4096, 65536 }[random.nextInt(6)];
        policy = new ForcePolicy[]{ ForcePolicy.manual(), ForcePolicy.manual(), ForcePolicy.everyRecord(),
            ForcePolicy.every(Duration.ZERO), ForcePolicy.every(Duration.ofDays(1)) }[random.nextInt(5)];
        final SegmentStore files = isOnFiles ? new StepStore(backend.store(directory), faults) : store;
        final Random randoms = new Random(random.nextLong());
        final JournalBuilder builder = Internals.randoms(
            Journal.builder(directory).backend(backend).store(files).segmentLength(segmentLength).writeWindow(window)
                .force(policy).recycleSegments(random.nextBoolean()).clock(clock).backgroundThread(false)
                .errorHandler(this::report),
            randoms::nextLong);
        return null == retention ? builder : builder.retention(retention);
    }

    private void retentionMayHaveFailed()
    {
        if (null != retention)
        {
            model.lastFirst = model.records.size() + 1L;
        }
    }

    private void report(final Throwable ex)
    {
        log("  reported: " + ex);
        retentionMayHaveFailed();
        if (ex instanceof final CorruptJournalException corrupt)
        {
            reported = corrupt;
        }
    }

    @Override
    public void close() throws IOException
    {
        if (null != journal)
        {
            giveUp();
        }
        JournalFixture.deleteTree(temp);
    }

    private void log(final String what)
    {
        steps.add(what);
    }

    /** All settings and steps, of which a failure needs the last. */
    @Override
    public String toString()
    {
        return "backend=" + backend + ", segmentLength=" + segmentLength + ", retention=" + retention + ", files=" +
            isOnFiles + ", " + model + "\n  " + String.join("\n  ", steps);
    }
}
