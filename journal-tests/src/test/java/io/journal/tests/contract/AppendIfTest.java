// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.RecordBatch;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Conditional appends: only if no other record was appended since the caller read the last sequence. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InMemory
class AppendIfTest extends JournalFixture
{
    private static final long MISMATCH = JournalAppender.MISMATCH;

    private static RecordBatch batch(final long first, final int count)
    {
        final RecordBatch batch = new RecordBatch();
        for (long sequence = first; sequence < first + count; sequence++)
        {
            batch.add(-sequence, record(sequence, 20));
        }

        return batch;
    }

    @EachBackend
    void nothingIsWrittenWhereAnotherRecordIsExpected(final Backend backend) throws IOException
    {
        try (Journal journal = repeatable(backend).open())
        {
            final JournalAppender appender = journal.appender();
            appender.append(batch(1, 5));
            final Map<String, String> before = pictureOfContent(directory());

            final byte[] bytes = record(6, 10);
            for (final long expected : new long[]{ 0, 1, 4, 6, 7, MISMATCH, -3, Long.MIN_VALUE, Long.MAX_VALUE })
            {
                assertEquals(MISMATCH, appender.appendIf(expected, 0, bytes));
                assertEquals(MISMATCH, appender.appendIf(expected, 0, bytes, 0, 10));
                assertEquals(MISMATCH, appender.appendIf(expected, 0, ByteBuffer.wrap(bytes), 0, 10));
                assertEquals(MISMATCH, appender.appendIf(expected, 0, JournalAppender.wrap(bytes), 0, 10));
                assertEquals(MISMATCH, appender.appendIf(expected, batch(6, 3)));
            }

            assertSamePicture(before, pictureOfContent(directory()), "after mismatches");
            assertEquals(6, appender.appendIf(5, -6, bytes));
        }
        assertNumbered(1, 6, readAll(directory(), backend));
    }

    @EachBackend
    void closedJournalThrowsRegardlessOfExpectation(final Backend backend)
    {
        final Journal journal = repeatable(backend).open();
        final JournalAppender appender = journal.appender();
        journal.close();
        for (final long expected : new long[]{ 0, 1, JournalAppender.ANY })
        {
            assertClosed(() -> appender.appendIf(expected, 0, new byte[5]));
            assertClosed(() -> appender.appendIf(expected, batch(1, 2)));
        }
    }

    @EachBackend
    void ofTwoThreadsWithTheSameExpectationExactlyOneAppends(final Backend backend)
    {
        final int rounds = 500;
        final int threads = 2;
        final AtomicIntegerArray winners = new AtomicIntegerArray(rounds);
        final CyclicBarrier start = new CyclicBarrier(threads);
        final List<Background> all = new ArrayList<>();
        final Journal journal = closing(repeatable(backend).open());
        final JournalAppender appender = journal.sharedAppender();
        for (int i = 0; i < threads; i++)
        {
            final boolean isBatching = 1 == i;
            all.add(Background.start("appending-" + i, () ->
            {
                for (int round = 0; round < rounds; round++)
                {
                    start.await();
                    final long last = journal.lastSequence();
                    // Both threads append only once both have read the last sequence.
                    start.await();
                    final long sequence = isBatching ?
                        appender.appendIf(last, batch(last + 1, 2)) :
                        appender.appendIf(last, -last - 1, record(last + 1, 20));
                    if (MISMATCH != sequence)
                    {
                        assertEquals(last + (isBatching ? 2 : 1), sequence);
                        winners.incrementAndGet(round);
                    }
                }
            }));
        }
        all.forEach(Background::join);

        for (int round = 0; round < rounds; round++)
        {
            assertEquals(1, winners.get(round), "round=" + round);
        }
        assertNumbered(1, journal.lastSequence(), readAll(journal));
    }
}
