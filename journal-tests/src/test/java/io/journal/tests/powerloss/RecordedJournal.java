// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import io.journal.tests.support.JournalFixture;
import org.agrona.CloseHelper;

/** Runs a journal and records a {@link Moment} at each step. */
final class RecordedJournal implements AutoCloseable
{
    static final int FRAME_HEADER_LENGTH = 24;
    private static final int MAX_CHECKPOINTS = 8;

    private static final int SEGMENT_LENGTH = JournalBuilder.MIN_SEGMENT_LENGTH;
    private static final int FIRST_RECORD_OFFSET = 4096 + 64 + FRAME_HEADER_LENGTH;

    final Random random;
    private final Path path;
    private final Variant variant;
    private final long life;
    private final List<Moment> moments = new ArrayList<>();
    private final List<Entry> records = new ArrayList<>();
    private final List<Long> ends = new ArrayList<>();
    private final BitSet inner;
    private final Map<String, Set<Long>> cursors = new HashMap<>();
    private final Map<Checkpoint, Entry> checkpoints = new LinkedHashMap<>();
    private Set<Long> snapshots;
    private long acknowledged;
    private long written;
    private long first;
    private long nextFirst;
    private long cut;
    private FaultStore store;
    private FaultPlan faults = FaultPlan.none();
    private Journal journal;

    /**
     * @param expected what the store may hold already.
     * @param life     number that distinguishes the records of this recorded.
     */
    RecordedJournal(
        final Path path,
        final FaultStore store,
        final Variant variant,
        final Expected expected,
        final long life,
        final long seed)
    {
        this.path = path;
        this.variant = variant;
        this.life = life;
        random = new Random(seed);
        records.addAll(expected.records());
        ends.addAll(expected.ends());
        inner = (BitSet)expected.inner().clone();
        cursors.putAll(expected.cursors());
        checkpoints.putAll(expected.checkpoints());
        snapshots = expected.snapshots();
        acknowledged = expected.acknowledged();
        written = expected.written();
        first = expected.first();
        nextFirst = expected.nextFirst();
        cut = expected.cut();
        attach(store);
    }

    List<Moment> moments()
    {
        return moments;
    }

    Journal journal()
    {
        return journal;
    }

    /** Opens the journal and checks its contents. */
    void open()
    {
        open((builder) ->
        {
        });
    }

    void open(final Consumer<JournalBuilder> settings)
    {
        final JournalBuilder builder = JournalFixture.repeatable(path, variant.wrap(store), variant.randoms(random));
        settings.accept(builder);
        journal = builder.open();
        expected().check(journal);
        found();
    }

    /** The opening has decided which of the possible states is true. */
    private void found()
    {
        final long last = journal.lastSequence();
        forgetAfter(last);
        acknowledged = last;
        written = last;
        first = journal.firstSequence();
        nextFirst = first;
        cursors.clear();
        for (final String name : journal.cursorNames())
        {
            cursors.put(name, Set.of(journal.cursor(name).sequence()));
        }
        look("opened");
    }

    private void forgetAfter(final long last)
    {
        records.subList((int)last, records.size()).clear();
        ends.subList((int)Math.min(last, ends.size()), ends.size()).clear();
        inner.clear((int)last, Math.max((int)last, inner.length()));
        cut = -1;
    }

    void append(final int length)
    {
        final Entry entry = next(length);
        assertSequence(journal.appender().append(entry.tag(), entry.bytes()));
        look("appended");
    }

    void appendShared(final int length)
    {
        final Entry entry = next(length);
        assertSequence(
            journal.sharedAppender().appendIf(records.size() - 1, entry.tag(), entry.bytes(), 0, length));
        look("appended");
    }

    /** Appends a record whose frame ends at a multiple of a length, if no mark comes before it. */
    void appendUpTo(final int multiple)
    {
        final long begin = journal.counters().appendedPosition() + FRAME_HEADER_LENGTH;
        final long least = begin + random.nextInt(2 * multiple);
        append((int)((least + multiple - 1) / multiple * multiple - begin));
    }

    /** Appends a record whose frame ends at the next multiple of a length in its segment. */
    void appendTo(final int multiple)
    {
        final int begin = (int)(journal.counters().appendedPosition() % SEGMENT_LENGTH) + FRAME_HEADER_LENGTH;
        final int end = (begin + multiple - 1) / multiple * multiple;
        append(end <= SEGMENT_LENGTH ? end - begin : multiple - FIRST_RECORD_OFFSET);
    }

