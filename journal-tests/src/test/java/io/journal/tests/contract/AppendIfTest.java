// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;

import io.journal.JournalAppender;
import io.journal.Journal;
import io.journal.RecordBatch;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.InMemory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Conditional appends: only if no other record was appended since the caller read the last sequence. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InMemory
class AppendIfTest extends JournalFixture
{
    private static final long MISMATCH = JournalAppender.MISMATCH;

    static Stream<Arguments> backendsAndAppenders()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Stream.of(Arguments.of(backend, false), Arguments.of(backend, true)));
    }

    private static JournalAppender appender(final Journal journal, final boolean isShared)
    {
        return isShared ? journal.sharedAppender() : journal.appender();
    }

    private static RecordBatch batch(final long first, final int count)
    {
        final RecordBatch batch = new RecordBatch();
        for (long sequence = first; sequence < first + count; sequence++)
        {
            batch.add(-sequence, record(sequence, 20));
        }

        return batch;
    }

    @ParameterizedTest
    @MethodSource("backendsAndAppenders")
    void recordIsAppendedWhereItIsExpected(final Backend backend, final boolean isShared)
    {
        try (Journal journal = repeatable(backend).open())
        {
            final JournalAppender appender = appender(journal, isShared);
            assertEquals(1, appender.appendIf(0, -1, record(1, 10)));
            assertEquals(2, appender.appendIf(1, -2, record(2, 10), 0, 10));
            assertEquals(3, appender.appendIf(2, -3, ByteBuffer.wrap(record(3, 10)), 0, 10));
            assertEquals(4, appender.appendIf(3, -4, JournalAppender.wrap(record(4, 10)), 0, 10));
            assertEquals(7, appender.appendIf(4, batch(5, 3)));
            assertEquals(8, appender.appendIf(7, batch(8, 1)));
            assertEquals(9, appender.appendIf(8, -9, record(9, 0)));
            assertEquals(10, appender.appendIf(JournalAppender.ANY, -10, record(10, 9), 0, 9));
            assertEquals(12, appender.appendIf(JournalAppender.ANY, batch(11, 2)));
            assertNumbered(1, 12, readAll(journal));
        }
        assertNumbered(1, 12, readAll(directory(), backend));
    }

    @ParameterizedTest
    @MethodSource("backendsAndAppenders")
    void nothingIsWrittenWhereAnotherRecordIsExpected(final Backend backend, final boolean isShared)
        throws IOException
    {
        try (Journal journal = repeatable(backend).open())
        {
            final JournalAppender appender = appender(journal, isShared);
            appender.append(batch(1, 5));
            final long end = journal.counters().appendedPosition();
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

            assertEquals(end, journal.counters().appendedPosition());
            assertEquals(5, journal.lastSequence());
            assertSamePicture(before, pictureOfContent(directory()), "after mismatches");
            assertEquals(6, appender.appendIf(5, -6, bytes));
        }
        assertNumbered(1, 6, readAll(directory(), backend));
    }

    @ParameterizedTest
    @MethodSource("backendsAndAppenders")
    void expectationHoldsAcrossReopening(final Backend backend, final boolean isShared)
    {
        for (long life = 0; life < 4; life++)
        {
            try (Journal journal = repeatable(directory(), backend, life).open())
            {
                final JournalAppender appender = appender(journal, isShared);
                assertEquals(MISMATCH, appender.appendIf(2 * life - 1, 0, new byte[3]));
                assertEquals(2 * life + 1, appender.appendIf(journal.lastSequence(), 0, new byte[3]));
                assertEquals(2 * life + 2, appender.appendIf(2 * life + 1, 0, new byte[3]));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndAppenders")
    void invalidArgumentsAndClosedJournalThrowRegardlessOfExpectation(final Backend backend, final boolean isShared)
    {
        final Journal journal = repeatable(backend).open();
        final JournalAppender appender = appender(journal, isShared);
        final byte[] tooLong = new byte[appender.maxRecordLength() + 1];
        for (final long expected : new long[]{ 0, 1, JournalAppender.ANY })
        {
            assertThrows(IllegalArgumentException.class, () -> appender.appendIf(expected, 0, tooLong));
            assertThrows(IllegalArgumentException.class, () -> appender.appendIf(expected, 0, new byte[5], 3, 3));
            assertThrows(IllegalArgumentException.class, () -> appender.appendIf(expected, new RecordBatch()));
        }
        assertEquals(0, journal.lastSequence());

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

    @EachBackend
    void conditionalAppendsFollowTheSequenceTheirThreadRead(final Backend backend)
    {
        final int threads = 4;
        final int count = 300;
        final List<Background> all = new ArrayList<>();
        final Journal journal = closing(repeatable(backend).open());
        final JournalAppender appender = journal.sharedAppender();
        for (int i = 0; i < threads; i++)
        {
            all.add(Background.start("counting-" + i, () ->
            {
                for (int k = 0; k < count; k++)
                {
                    long expected;
                    do
                    {
                        expected = journal.lastSequence();
                    }
                    while (MISMATCH == appender.appendIf(expected, expected, record(k, 30)));
                }
            }));
        }
        all.forEach(Background::join);

        final List<Entry> entries = readAll(journal);
        assertEquals(threads * count, entries.size());
        entries.forEach((entry) -> assertEquals(entry.sequence() - 1, entry.tag()));
    }
}
