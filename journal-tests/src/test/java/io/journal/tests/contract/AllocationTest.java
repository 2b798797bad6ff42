// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

import com.sun.management.ThreadMXBean;
import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
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

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@InMemory
class AllocationTest extends JournalFixture
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 5000;
    private static final int COUNT = 20_000;
    private static final int LENGTH = 64;

    private byte[] sink;

    @BeforeAll
    static void checkThatAllocationsAreCounted()
    {
        assumeTrue(
            THREADS.isThreadAllocatedMemorySupported() && THREADS.isThreadAllocatedMemoryEnabled(),
            "this JVM does not count allocations");
    }

    // The segments are large enough that none of these tests rolls: filling and preparing a segment allocates too.
    private Journal open(final Backend backend, final int writeWindow) throws Exception
    {
        final Journal journal = Journal.builder(temp.resolve("journal"))
            .backend(backend).writeWindow(0).segmentLength(16 * 1024 * 1024).writeWindow(writeWindow)
            .backgroundThread(false).open();
        // The background agent fills a new journal with zeros this far ahead of its end.
        assertTrue((WARM_UP + COUNT) * (24L + LENGTH + 8) < 4 * 1024 * 1024);
        runAgent(journal);

        return journal;
    }

    @EachBackend
    void appendingAnArrayAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final Journal journal = closing(open(backend, 0));
        final JournalAppender appender = journal.appender();
        assertAllocatesNothing((i) -> appender.append(i, record, 0, LENGTH));
    }

    @EachBackend
    void appendingAByteBufferAllocatesNothing(final Backend backend) throws Exception
    {
        final ByteBuffer heap = ByteBuffer.allocate(LENGTH);
        final ByteBuffer direct = ByteBuffer.allocateDirect(LENGTH);
        final Journal journal = closing(open(backend, 4096));
        final JournalAppender appender = journal.appender();
        assertAllocatesNothing((i) -> appender.append(0 == (i & 1) ? heap : direct));
    }

    @EachBackend
    void appendingADirectBufferAllocatesNothing(final Backend backend) throws Exception
    {
        final DirectBuffer heap = JournalAppender.wrap(new byte[LENGTH]);
        final DirectBuffer direct = JournalAppender.wrap(ByteBuffer.allocateDirect(LENGTH));
        final Journal journal = closing(open(backend, 0));
        final JournalAppender appender = journal.appender();
        assertAllocatesNothing((i) -> appender.append(i, 0 == (i & 1) ? heap : direct, 0, LENGTH));
    }

    @EachBackend
    void claimingAllocatesNothing(final Backend backend) throws Exception
    {
        final Journal journal = closing(open(backend, 64 * 1024));
        final JournalAppender appender = journal.appender();
        assertAllocatesNothing(
            (i) ->
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
    }

    @EachBackend
    void appendingByAnAppenderThatIsSharedAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final ByteBuffer heap = ByteBuffer.allocate(LENGTH);
        final DirectBuffer direct = JournalAppender.wrap(ByteBuffer.allocateDirect(LENGTH));
        final Journal journal = closing(open(backend, 4096));
        final JournalAppender appender = journal.sharedAppender();
        assertAllocatesNothing((i) ->
        {
            switch ((int)i & 3)
            {
                case 0 -> appender.append(i, record, 0, LENGTH);
                case 1 -> appender.append(i, heap);
                case 2 -> appender.append(i, direct, 0, LENGTH);
                default -> appender.appendIf(journal.lastSequence(), i, record);
            }
        });
        assertEquals(WARM_UP + COUNT, journal.lastSequence());
    }

    @EachBackend
    void fillingAndAppendingABatchAllocatesNothing(final Backend backend) throws Exception
    {
        final int count = 5;
        final byte[] record = new byte[16];
        final ByteBuffer heap = ByteBuffer.allocate(16);
        final DirectBuffer direct = JournalAppender.wrap(ByteBuffer.allocateDirect(16));
        final RecordBatch batch = new RecordBatch();
        final long[] sum = new long[1];
        final RecordHandler handler = (buffer, offset, length, header) -> sum[0] += header.tag();
        try (Journal journal = Journal.builder(temp.resolve("journal"))
            .backend(backend).writeWindow(0).segmentLength(32 * 1024 * 1024).backgroundThread(false).open();
            JournalReader reader = journal.openReader())
        {
            runAgent(journal);
            final JournalAppender appender = journal.appender();
            assertAllocatesNothing((i) ->
            {
                batch.clear();
                batch.add(1, record).add(2, heap).add(3, direct, 0, 16).add(4, record, 8, 8).add(record);
                if (0 == (i & 1))
                {
                    appender.append(batch);
                }
                else
                {
                    appender.appendIf(journal.lastSequence(), batch);
                }
                reader.poll(handler, count);
            });
            assertEquals((long)count * (WARM_UP + COUNT), journal.lastSequence());
            assertEquals(10L * (WARM_UP + COUNT), sum[0]);
            assertTrue(journal.counters().appendedPosition() < journal.segmentLength());
        }
    }

    @EachBackend
    void appendingWhereAnotherRecordIsExpectedAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final Journal journal = closing(open(backend, 0));
        final JournalAppender appender = journal.sharedAppender();
        appender.append(record);
        assertAllocatesNothing((i) -> appender.appendIf(i + 2, i, record));
        assertEquals(1, journal.lastSequence());
    }

    @EachBackend
    void appendingUnderEveryRecordAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final Journal journal = closing(Journal.builder(temp.resolve("journal")).backend(backend).writeWindow(0)
            .segmentLength(16 * 1024 * 1024).force(ForcePolicy.everyRecord()).backgroundThread(false).open());
        final JournalAppender appender = journal.sharedAppender();
        final LongConsumer step = (i) -> appender.append(record);
        run(step, 0, 300);

        final int count = 300;
        final long allocated = allocatedBy(step, 300, count);

        // The limit is half of the smallest object for each record, which leaves room for what the JVM allocates once.
        assertTrue(allocated < 8 * count, () -> "bytes=" + allocated + ", records=" + count);
        assertEquals(600, journal.forcedSequence());
    }

    @EachBackend
    void pollingAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final long[] sum = new long[1];
        final Journal journal = closing(open(backend, 64 * 1024));
        final JournalReader reader = closing(journal.openReader());
        final JournalAppender appender = journal.appender();
        for (int i = 0; i < WARM_UP + COUNT; i++)
        {
            appender.append(i, record, 0, LENGTH);
        }
        journal.force();

        final RecordHandler handler =
            (buffer, offset, length, header) -> sum[0] += header.tag() + buffer.getLong(offset);
        assertAllocatesNothing((i) -> reader.poll(handler, 1));

        final long last = WARM_UP + COUNT - 1;
        assertEquals(last * (last + 1) / 2, sum[0]);
    }

    @EachBackend
    void controlledPollingAndPollingBackwardsAllocateNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final long[] sum = new long[1];
        final Journal journal = closing(open(backend, 64 * 1024));
        final JournalReader reader = closing(journal.openReader());
        final JournalAppender appender = journal.appender();
        for (int i = 0; i < WARM_UP + COUNT; i++)
        {
            appender.append(i, record, 0, LENGTH);
        }
        journal.force();

        final RecordHandler.Controlled forwards = (buffer, offset, length, header) ->
        {
            sum[0] += header.tag();
            return RecordHandler.Action.COMMIT;
        };
        assertAllocatesNothing((i) -> reader.controlledPoll(forwards, 1));
        final RecordHandler backwards = (buffer, offset, length, header) -> sum[0] -= header.tag();
        assertAllocatesNothing((i) -> reader.pollBackwards(backwards, 1));

        assertEquals(0, sum[0]);
        assertEquals(1, reader.nextSequence());
    }

    @EachBackend
    void followingRecordByRecordAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final long[] sum = new long[1];
        final Journal journal = closing(open(backend, 0));
        final JournalReader reader = closing(journal.openReader());
        final JournalAppender appender = journal.appender();
        final RecordHandler handler = (buffer, offset, length, header) -> sum[0] += header.sequence();
        assertAllocatesNothing(
            (i) ->
            {
                appender.append(i, record, 0, LENGTH);
                reader.poll(handler, 10);
            });

        final long last = WARM_UP + COUNT;
        assertEquals(last * (last + 1) / 2, sum[0]);
    }

    @EachBackend
    void followingWithoutTheLockAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final long[] sum = new long[1];
        try (Journal journal = open(backend, 0);
            ReadOnlyJournal followed = Journal.openReadOnly(journal.path());
            JournalReader reader = followed.openReader())
        {
            final JournalAppender appender = journal.appender();
            final RecordHandler handler = (buffer, offset, length, header) -> sum[0] += header.sequence();
            assertAllocatesNothing(
                (i) ->
                {
                    appender.append(i, record, 0, LENGTH);
                    reader.poll(handler, 10);
                    // This poll finds no record.
                    reader.poll(handler, 10);
                });

            final long last = WARM_UP + COUNT;
            assertEquals(last * (last + 1) / 2, sum[0]);
        }
    }

    @EachBackend
    void lookingUpRecordsAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final long[] sum = new long[1];
        final int count = 25_000;
        try (Journal journal = Journal.builder(directory()).backend(backend).writeWindow(0)
            .segmentLength(512 * 1024).backgroundThread(false).open();
            ReadOnlyJournal followed = Journal.openReadOnly(journal.path()))
        {
            final JournalAppender appender = journal.appender();
            for (int i = 0; i < count; i++)
            {
                appender.append(i, record, 0, LENGTH);
            }
            assertTrue(journal.counters().appendedPosition() > 4L * journal.segmentLength());

            final RecordHandler handler =
                (buffer, offset, length, header) -> sum[0] += header.sequence() + buffer.getLong(offset);
            assertAllocatesNothing((i) ->
            {
                journal.get(1 + i * 7919 % count, handler);
                journal.get(count - i % 100, 3, handler);
                followed.get(1 + i * 7919 % count, handler);
            });
            assertTrue(sum[0] > 0);
        }
    }

    @EachBackend
    void rollingToAPreparedSegmentAllocatesLittle(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final int batch = 5000;
        final int count = 50_000;
        final Journal journal = closing(Journal.builder(temp.resolve("journal"))
            .backend(backend).writeWindow(0).segmentLength(512 * 1024).backgroundThread(false).open());
        final JournalAppender appender = journal.appender();
        final LongConsumer step = (i) -> appender.append(i, record, 0, LENGTH);
        long allocated = 0;
        for (int i = 0; i < WARM_UP + count; i += batch)
        {
            runAgent(journal);
            final long bytes = allocatedBy(step, i, batch);
            allocated += i < WARM_UP ? 0 : bytes;
        }

        final long bytes = allocated;
        assertTrue(journal.counters().appendedPosition() > 9L * journal.segmentLength());
        assertTrue(bytes < count, () -> "bytes=" + bytes + ", records=" + count);
    }

    @EachBackend
    void awaitingThatARecordIsForcedAllocatesNothing(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final Journal journal = closing(open(backend, 0));
        final JournalAppender appender = journal.appender();
        final LongConsumer step = (i) -> journal.awaitForced(appender.append(record));
        run(step, 0, 300);

        final int count = 2000;
        final long allocated = allocatedBy(step, 300, count);

        assertTrue(allocated < count, () -> "bytes=" + allocated + ", records=" + count);
        assertEquals(2300, journal.forcedSequence());
    }

    @EachBackend
    void measurementNoticesAnAllocation(final Backend backend) throws Exception
    {
        final byte[] record = new byte[LENGTH];
        final Journal journal = closing(open(backend, 0));
        final JournalAppender appender = journal.appender();
        final LongConsumer step = (i) ->
        {
            sink = new byte[1];
            appender.append(record);
        };
        assertTrue(allocatedBy(step, 0, 1000) >= 16_000);
        assertEquals(1, sink.length);
    }

    private static void assertAllocatesNothing(final LongConsumer step)
    {
        run(step, 0, WARM_UP);
        final long allocated = allocatedBy(step, WARM_UP, COUNT);
        assertTrue(allocated < COUNT, () -> "bytes=" + allocated + ", records=" + COUNT);
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
