// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalContractTest extends JournalFixture
{
    // Appending.
    @EachBackend
    void newJournalIsEmpty(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        assertTrue(journal.recoveryReport().isNew());
        assertEquals(1, journal.firstSequence());
        assertEquals(0, journal.lastSequence());
        assertEquals(0, journal.writtenSequence());
        assertEquals(0, journal.forcedSequence());
        assertEquals(SEGMENT_LENGTH, journal.segmentLength());
        assertEquals(directory(), journal.path());
        assertFalse(journal.isClosed());
        assertEquals(List.of(), readAll(journal));
        assertSame(journal.appender(), journal.appender());
    }

    @EachBackend
    void recordsOfEveryKindOfMemoryAreReadAsTheyWere(final Backend backend)
    {
        final byte[] bytes = record(7, 300);
        final byte[] part = Arrays.copyOfRange(bytes, 13, 13 + 101);
        final ByteBuffer direct = ByteBuffer.allocateDirect(300).put(bytes).clear();
        final List<Entry> expected = new ArrayList<>();

        try (Journal journal = open(backend))
        {
            final JournalAppender appender = journal.appender();
            expected.add(new Entry(appender.append(bytes), 0, bytes));
            expected.add(new Entry(appender.append(bytes, 13, 101), 0, part));
            expected.add(new Entry(appender.append(-3, bytes, 13, 101), -3, part));
            expected.add(new Entry(appender.append(4, bytes), 4, bytes));
            for (final ByteBuffer buffer : List.of(
                ByteBuffer.wrap(bytes),
                ByteBuffer.wrap(bytes).asReadOnlyBuffer(),
                direct,
                direct.asReadOnlyBuffer(),
                direct.duplicate().order(ByteOrder.LITTLE_ENDIAN)))
            {
                expected.add(new Entry(appender.append(buffer), 0, bytes));
                expected.add(new Entry(appender.append(buffer.duplicate().limit(114).position(13)), 0, part));
                expected.add(new Entry(appender.append(buffer.slice(13, 101)), 0, part));
                expected.add(new Entry(appender.append(5, buffer, 13, 101), 5, part));
                expected.add(new Entry(appender.append(6, buffer.duplicate().limit(114).position(13)), 6, part));
            }
            for (final DirectBuffer buffer : List.of(
                JournalAppender.wrap(bytes), JournalAppender.wrap(direct),
                JournalAppender.wrap(direct.asReadOnlyBuffer())))
            {
                expected.add(new Entry(appender.append(buffer, 0, 300), 0, bytes));
                expected.add(new Entry(appender.append(buffer, 13, 101), 0, part));
                expected.add(new Entry(appender.append(Long.MIN_VALUE, buffer, 13, 101), Long.MIN_VALUE, part));
            }

            assertEquals(expected, readAll(journal));
        }
        assertEquals(expected, readAll(directory(), backend));
        for (int i = 0; i < expected.size(); i++)
        {
            assertEquals(i + 1, expected.get(i).sequence());
        }
    }

    @EachBackend
    void appendedBufferKeepsItsPositionAndLimit(final Backend backend)
    {
        final ByteBuffer heap = ByteBuffer.wrap(record(1, 100)).limit(90).position(17);
        final ByteBuffer direct = ByteBuffer.allocateDirect(100).limit(90).position(17);
        final Journal journal = closing(open(backend));
        for (final ByteBuffer buffer : List.of(heap, direct, heap.asReadOnlyBuffer()))
        {
            journal.appender().append(buffer);
            journal.appender().append(1, buffer, 3, 80);
            journal.appender().append(1, buffer);

            assertEquals(17, buffer.position());
            assertEquals(90, buffer.limit());
        }
    }

    @EachBackend
    void callersMemoryIsNotChangedAndMayBeReused(final Backend backend)
    {
        final byte[] reused = new byte[64];
        final Journal journal = closing(open(backend));
        for (int i = 1; i <= 50; i++)
        {
            final byte[] bytes = record(i, 64);
            System.arraycopy(bytes, 0, reused, 0, 64);
            journal.appender().append(-i, reused, 0, 64);
            assertArrayEquals(bytes, reused);
        }

        assertNumbered(1, 50, readAll(journal));
    }

    @EachBackendAndWindow
    void largestRecordFillsASegment(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            assertEquals(LARGEST_RECORD, journal.appender().maxRecordLength());
            appendNumbered(journal, 1, 10);
            appendNumbered(journal, 3, LARGEST_RECORD);
            appendNumbered(journal, 1, 10);

            assertNumbered(1, 5, readAll(journal));
            assertEquals(4, journal.counters().appendedPosition() / SEGMENT_LENGTH);
        }
        assertNumbered(1, 5, readAll(directory(), backend));
    }

    @EachBackend
    void largestRecordCanBeSetLower(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).maxRecordLength(100).open());
        assertEquals(100, journal.appender().maxRecordLength());
        appendNumbered(journal, 1, 100);
        assertThrows(IllegalArgumentException.class, () -> journal.appender().append(new byte[101]));
        assertThrows(IllegalArgumentException.class, () -> journal.appender().claim(101));
        assertNumbered(1, 1, readAll(journal));
    }

    @EachBackend
    void tagsAreStoredUnchanged(final Backend backend)
    {
        final List<Long> tags =
            List.of(0L, 1L, 2L, 3L, 4L, -1L, 1L << 62, 4 | 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE);
        try (Journal journal = open(backend))
        {
            for (final long tag : tags)
            {
                journal.appender().append(tag, new byte[16], 0, 16);
                try (RecordClaim claim = journal.appender().claim(tag, 8))
                {
                    claim.commit();
                }
            }
        }
        assertEquals(
            tags.stream().flatMap((tag) -> Stream.of(tag, tag)).toList(),
            readAll(directory(), backend).stream().map(Entry::tag).toList());
    }

    // Claims.

    @EachBackend
    void committedClaimIsARecord(final Backend backend)
    {
        final byte[] bytes = record(1, 33);
        final Journal journal = closing(open(backend));
        try (RecordClaim claim = journal.appender().claim(33))
        {
            assertEquals(33, claim.length());
            assertEquals(33, claim.buffer().capacity());
            assertEquals(0, journal.lastSequence());
            claim.buffer().putBytes(0, bytes);
            assertEquals(1, claim.tag(42).commit());
        }

        assertEquals(1, journal.lastSequence());
        assertEquals(List.of(new Entry(1, 42, bytes)), readAll(journal));
    }

    @EachBackend
    void closedClaimLeavesNeitherBytesNorItsTag(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 1, 20);
            final long end = journal.counters().appendedPosition();
            for (final int length : new int[]{ 0, 1, 8, 5000, 33 })
            {
                try (RecordClaim claim = journal.appender().claim(length))
                {
                    claim.buffer().setMemory(0, length, (byte)0xFF);
                    claim.tag(77);
                }
                assertEquals(1, journal.lastSequence());
            }
            assertTrue(journal.counters().appendedPosition() - end <= MARK_LENGTH);
            try (RecordClaim claim = journal.appender().claim(8))
            {
                claim.commit();
            }
        }
        final List<Entry> entries = readAll(directory(), backend);
        assertNumbered(1, entries.remove(0));
        assertEquals(List.of(new Entry(2, 0, new byte[8])), entries);
    }

    @EachBackend
    void claimIsCommittedOnceAndClosedOften(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        for (final boolean isCommitted : new boolean[]{ true, false })
        {
            final RecordClaim claim = journal.appender().claim(8);
            if (isCommitted)
            {
                claim.commit();
                assertThrows(IllegalStateException.class, claim::commit);
            }
            claim.close();
            claim.close();
            assertThrows(IllegalStateException.class, claim::commit);
            assertEquals(List.of(new Entry(1, 0, new byte[8])), readAll(journal));
        }
    }

    @EachBackend
    void claimWhoseBufferIsWrappedAroundOtherMemoryIsNotAppended(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            for (final int length : new int[]{ 8, 3, 5000 })
            {
                final RecordClaim claim = journal.appender().claim(8);
                claim.buffer().setMemory(0, 8, (byte)0xFF);
                claim.buffer().wrap(new byte[length]);
                assertEquals(8, claim.length());
                assertThrows(IllegalStateException.class, claim::commit);
                claim.close();
            }
            appendNumbered(journal, 1, 8);
        }
        assertNumbered(1, 1, readAll(directory(), backend));
    }

    @EachBackend
    void nothingElseIsAppendedRolledOrTruncatedWhileAClaimIsOpen(final Backend backend)
    {
        final byte[] bytes = record(1, 24);
        final Journal journal = closing(open(backend));
        final JournalAppender appender = journal.appender();
        final List<Executable> calls = List.of(
            () -> appender.append(new byte[1]),
            () -> appender.append(ByteBuffer.allocate(1)),
            () -> appender.append(JournalAppender.wrap(new byte[1]), 0, 1),
            () -> appender.append(new RecordBatch().add(new byte[1])),
            () -> appender.claim(1),
            journal::roll,
            () -> journal.truncateAfter(0));
        try (RecordClaim claim = appender.claim(24))
        {
            claim.buffer().putBytes(0, bytes);
            assertRefused("a claim is open: commit or close it first", calls);
            Background.start("other", () -> assertRefused(
                "another thread holds an open claim: thread=", calls)).join();
            assertEquals(0, journal.lastSequence());
            assertArrayEquals(bytes, bytes(claim.buffer(), 0, 24));
            assertEquals(1, claim.commit());
        }
        assertEquals(2, appender.append(bytes));
        assertEquals(List.of(new Entry(1, 0, bytes), new Entry(2, 0, bytes)), readAll(journal));
    }

    private static void assertRefused(final String reason, final List<Executable> calls)
    {
        for (final Executable call : calls)
        {
            final String message = assertThrows(IllegalStateException.class, call).getMessage();
            assertTrue(message.startsWith(reason), () -> "call " + calls.indexOf(call) + ": " + message);
        }
    }

    @EachBackend
    void claimedMemoryIsZeroAtFirst(final Backend backend)
    {
        final Random random = new Random(11);
        final Journal journal = closing(builder(directory(), backend).writeWindow(1001).open());
        for (int i = 0; i < 1000; i++)
        {
            final int length = random.nextInt(400);
            try (RecordClaim claim = journal.appender().claim(length))
            {
                assertArrayEquals(new byte[length], bytes(claim.buffer(), 0, length));
                claim.buffer().setMemory(0, length, (byte)0xFF);
                if (random.nextBoolean())
                {
                    claim.commit();
                }
            }
        }
    }

    @EachBackend
    void claimedMemoryIsRevokedAfterwards(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        for (final boolean isCommitted : new boolean[]{ true, false })
        {
            final RecordClaim claim = journal.appender().claim(16);
            final MutableDirectBuffer buffer = claim.buffer();
            buffer.putLong(8, 5);
            if (isCommitted)
            {
                claim.commit();
            }
            claim.close();

            assertEquals(0, buffer.capacity());
            assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(0, (byte)1));
            assertThrows(IndexOutOfBoundsException.class, () -> buffer.getLong(0));
        }
    }

    @EachBackend
    void claimCannotReachItsNeighbours(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final RecordClaim claim = closing(journal.appender().claim(20));
        final MutableDirectBuffer buffer = claim.buffer();
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(20, (byte)1));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(-1, (byte)1));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putLong(13, 1));
        claim.commit();
    }

    @EachBackend
    void appendedBufferThatThrowsLeavesNothing(final Backend backend)
    {
        final DirectBuffer throwing = (DirectBuffer)Proxy.newProxyInstance(
            DirectBuffer.class.getClassLoader(),
            new Class<?>[]{ DirectBuffer.class },
            (proxy, method, arguments) ->
            {
                if ("capacity".equals(method.getName()))
                {
                    return 128;
                }
                // Fails only after it has written into the place of the record.
                ((ByteBuffer)arguments[1]).putLong((int)arguments[2] + 64, -1);
                throw new UnsupportedOperationException("no bytes");
            });

        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 1, 20);
            assertThrows(
                UnsupportedOperationException.class, () -> journal.appender().append(throwing, 0, 128));
            assertNumbered(1, 1, readAll(journal));
            appendNumbered(journal, 1, 20);
        }
        assertNumbered(1, 2, readAll(directory(), backend));
    }
}
