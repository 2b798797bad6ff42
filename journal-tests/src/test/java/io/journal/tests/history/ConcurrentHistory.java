// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalAppender;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalCursor;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordHandler;
import io.journal.internal.read.RecordsGoneException;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.JournalFixture.Background;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.function.Executable;

import static io.journal.tests.support.JournalFixture.record;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Threads that use one journal concurrently, and record their observations.
 * <p>
 * A record's tag is the number of its thread and its number in that thread; its bytes follow from the tag. Appending is
 * linearisable if each record's sequence is higher than any that was published before its append began, and is
 * published when it returns; and if all that was acknowledged is read once, under its sequence.
 */
final class ConcurrentHistory
{
    private static final int MAX_BATCH = 6;
    private final int threads;
    private final int recordsEach;
    private final boolean isRetaining;
    private final long seed;
    // For each thread, by the number of its record: the result of the append, and the sequence at which the collecting
    // reader found the record.
    private final long[][] acknowledged;
    private final long[][] found;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger appending = new AtomicInteger();
    private final AtomicLong collected = new AtomicLong();
    private final AtomicLong notifiedForced = new AtomicLong();
    private final AtomicInteger gone = new AtomicInteger();
    private final AtomicInteger next = new AtomicInteger();
    private Journal journal;
    private long firstLeft;

    ConcurrentHistory(final int threads, final int recordsEach, final boolean isRetaining, final long seed)
    {
        this.threads = threads;
        this.recordsEach = recordsEach;
        this.isRetaining = isRetaining;
        this.seed = seed;
        acknowledged = new long[threads][recordsEach];
        found = new long[threads][recordsEach];
    }

    /** Reports a failure in the background, which ends all threads. */
    void fail(final Throwable ex)
    {
        failure.compareAndSet(null, ex);
    }

    long records()
    {
        return (long)threads * recordsEach;
    }

    long pruned()
    {
        return firstLeft - 1;
    }

    /** The number of times that a reader reported pruned records. */
    int gone()
    {
        return gone.get();
    }

    void run(final JournalBuilder builder)
    {
        final List<Background> all = new ArrayList<>();
        try (Journal journal = builder.open())
        {
            this.journal = journal;
            journal.onForced(this::onForced);
            // Create the cursor before anything can be pruned.
            final JournalCursor cursor = journal.cursor("collector");
            appending.set(threads);
            for (int i = 0; i < threads; i++)
            {
                final int thread = i;
                all.add(start("appending-" + i, () -> append(thread)));
            }
            all.add(start("collecting", () -> collect(cursor)));
            all.add(start("following", () -> follow(JournalReader.Limit.WRITTEN)));
            all.add(start("following what is forced", () -> follow(JournalReader.Limit.FORCED)));
            all.add(start("seeking", this::readHereAndThere));
            all.add(start("changing", this::rollAndPrune));
            all.forEach(Background::join);
            if (null != failure.get())
            {
                throw new AssertionError(failure.get());
            }

            assertEquals(records(), journal.lastSequence());
            assertTrue(journal.writtenSequence() <= journal.lastSequence());
        }
        // Read this only now, after the close: until then the background agent drops history.
        firstLeft = journal.firstSequence();
        assertEquals(records(), journal.forcedSequence());
        assertEquals(records(), notifiedForced.get());
        for (int i = 0; i < threads; i++)
        {
            assertArrayEquals(acknowledged[i], found[i], "thread=" + i);
        }
    }

    /** Opens the journal again, which must hold all records that were not pruned. */
    void verify(final Path path, final Backend backend)
    {
        try (Journal reopened = Journal.builder(path).backend(backend).writeWindow(0).backgroundThread(false).open();
            JournalReader reader = reopened.openReader())
        {
            final RecoveryReport report = reopened.recoveryReport();
            assertEquals(0, report.tornLength(), report::toString);
            assertTrue(report.isCleanlyClosed(), report::toString);
            assertEquals(firstLeft, reopened.firstSequence());
            assertEquals(records(), reopened.lastSequence());
            final long[] next = { firstLeft };
            reader.poll((buffer, offset, length, header) ->
            {
                assertEquals(next[0]++, header.sequence());
                check(buffer, offset, length, header);
                assertEquals(header.sequence(), acknowledged[thread(header.tag())][(int)header.tag()]);
            }, Integer.MAX_VALUE);
            assertEquals(records() + 1, next[0]);
        }
    }