    /**
     * Truncates some records, and appends a record whose frame ends where a truncated frame began: the stale frame
     * would continue the log after the new one.
     */
    void replaceAfter(final long sequence)
    {
        final int cutRecord = (int)sequence;
        final long end = cutRecord < ends.size() ? ends.get(cutRecord) : -1;
        truncateAfter(sequence);
        final long room = end - journal.counters().appendedPosition() - FRAME_HEADER_LENGTH;
        append(room >= 0 && room < SEGMENT_LENGTH / 2 ? (int)room : 100);
    }

    void appendBatch(final int count, final int maxLength)
    {
        final RecordBatch batch = new RecordBatch();
        for (int i = 0; i < count; i++)
        {
            if (i > 0)
            {
                inner.set(records.size());
            }
            final Entry entry = next(random.nextInt(maxLength));
            batch.add(entry.tag(), entry.bytes());
        }
        assertSequence(journal.appender().append(batch));
        look("appended a batch");
    }

    void claim(final int length, final boolean isCommitted)
    {
        try (RecordClaim claim = journal.appender().claim(length))
        {
            look("claimed");
            final Entry entry = Entry.of(life, records.size() + 1, length);
            claim.tag(entry.tag()).buffer().putBytes(0, entry.bytes());
            look("filled");
            if (isCommitted)
            {
                records.add(entry);
                assertSequence(claim.commit());
            }
        }
        look(isCommitted ? "committed" : "aborted");
    }

    void force()
    {
        journal.force();
        look("forced");
    }

    void awaitForced()
    {
        if (journal.lastSequence() >= journal.firstSequence())
        {
            journal.awaitForced(journal.lastSequence());
            look("awaited");
        }
    }

    void doWork()
    {
        try
        {
            journal.backgroundAgent().doWork();
        }
        catch (final Exception ex)
        {
            throw new AssertionError(ex);
        }
        look("worked");
    }

    void roll()
    {
        journal.roll();
        look("rolled");
    }

    void prune(final long sequence)
    {
        nextFirst = firstOfSegment(sequence);
        final long result = journal.prune(sequence);
        if (result != nextFirst)
        {
            throw new AssertionError("first sequence=" + result + ", expected=" + nextFirst);
        }
        first = result;
        look("pruned");
    }

    /** The first record in the segment of a record, which may be the next record to be appended. */
    private long firstOfSegment(final long sequence)
    {
        final long[] positions = new long[(int)journal.lastSequence() + 2];
        positions[(int)journal.lastSequence() + 1] = journal.counters().appendedPosition() - 1;
        try (JournalReader reader = journal.openReader())
        {
            reader.poll(
                (buffer, offset, length, header) -> positions[(int)header.sequence()] = header.position(),
                Integer.MAX_VALUE);
        }
        long first = Math.max(sequence, journal.firstSequence());
        while (first > journal.firstSequence() &&
            positions[(int)first - 1] / SEGMENT_LENGTH == positions[(int)first] / SEGMENT_LENGTH)
        {
            first--;
        }

        return first;
    }

    void truncateAfter(final long sequence)
    {
        final Map<String, Set<Long>> clamped = new HashMap<>();
        cursors.forEach((name, sequences) -> clamped.put(name, Set.of(Math.min(sequence, only(sequences)))));
        cut = sequence;
        journal.truncateAfter(sequence);
        forgetAfter(sequence);
        cursors.putAll(clamped);
        acknowledged = journal.forcedSequence();
        written = journal.writtenSequence();
        look("truncated");
    }

    void save(final String name, final long sequence)
    {
        final long before = cursors.containsKey(name) ? only(cursors.get(name)) : Expected.ABSENT;
        final Set<Long> during = new HashSet<>(List.of(before, sequence));
        if (Expected.ABSENT == before)
        {
            // A new cursor starts at the beginning of the journal.
            during.add(journal.firstSequence() - 1);
        }
        cursors.put(name, Set.copyOf(during));
        journal.cursor(name).save(sequence);
        cursors.put(name, Set.of(sequence));
        look("saved");
    }

    void deleteCursorIfAny(final String name)
    {
        if (cursors.containsKey(name))
        {
            deleteCursor(name);
        }
    }

    void deleteCursor(final String name)
    {
        cursors.put(name, new HashSet<>(List.of(only(cursors.get(name)), Expected.ABSENT)));
        journal.deleteCursor(name);
        cursors.put(name, Set.of(Expected.ABSENT));
        look("deleted a cursor");
        cursors.remove(name);
    }

