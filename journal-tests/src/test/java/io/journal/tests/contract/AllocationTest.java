// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import com.sun.management.ThreadMXBean;
import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalCounters;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@InMemory
class AllocationTest extends JournalFixture
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 5000;
    private static final int COUNT = 10_000;
    private static final int LENGTH = 64;
    private static final byte[] RECORD = new byte[LENGTH];
    private static final ByteBuffer HEAP = ByteBuffer.allocate(LENGTH);
    private static final ByteBuffer DIRECT = ByteBuffer.allocateDirect(LENGTH);
    private static final DirectBuffer HEAP_BUFFER = JournalAppender.wrap(new byte[LENGTH]);
    private static final DirectBuffer DIRECT_BUFFER = JournalAppender.wrap(DIRECT);

    private byte[] sink;

    /** A call to be repeated, and a count that each call raises by the expected number. */
    private record Case(LongConsumer call, LongSupplier sum, long expected)
    {
        Case(final LongConsumer call)
        {
            this(call, () -> 0, 0);
        }
    }

    /** Counts records that are full of zeros, and reads from each. */
    private static final class Summing implements RecordHandler
    {
        private long sum;

        @Override
        public void onRecord(final DirectBuffer buffer, final int offset, final int length, final Header header)
        {
            sum += 1 + buffer.getByte(offset);
        }
    }

    private interface Preparation
    {
        Case prepare(AllocationTest test, Journal journal);
    }

    private enum Operation
    {
        APPEND_ARRAY((test, journal) ->
        {
            final JournalAppender appender = journal.appender();
            return new Case((i) -> appender.append(i, RECORD, 0, LENGTH));
        }),
        APPEND_BYTE_BUFFER((test, journal) ->
        {
            final JournalAppender appender = journal.appender();
            return new Case((i) -> appender.append(0 == (i & 1) ? HEAP : DIRECT));
        }),
        APPEND_DIRECT_BUFFER((test, journal) ->
        {
            final JournalAppender appender = journal.appender();
            return new Case((i) -> appender.append(i, 0 == (i & 1) ? HEAP_BUFFER : DIRECT_BUFFER, 0, LENGTH));
        }),
        CLAIM((test, journal) ->
        {
            final JournalAppender appender = journal.appender();
            return new Case((i) ->
            {
                try (RecordClaim claim = appender.claim(LENGTH))
                {
                    claim.buffer().putLong(8, i);
                    if (0 != (i & 3))
                    {
                        claim.tag(i).commit();
                    }
                }
            });
        }),
        APPEND_SHARED((test, journal) ->
        {
            final JournalAppender appender = journal.sharedAppender();
            return new Case((i) ->
            {
                switch ((int)i & 3)
                {
                    case 0 -> appender.append(i, RECORD, 0, LENGTH);
                    case 1 -> appender.append(i, HEAP);
                    case 2 -> appender.append(i, DIRECT_BUFFER, 0, LENGTH);
                    default -> appender.appendIf(journal.lastSequence(), i, RECORD);
                }
            }, journal::lastSequence, 1);
        }),
        APPEND_BATCH((test, journal) ->
        {
            final RecordBatch batch = new RecordBatch();
            final JournalAppender appender = journal.appender();
            return new Case((i) ->
            {
                batch.clear();
                batch.add(1, RECORD).add(2, HEAP).add(3, DIRECT_BUFFER, 0, 16).add(4, RECORD, 8, 8).add(RECORD);
                if (0 == (i & 1))
                {
                    appender.append(batch);
                }
                else
                {
                    appender.appendIf(journal.lastSequence(), batch);
                }
            }, journal::lastSequence, 5);
        }),
        APPEND_WHERE_ANOTHER_RECORD_IS_EXPECTED((test, journal) ->
        {
            final JournalAppender appender = journal.appender();
            return new Case((i) -> appender.appendIf(i + 2, i, RECORD), journal::lastSequence, 0);
        }),
        POLL((test, journal) ->
        {
            final JournalReader reader = test.closing(filled(journal).openReader());
            final Summing handler = new Summing();
            return new Case((i) -> reader.poll(handler, 1), () -> handler.sum, 1);
        }),
        POLL_CONTROLLED((test, journal) ->
        {
            final JournalReader reader = test.closing(filled(journal).openReader());
            final long[] sum = new long[1];
            final RecordHandler.Controlled handler = (buffer, offset, length, header) ->
            {
                sum[0]++;
                return RecordHandler.Action.COMMIT;
            };
            return new Case((i) -> reader.controlledPoll(handler, 1), () -> sum[0], 1);
        }),
        POLL_BACKWARDS((test, journal) ->
        {
            final JournalReader reader = test.closing(filled(journal).openReader());
            final Summing handler = new Summing();
            reader.seekToEnd();
            return new Case((i) -> reader.pollBackwards(handler, 1), () -> handler.sum, 1);
        }),
        FOLLOW((test, journal) -> following(journal, test.closing(journal.openReader()))),
        FOLLOW_WITHOUT_THE_LOCK(
            (test, journal) -> following(journal, test.closing(Journal.openReadOnly(journal.path())).openReader())),
        LOOK_UP((test, journal) ->
        {
            final ReadOnlyJournal followed = test.closing(Journal.openReadOnly(filled(journal).path()));
            final Summing handler = new Summing();
            return new Case((i) ->
            {
                journal.get(1 + i * 7919 % COUNT, handler);
                journal.get(COUNT - i % 100, 3, handler);
                followed.get(1 + i * 7919 % COUNT, handler);
            }, () -> handler.sum, 5);
        }),
        READ_COUNTERS((test, journal) ->
        {
            final long[] sum = new long[1];
            final JournalCounters counters = filled(journal).counters();
            return new Case((i) -> sum[0] += counters.forcedSequence() + counters.appendedSequence() +
                counters.waiters() + (counters.isFailed() ? 1 : 0), () -> sum[0], 2L * (WARM_UP + COUNT));
        });

        final Preparation preparation;

        Operation(final Preparation preparation)
        {
            this.preparation = preparation;
        }
    }

    private static Journal filled(final Journal journal)
    {
        for (int i = 0; i < WARM_UP + COUNT; i++)
        {
            journal.appender().append(i, RECORD, 0, LENGTH);
        }
        journal.force();
        return journal;
    }

    private static Case following(final Journal journal, final JournalReader reader)
    {
        final JournalAppender appender = journal.appender();
        final Summing handler = new Summing();
        return new Case((i) ->
        {
            appender.append(i, RECORD, 0, LENGTH);
            reader.poll(handler, 10);
            // This poll finds no record.
            reader.poll(handler, 10);
        }, () -> handler.sum, 1);
    }

    @BeforeAll
    static void checkThatAllocationsAreCounted()
    {
        assumeTrue(
            THREADS.isThreadAllocatedMemorySupported() && THREADS.isThreadAllocatedMemoryEnabled(),
            "this JVM does not count allocations");
    }

    @EachBackend(and = Operation.class)
    void nothingIsAllocated(final Backend backend, final Operation operation)
    {
        final boolean isFollowing = Operation.FOLLOW_WITHOUT_THE_LOCK == operation;
        // The segment is large enough that nothing rolls: filling and preparing a segment allocates too.
        final Journal journal = closing(open(backend, 32 * 1024 * 1024, isFollowing ? 0 : 4096));
        final Case prepared = operation.preparation.prepare(this, journal);
        run(prepared.call, 0, WARM_UP);

        final long allocated = allocatedBy(prepared.call, WARM_UP, COUNT);

        assertTrue(allocated < COUNT, () -> "bytes=" + allocated + ", calls=" + COUNT);
        assertEquals(prepared.expected * (WARM_UP + COUNT), prepared.sum.getAsLong());
        assertTrue(journal.counters().appendedPosition() < journal.segmentLength());
    }

    private Journal open(final Backend backend, final int segmentLength, final int window)
    {
        final Journal journal = Journal.builder(directory()).backend(backend)
            .segmentLength(segmentLength).writeWindow(window).backgroundThread(false).open();
        runAgent(journal);
        return journal;
    }

    /** The limit is half of the smallest object for each record, which leaves room for what the JVM allocates once. */
    @EachBackend
    void appendingUnderEveryRecordAllocatesNothing(final Backend backend)
    {
        final Journal journal = closing(Journal.builder(directory()).backend(backend).writeWindow(0)
            .segmentLength(16 * 1024 * 1024).force(ForcePolicy.everyRecord()).backgroundThread(false).open());
        final JournalAppender appender = journal.sharedAppender();
        assertAllocatesLittle((i) -> appender.append(RECORD), 8);
        assertEquals(600, journal.forcedSequence());
    }

    @EachBackend
    void awaitingThatARecordIsForcedAllocatesNothing(final Backend backend)
    {
        final Journal journal = closing(open(backend, 16 * 1024 * 1024, 0));
        final JournalAppender appender = journal.appender();
        assertAllocatesLittle((i) -> journal.awaitForced(appender.append(RECORD)), 8);
        assertEquals(600, journal.forcedSequence());
    }

    private static void assertAllocatesLittle(final LongConsumer call, final int bytesEach)
    {
        final int count = 300;
        run(call, 0, count);
        final long allocated = allocatedBy(call, count, count);
        assertTrue(allocated < bytesEach * count, () -> "bytes=" + allocated + ", calls=" + count);
    }

    @EachBackend
    void rollingToAPreparedSegmentAllocatesLittle(final Backend backend)
    {
        final int batch = 5000;
        final int count = 30_000;
        final Journal journal = closing(open(backend, 512 * 1024, 0));
        final JournalAppender appender = journal.appender();
        long allocated = 0;
        for (int i = 0; i < WARM_UP + count; i += batch)
        {
            runAgent(journal);
            final long bytes = allocatedBy((number) -> appender.append(number, RECORD, 0, LENGTH), i, batch);
            allocated += i < WARM_UP ? 0 : bytes;
        }

        final long bytes = allocated;
        assertTrue(journal.counters().appendedPosition() > 5L * journal.segmentLength());
        assertTrue(bytes < count, () -> "bytes=" + bytes + ", records=" + count);
    }

    @Test
    void measurementNoticesAnAllocation()
    {
        assertTrue(allocatedBy((i) -> sink = new byte[1], 0, 1000) >= 16_000);
        assertEquals(1, sink.length);
    }

    private static long allocatedBy(final LongConsumer step, final int first, final int count)
    {
        final long id = Thread.currentThread().getId();
        THREADS.getThreadAllocatedBytes(id);
        final long before = THREADS.getThreadAllocatedBytes(id);
        run(step, first, count);

        return THREADS.getThreadAllocatedBytes(id) - before;
    }

    private static void run(final LongConsumer step, final int first, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            step.accept(first + i);
        }
    }
}