    private Background start(final String name, final Executable task)
    {
        return Background.start(name, () ->
        {
            try
            {
                task.execute();
            }
            catch (final Throwable ex)
            {
                fail(new AssertionError(name + ": " + ex.getMessage(), ex));
            }
        });
    }

    private void append(final int thread)
    {
        final SplittableRandom random = random();
        final JournalAppender appender = journal.sharedAppender();
        final RecordBatch batch = new RecordBatch();
        try
        {
            int k = 0;
            while (k < recordsEach && null == failure.get())
            {
                final long tag = (long)thread << 32 | k;
                final byte[] bytes = record(tag, length(random));
                final long before = journal.lastSequence();
                int count = 1;
                final long sequence;
                switch (random.nextInt(10))
                {
                    case 0:
                        batch.clear();
                        count = Math.min(recordsEach - k, 1 + random.nextInt(MAX_BATCH));
                        for (int i = 0; i < count; i++)
                        {
                            batch.add(tag + i, record(tag + i, length(random)));
                        }
                        sequence = random.nextBoolean() ? appender.append(batch) : appender.appendIf(before, batch);
                        break;

                    case 1:
                    case 2:
                        sequence = appender.appendIf(before, tag, bytes);
                        break;

                    case 3:
                        sequence = appender.append(tag, ByteBuffer.wrap(bytes));
                        break;

                    case 4:
                        sequence = appender.append(tag, JournalAppender.wrap(bytes), 0, bytes.length);
                        break;

                    default:
                        sequence = appender.append(tag, bytes, 0, bytes.length);
                        break;
                }
                if (JournalAppender.MISMATCH == sequence)
                {
                    // Another thread has appended since.
                    assertTrue(journal.lastSequence() > before);
                    continue;
                }

                assertTrue(
                    sequence >= before + count && sequence <= journal.lastSequence(),
                    "sequence=" + sequence + ", count=" + count + ", before=" + before + ", " + journal);
                for (int i = 0; i < count; i++)
                {
                    acknowledged[thread][k + i] = sequence - count + 1 + i;
                }
                k += count;
                await(sequence, random.nextInt(30));
            }
        }
        finally
        {
            appending.decrementAndGet();
        }
    }

    private static int length(final SplittableRandom random)
    {
        final int choice = random.nextInt(40);
        return 0 == choice ? random.nextInt(5000) : choice < 10 ? random.nextInt(4) : random.nextInt(150);
    }

    private void await(final long sequence, final int how)
    {
        switch (how)
        {
            case 0:
                journal.awaitForced(sequence);
                assertTrue(journal.forcedSequence() >= sequence);
                break;

            case 1:
                if (journal.awaitForced(sequence, Duration.ofNanos(100_000)))
                {
                    assertTrue(journal.forcedSequence() >= sequence);
                }
                break;

            case 2:
                journal.force();
                assertTrue(journal.forcedSequence() >= sequence);
                break;

            default:
                break;
        }
    }

    private void onForced(final long sequence)
    {
        if (sequence < notifiedForced.get() || sequence > journal.forcedSequence())
        {
            fail(new AssertionError(
                "notified=" + sequence + ", before=" + notifiedForced.get() + ", forced=" + journal.forcedSequence()));
        }
        notifiedForced.set(sequence);
    }

    /** Reads every record once; no record is pruned before it was read. */
    private void collect(final JournalCursor cursor)
    {
        final int[] nextOf = new int[threads];
        try (JournalReader reader = journal.openReader())
        {
            while (collected.get() < records() && null == failure.get())
            {
                reader.poll((buffer, offset, length, header) ->
                {
                    assertEquals(collected.get() + 1, header.sequence());
                    assertTrue(header.sequence() <= journal.lastSequence());
                    check(buffer, offset, length, header);
                    final int thread = thread(header.tag());
                    assertEquals(nextOf[thread]++, (int)header.tag(), "thread=" + thread);
                    found[thread][(int)header.tag()] = header.sequence();
                    collected.set(header.sequence());
                }, 200);
                if (isRetaining && collected.get() > 0)
                {
                    cursor.save(collected.get());
                }
            }
        }
    }