    /** Reads to some record, and keeps its checkpoint. */
    void keepCheckpoint()
    {
        final long sequence = anySequence();
        if (checkpoints.size() < MAX_CHECKPOINTS && sequence > 0 && sequence >= journal.firstSequence())
        {
            try (JournalReader reader = journal.openReader())
            {
                reader.seek(sequence + 1);
                checkpoints.put(reader.checkpoint(), records.get((int)sequence - 1));
            }
        }
    }

    /** Saves a snapshot of all records. */
    void saveSnapshot()
    {
        final long sequence = journal.lastSequence();
        if (sequence >= journal.firstSequence())
        {
            snapshots = new HashSet<>(snapshots);
            snapshots.add(sequence);
            journal.snapshots().save(sequence, (output) -> output.write(Expected.STATE));
            snapshots = Set.of(sequence);
            look("saved a snapshot");
        }
    }

    /** Truncates after some record that ends a batch, and that the newest snapshot allows. */
    void truncateSome()
    {
        long sequence = Math.max(anySequence(), Collections.max(snapshots));
        while (inner.get((int)sequence))
        {
            sequence++;
        }
        truncateAfter(sequence);
    }

    /** Prunes to some record that no snapshot needs. */
    void pruneSome()
    {
        final long needed = Collections.max(snapshots) > 0 ? Collections.min(snapshots) : Long.MAX_VALUE;
        prune(Math.max(journal.firstSequence(), Math.min(anySequence(), needed)));
    }

    /** A sequence of the journal, or the sequence before its first. */
    long anySequence()
    {
        return journal.firstSequence() - 1 +
            random.nextInt((int)(journal.lastSequence() - journal.firstSequence()) + 2);
    }

    void closeJournal()
    {
        journal.close();
        acknowledged = records.size();
        journal = null;
        look("closed");
    }

    /** The process is killed. */
    void kill()
    {
        final FaultStore left = store.crashPoint().killed();
        store.faults(FaultPlan.none());
        closeQuietly();
        attach(left);
    }

    /** The next force fails, and then the process is killed. */
    void failForce(final Runnable doing)
    {
        failForce(1, doing);
    }

    /** One of the next forces fails, and then the process is killed. */
    void failForce(final int nth, final Runnable doing)
    {
        faults = FaultPlan.nth(StoreStep.Kind.FORCE, nth, Fault.error());
        try
        {
            doing.run();
            // A variant that hides a failed fsync continues.
        }
        catch (final JournalException ignore)
        {
            // The operation fails, as it should.
        }
        faults = FaultPlan.none();
        kill();
    }

    /** This moment may be the last. */
    void look(final String place)
    {
        moments.add(new Moment(store.crashPoint(), expected(), place));
    }

    @Override
    public void close()
    {
        store.faults(FaultPlan.none());
        closeQuietly();
    }

    private void attach(final FaultStore store)
    {
        this.store = store;
        final FaultPlan broken = variant.plan(store);
        store.faults((step) ->
        {
            if (step.kind().isChange())
            {
                look(step.kind() + " " + step.name() + " " + step.offset() + "+" + step.length());
            }
            final Fault fault = faults.before(step);
            return Fault.none() == fault ? broken.before(step) : fault;
        });
    }

    private Expected expected()
    {
        // Other threads may see the durable watermark at any time. During a truncation it may go back.
        if (null != journal && !journal.isClosed() && cut < 0)
        {
            acknowledged = Math.max(acknowledged, journal.forcedSequence());
            written = Math.max(written, journal.writtenSequence());
        }

        return new Expected(
            List.copyOf(records),
            List.copyOf(ends),
            (BitSet)inner.clone(),
            acknowledged,
            written,
            first,
            nextFirst,
            cut,
            Map.copyOf(cursors),
            Set.copyOf(snapshots),
            Map.copyOf(checkpoints));
    }

    private Entry next(final int length)
    {
        final Entry entry = Entry.of(life, records.size() + 1, length);
        records.add(entry);
        return entry;
    }

    private void assertSequence(final long sequence)
    {
        if (sequence != records.size())
        {
            throw new AssertionError("sequence=" + sequence + ", expected=" + records.size());
        }
        while (ends.size() < records.size())
        {
            ends.add(journal.counters().appendedPosition());
        }
    }

    private static long only(final Set<Long> sequences)
    {
        return sequences.iterator().next();
    }

    private void closeQuietly()
    {
        CloseHelper.quietClose(journal);
        journal = null;
    }
}