    /** Follows the end, and continues at the first record if it was too slow. */
    private void follow(final JournalReader.Limit limit)
    {
        final SplittableRandom random = random();
        try (JournalReader reader = journal.openReader(limit))
        {
            final long[] expected = { reader.nextSequence() };
            final int[] nextOf = new int[threads];
            Arrays.fill(nextOf, 1 == expected[0] ? 0 : -1);
            boolean isLast = false;
            while (!isLast && null == failure.get())
            {
                isLast = 0 == appending.get();
                try
                {
                    reader.poll((buffer, offset, length, header) ->
                    {
                        assertEquals(expected[0]++, header.sequence());
                        assertTrue(header.sequence() <= (JournalReader.Limit.FORCED == limit ?
                            journal.forcedSequence() : journal.lastSequence()));
                        check(buffer, offset, length, header);
                        final int thread = thread(header.tag());
                        assertTrue(nextOf[thread] < 0 || nextOf[thread] == (int)header.tag());
                        nextOf[thread] = (int)header.tag() + 1;
                    }, 1 + random.nextInt(500));
                }
                catch (final RecordsGoneException ex)
                {
                    assertEquals(JournalReader.State.PRUNED, reader.state());
                    assertTrue(expected[0] < journal.firstSequence());
                    reader.seekToStart();
                    assertTrue(reader.nextSequence() > expected[0]);
                    expected[0] = reader.nextSequence();
                    Arrays.fill(nextOf, -1);
                    gone.incrementAndGet();
                }
                if (0 == random.nextInt(200))
                {
                    Thread.yield();
                }
            }
        }
    }

    private void readHereAndThere()
    {
        final SplittableRandom random = random();
        try (JournalReader reader = journal.openReader())
        {
            while (appending.get() > 0 && null == failure.get())
            {
                final long first = journal.firstSequence();
                final long last = journal.lastSequence();
                final long sequence = random.nextLong(first, last + 2);
                try
                {
                    reader.seek(sequence);
                    final long[] expected = { sequence };
                    reader.poll((buffer, offset, length, header) ->
                    {
                        assertEquals(expected[0]++, header.sequence());
                        check(buffer, offset, length, header);
                    }, 5);
                }
                catch (final IllegalArgumentException | RecordsGoneException ex)
                {
                    // The record was pruned since the check.
                    assertTrue(journal.firstSequence() > first, ex::toString);
                }
                Thread.yield();
            }
        }
    }

    private void rollAndPrune()
    {
        final SplittableRandom random = random();
        while (appending.get() > 0 && null == failure.get())
        {
            if (0 == random.nextInt(20))
            {
                journal.roll();
            }
            if (0 == random.nextInt(10))
            {
                final long first = journal.prune(collected.get() + 1);
                // Retention may have pruned more already, because further records were collected since.
                assertTrue(first <= collected.get() + 1, () -> "first=" + first + ", collected=" + collected.get());
            }
            // Other threads append meanwhile.
            final long last = journal.lastSequence();
            while (journal.lastSequence() < last + 40 && appending.get() > 0 && null == failure.get())
            {
                Thread.yield();
            }
        }
    }

    private SplittableRandom random()
    {
        return new SplittableRandom(seed * 1000 + next.getAndIncrement());
    }

    private void check(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        final byte[] bytes = JournalFixture.bytes(buffer, offset, length);
        assertTrue(thread(header.tag()) < threads && (int)header.tag() < recordsEach);
        if (!Arrays.equals(record(header.tag(), length), bytes))
        {
            throw new AssertionError("other bytes than were appended: sequence=" + header.sequence());
        }
    }

    private static int thread(final long tag)
    {
        return (int)(tag >>> 32);
    }
}
