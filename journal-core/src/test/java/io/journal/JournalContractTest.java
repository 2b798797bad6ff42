package io.journal;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.journal.JournalFixture.Background;
import io.journal.JournalFixture.Entry;
import io.journal.JournalFixture.TestClock;
import io.journal.store.Backend;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.journal.JournalFixture.LARGEST_RECORD;
import static io.journal.JournalFixture.SEGMENT_LENGTH;
import static io.journal.JournalFixture.appendNumbered;
import static io.journal.JournalFixture.assertNumbered;
import static io.journal.JournalFixture.builder;
import static io.journal.JournalFixture.into;
import static io.journal.JournalFixture.poll;
import static io.journal.JournalFixture.readAll;
import static io.journal.JournalFixture.record;
import static io.journal.JournalFixture.repeatable;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalContractTest
{
    @TempDir
    private Path parent;

    private Path directory()
    {
        return parent.resolve("journal");
    }

    private Journal open(final Backend backend)
    {
        return JournalFixture.open(directory(), backend);
    }

    private Journal reopen(final Backend backend)
    {
        return Journal.builder(directory()).backend(backend).open();
    }

    static Stream<Arguments> backendsAndWindows()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Stream.of(0, 4096, 64 * 1024).map((window) -> Arguments.of(backend, window)));
    }

    // Appending.

    @ParameterizedTest
    @EnumSource(Backend.class)
    void newJournalIsEmpty(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            assertTrue(journal.recoveryReport().isNew());
            assertEquals(1, journal.firstSequence());
            assertEquals(0, journal.lastSequence());
            assertEquals(0, journal.writtenSequence());
            assertEquals(0, journal.forcedSequence());
            assertEquals(SEGMENT_LENGTH, journal.segmentLength());
            assertFalse(journal.isClosed());
            assertEquals(List.of(), readAll(journal));
            assertSame(journal.appender(), journal.appender());
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
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
            }
            for (final DirectBuffer buffer : List.of(
                Buffers.wrap(bytes), Buffers.wrap(direct), Buffers.wrap(direct.asReadOnlyBuffer())))
            {
                expected.add(new Entry(appender.append(buffer, 0, 300), 0, bytes));
                expected.add(new Entry(appender.append(buffer, 13, 101), 0, part));
                expected.add(new Entry(appender.append(Long.MIN_VALUE, buffer, 13, 101), Long.MIN_VALUE, part));
            }

            assertEquals(expected, readAll(journal));
        }
        assertEquals(expected, JournalFixture.readAll(directory(), backend));
        for (int i = 0; i < expected.size(); i++)
        {
            assertEquals(i + 1, expected.get(i).sequence());
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void appendedBufferKeepsItsPositionAndLimit(final Backend backend)
    {
        final ByteBuffer heap = ByteBuffer.wrap(record(1, 100)).limit(90).position(17);
        final ByteBuffer direct = ByteBuffer.allocateDirect(100).limit(90).position(17);
        try (Journal journal = open(backend))
        {
            for (final ByteBuffer buffer : List.of(heap, direct, heap.asReadOnlyBuffer()))
            {
                journal.appender().append(buffer);
                journal.appender().append(1, buffer, 3, 80);

                assertEquals(17, buffer.position());
                assertEquals(90, buffer.limit());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void callersMemoryIsNotChangedAndMayBeReused(final Backend backend)
    {
        final byte[] reused = new byte[64];
        try (Journal journal = open(backend))
        {
            for (int i = 1; i <= 50; i++)
            {
                final byte[] bytes = record(i, 64);
                System.arraycopy(bytes, 0, reused, 0, 64);
                journal.appender().append(-i, reused, 0, 64);
                assertArrayEquals(bytes, reused);
            }

            assertNumbered(1, 50, readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void emptyRecordsAreRecords(final Backend backend)
    {
        final byte[] empty = new byte[0];
        final List<Entry> expected = List.of(
            new Entry(1, 0, empty), new Entry(2, 9, empty), new Entry(3, 0, empty), new Entry(4, 8, empty),
            new Entry(5, 0, empty));
        try (Journal journal = open(backend))
        {
            final JournalAppender appender = journal.appender();
            appender.append(empty);
            appender.append(9, new byte[3], 3, 0);
            appender.append(ByteBuffer.allocate(0));
            try (RecordClaim claim = appender.claim(0))
            {
                assertEquals(0, claim.length());
                claim.tag(8).commit();
            }
            appender.append(Buffers.wrap(empty), 0, 0);

            assertEquals(expected, readAll(journal));
        }
        assertEquals(expected, JournalFixture.readAll(directory(), backend));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void recordsOfEveryShortLengthAreReadAsTheyWere(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            for (int length = 0; length <= 300; length++)
            {
                appendNumbered(journal, 1, length);
            }
        }

        final List<Entry> entries = JournalFixture.readAll(directory(), backend);
        assertNumbered(1, 301, entries);
        for (int length = 0; length <= 300; length++)
        {
            assertEquals(length, entries.get(length).bytes().length);
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void largestRecordFillsASegment(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            assertEquals(LARGEST_RECORD, journal.appender().maxRecordLength());
            appendNumbered(journal, 1, 10);
            appendNumbered(journal, 3, LARGEST_RECORD);
            appendNumbered(journal, 1, 10);

            assertNumbered(1, 5, readAll(journal));
            assertEquals(4, journal.endPosition() / SEGMENT_LENGTH);
        }
        assertNumbered(1, 5, JournalFixture.readAll(directory(), backend));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void largestRecordCanBeSetLower(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).maxRecordLength(100).open())
        {
            assertEquals(100, journal.appender().maxRecordLength());
            appendNumbered(journal, 1, 100);
            assertThrows(IllegalArgumentException.class, () -> journal.appender().append(new byte[101]));
            assertThrows(IllegalArgumentException.class, () -> journal.appender().claim(101));
            assertNumbered(1, 1, readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void everyTagIsTheUsersOwn(final Backend backend)
    {
        final long[] tags = { 0, 1, 2, 3, 4, -1, 1L << 62, 4 | 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE };
        try (Journal journal = open(backend))
        {
            for (final long tag : tags)
            {
                journal.appender().append(tag, new byte[16], 0, 16);
                try (RecordClaim claim = journal.appender().claim(8))
                {
                    claim.tag(tag).commit();
                }
            }
        }

        final List<Entry> entries = JournalFixture.readAll(directory(), backend);
        assertEquals(2 * tags.length, entries.size());
        for (int i = 0; i < entries.size(); i++)
        {
            assertEquals(tags[i / 2], entries.get(i).tag());
        }
    }

    // Claims.

    @ParameterizedTest
    @EnumSource(Backend.class)
    void committedClaimIsARecord(final Backend backend)
    {
        final byte[] bytes = record(1, 33);
        try (Journal journal = open(backend))
        {
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
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void closedClaimLeavesNothing(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 1, 20);
            final long end = journal.endPosition();
            for (final int length : new int[]{ 0, 1, 8, 5000, 33 })
            {
                try (RecordClaim claim = journal.appender().claim(length))
                {
                    claim.buffer().setMemory(0, length, (byte)0xFF);
                    claim.tag(77);
                }
                assertEquals(1, journal.lastSequence());
            }
            assertTrue(journal.endPosition() - end <= JournalFixture.MARK_LENGTH);
            assertNumbered(1, 1, readAll(journal));

            appendNumbered(journal, 2, 3);
            assertNumbered(1, 3, readAll(journal));
        }

        try (Journal journal = reopen(backend))
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            assertNumbered(1, 3, readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void tagOfAClaimIsForgottenByTheNext(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            try (RecordClaim claim = journal.appender().claim(8))
            {
                claim.tag(77);
            }
            try (RecordClaim claim = journal.appender().claim(8))
            {
                claim.commit();
            }

            assertEquals(List.of(new Entry(1, 0, new byte[8])), readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void claimIsCommittedOnceAndClosedOften(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            final RecordClaim committed = journal.appender().claim(8);
            committed.commit();
            assertThrows(IllegalStateException.class, committed::commit);
            committed.close();
            committed.close();
            assertThrows(IllegalStateException.class, committed::commit);
            assertEquals(1, journal.lastSequence());

            final RecordClaim closed = journal.appender().claim(8);
            closed.close();
            closed.close();
            assertThrows(IllegalStateException.class, closed::commit);
            assertEquals(1, journal.lastSequence());

            assertEquals(List.of(new Entry(1, 0, new byte[8])), readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void nothingElseIsAppendedWhileAClaimIsOpen(final Backend backend)
    {
        final byte[] bytes = record(1, 24);
        try (Journal journal = open(backend))
        {
            final JournalAppender appender = journal.appender();
            try (RecordClaim claim = appender.claim(24))
            {
                claim.buffer().putBytes(0, bytes);
                assertThrows(IllegalStateException.class, () -> appender.append(new byte[1]));
                assertThrows(IllegalStateException.class, () -> appender.append(ByteBuffer.allocate(1)));
                assertThrows(
                    IllegalStateException.class, () -> appender.append(Buffers.wrap(new byte[1]), 0, 1));
                assertThrows(IllegalStateException.class, () -> appender.claim(1));
                assertEquals(0, journal.lastSequence());

                assertArrayEquals(bytes, JournalFixture.bytes(claim.buffer(), 0, 24));
                assertEquals(1, claim.commit());
            }
            assertEquals(2, appender.append(bytes));

            assertEquals(List.of(new Entry(1, 0, bytes), new Entry(2, 0, bytes)), readAll(journal));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void claimedMemoryIsZeroAtFirst(final Backend backend, final int window)
    {
        final Random random = new Random(11);
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            for (int i = 0; i < 2000; i++)
            {
                final int length = random.nextInt(400);
                try (RecordClaim claim = journal.appender().claim(length))
                {
                    assertArrayEquals(new byte[length], JournalFixture.bytes(claim.buffer(), 0, length));
                    claim.buffer().setMemory(0, length, (byte)0xFF);
                    if (random.nextBoolean())
                    {
                        claim.commit();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void claimedMemoryIsTakenAwayAfterwards(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
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
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void claimGivesNoWayToItsNeighbours(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            try (RecordClaim claim = journal.appender().claim(20))
            {
                final MutableDirectBuffer buffer = claim.buffer();
                assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(20, (byte)1));
                assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(-1, (byte)1));
                assertThrows(IndexOutOfBoundsException.class, () -> buffer.putLong(13, 1));
                claim.commit();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void claimsRollFromSegmentToSegment(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            for (long sequence = 1; sequence <= 60; sequence++)
            {
                // Each would be a roll if it stayed.
                journal.appender().claim(LARGEST_RECORD / 7).close();
                try (RecordClaim claim = journal.appender().claim(LARGEST_RECORD / 7))
                {
                    claim.buffer().putBytes(0, record(sequence, claim.length()));
                    assertEquals(sequence, claim.tag(-sequence).commit());
                }
            }
            assertNumbered(1, 60, readAll(journal));
        }
        assertNumbered(1, 60, JournalFixture.readAll(directory(), backend));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
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
                // Not before it has put something where the record was to be.
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
        assertNumbered(1, 2, JournalFixture.readAll(directory(), backend));
    }

    // Segments.

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void journalGrowsOverManySegments(final Backend backend, final int window)
    {
        final int count = 1500;
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            appendNumbered(journal, count, 777);
            assertNumbered(1, count, readAll(journal));
            assertTrue(journal.endPosition() > 18 * SEGMENT_LENGTH, () -> "endPosition=" + journal.endPosition());
        }
        assertNumbered(1, count, JournalFixture.readAll(directory(), backend));
    }

    static Stream<Arguments> leftovers()
    {
        return Arrays.stream(Backend.values()).flatMap(
            (backend) -> Stream.iterate(0, (left) -> left <= 88, (left) -> left + 8)
                .map((left) -> Arguments.of(backend, left)));
    }

    @ParameterizedTest
    @MethodSource("leftovers")
    void journalGoesOnWhateverIsLeftOfASegment(final Backend backend, final int leftover)
    {
        try (Journal journal = repeatable(directory(), backend, 1).open();
            JournalReader follower = journal.openReader())
        {
            fillSegment(journal, leftover);
            assertNumbered(1, 3, poll(follower));
            assertEquals(List.of(), poll(follower));

            appendNumbered(journal, 1, 100);
            assertTrue(journal.endPosition() > SEGMENT_LENGTH);
            assertNumbered(4, 4, poll(follower));
            assertNumbered(1, 4, readAll(journal));
        }

        try (Journal journal = reopen(backend))
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            assertNumbered(1, 4, readAll(journal));
        }
    }

    @ParameterizedTest
    @MethodSource("leftovers")
    void journalIsReopenedWhateverIsLeftOfASegment(final Backend backend, final int leftover)
    {
        try (Journal journal = repeatable(directory(), backend, 1).open())
        {
            fillSegment(journal, leftover);
        }

        for (int i = 0; i < 3; i++)
        {
            // Each opening puts a mark, each closing a close frame, as far as there is room.
            try (Journal journal = reopen(backend))
            {
                assertEquals(3, journal.lastSequence());
                assertEquals(3, journal.forcedSequence());
                assertEquals(0, journal.recoveryReport().cutLength(), () -> journal.recoveryReport().toString());
                assertNumbered(1, 3, readAll(journal));
            }
        }

        try (Journal journal = reopen(backend))
        {
            appendNumbered(journal, 2, 1000);
            assertNumbered(1, 5, readAll(journal));
        }
        assertNumbered(1, 5, JournalFixture.readAll(directory(), backend));
    }

    private static void fillSegment(final Journal journal, final int leftover)
    {
        // Behind these two nothing is forced, so that no further mark comes in between.
        appendNumbered(journal, 1, 5000);
        appendNumbered(journal, 1, 0);
        final int remaining = (int)(SEGMENT_LENGTH - journal.endPosition());
        appendNumbered(journal, 1, remaining - leftover - JournalFixture.FRAME_HEADER_LENGTH);
        assertEquals(SEGMENT_LENGTH - leftover, journal.endPosition());
    }

    // Reading.

    @ParameterizedTest
    @EnumSource(Backend.class)
    void readerHandsOutNoMoreThanItsLimit(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 50);
            try (JournalReader reader = journal.openReader())
            {
                assertEquals(List.of(), poll(reader, 0));
                assertNumbered(1, 1, poll(reader, 1));
                assertNumbered(2, 8, poll(reader, 7));
                assertEquals(9, reader.nextSequence());
                assertNumbered(9, 10, poll(reader, 7));
                assertEquals(List.of(), poll(reader, 7));
                assertEquals(11, reader.nextSequence());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void headerTellsSequenceTagAndPosition(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 200, 900);
            final long[] expected = { 1, -1 };
            reader.poll(
                (buffer, offset, length, header) ->
                {
                    assertEquals(expected[0], header.sequence());
                    assertEquals(-expected[0], header.tag());
                    assertTrue(header.position() > expected[1]);
                    assertEquals(0, header.position() % 8);
                    assertEquals(900, length);
                    expected[0]++;
                    expected[1] = header.position();
                },
                Integer.MAX_VALUE);
            assertEquals(201, expected[0]);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void readerStaysAtARecordWhoseHandlerThrows(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 5, 50);
            final List<Entry> entries = new ArrayList<>();
            final RecordHandler handler = (buffer, offset, length, header) ->
            {
                if (3 == header.sequence())
                {
                    throw new UnsupportedOperationException("at the third");
                }
                into(entries).onRecord(buffer, offset, length, header);
            };

            for (int i = 0; i < 3; i++)
            {
                assertThrows(UnsupportedOperationException.class, () -> reader.poll(handler, 10));
                assertEquals(3, reader.nextSequence());
                assertNumbered(1, 2, entries);
            }
            assertNumbered(3, 5, poll(reader));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void handlerMustNotUseItsReader(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 5, 50);
            final List<Entry> entries = new ArrayList<>();
            final RecordHandler handler = (buffer, offset, length, header) ->
            {
                assertThrows(IllegalStateException.class, () -> reader.poll(into(entries), 1));
                assertThrows(IllegalStateException.class, () -> reader.seek(1));
                assertThrows(IllegalStateException.class, reader::seekToEnd);
                assertThrows(IllegalStateException.class, reader::close);
                into(entries).onRecord(buffer, offset, length, header);
            };

            assertEquals(5, reader.poll(handler, 10));
            assertNumbered(1, 5, entries);
            reader.seek(2);
            assertNumbered(2, 5, poll(reader));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void handlerMayAppendAndForce(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 1, 50);
            final List<Entry> entries = new ArrayList<>();
            final RecordHandler handler = (buffer, offset, length, header) ->
            {
                into(entries).onRecord(buffer, offset, length, header);
                appendNumbered(journal, 1, 1000);
                journal.awaitForced(header.sequence());
            };

            assertEquals(120, reader.poll(handler, 120));
            assertNumbered(1, 120, entries);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void memoryOfARecordIsTakenAwayAfterTheCall(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 2, 50);
            final DirectBuffer[] kept = new DirectBuffer[1];
            reader.poll((buffer, offset, length, header) -> kept[0] = buffer, 1);

            assertEquals(0, kept[0].capacity());
            assertThrows(IndexOutOfBoundsException.class, () -> kept[0].getByte(0));

            assertThrows(
                IllegalStateException.class,
                () -> reader.poll(
                    (buffer, offset, length, header) ->
                    {
                        kept[0] = buffer;
                        throw new IllegalStateException("stay");
                    },
                    1));
            assertEquals(0, kept[0].capacity());
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void readersDoNotDependOnEachOther(final Backend backend)
    {
        try (Journal journal = open(backend);
            JournalReader before = journal.openReader())
        {
            appendNumbered(journal, 100, 2000);
            try (JournalReader after = journal.openReader())
            {
                assertNumbered(1, 60, poll(before, 60));
                assertNumbered(1, 10, poll(after, 10));
                assertNumbered(61, 100, poll(before));
                assertNumbered(11, 20, poll(after, 10));
            }
            before.seekToStart();
            assertNumbered(1, 100, poll(before));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void readerFindsEverySequence(final Backend backend, final int window)
    {
        final int count = 800;
        try (Journal journal = builder(directory(), backend).writeWindow(window).open();
            JournalReader reader = journal.openReader())
        {
            appendWithForces(journal, count, 1000);
            assertTrue(journal.endPosition() > 6 * SEGMENT_LENGTH);
            assertFindsAll(reader, 1, count, 1);
        }
        try (Journal journal = reopen(backend); JournalReader reader = journal.openReader())
        {
            assertFindsAll(reader, 1, count, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void readerFindsSequencesBetweenTheMarksOfALongSegment(final Backend backend)
    {
        final int count = 6000;
        try (Journal journal = builder(directory(), backend).segmentLength(1024 * 1024).open();
            JournalReader reader = journal.openReader())
        {
            appendWithForces(journal, count, 800);
            assertTrue(journal.endPosition() > 2 * 1024 * 1024);
            assertFindsAll(reader, 1, count, 31);
        }
    }

    private static void appendWithForces(final Journal journal, final int count, final int length)
    {
        for (int i = 0; i < count; i++)
        {
            appendNumbered(journal, 1, i * 37 % length);
            if (0 == i % 50)
            {
                journal.force();
            }
        }
    }

    private static void assertFindsAll(final JournalReader reader, final int first, final int last, final int step)
    {
        for (int sequence = last; sequence >= first; sequence -= step)
        {
            reader.seek(sequence);
            assertEquals(sequence, reader.nextSequence());
            assertNumbered(sequence, Math.min(last, sequence + 1), poll(reader, 2));
        }
        for (int sequence = first; sequence <= last; sequence += step)
        {
            reader.seek(sequence);
            assertNumbered(sequence, sequence, poll(reader, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void readerAtTheEndReadsWhatIsAppendedLater(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            for (int i = 0; i < 100; i++)
            {
                final long last = journal.lastSequence();
                reader.seekToEnd();
                assertEquals(last + 1, reader.nextSequence());
                assertEquals(List.of(), poll(reader));

                appendNumbered(journal, 2, 1500);
                assertNumbered(last + 1, last + 2, poll(reader));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void sequenceOutsideTheJournalIsRefusedAndTheReaderStays(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            for (final long outside : new long[]{ Long.MIN_VALUE, -1, 0, 2, Long.MAX_VALUE })
            {
                assertThrows(IllegalArgumentException.class, () -> reader.seek(outside));
            }
            reader.seek(1);

            appendNumbered(journal, 100, 1500);
            assertNumbered(1, 40, poll(reader, 40));
            for (final long outside : new long[]{ Long.MIN_VALUE, 0, 102, Long.MAX_VALUE })
            {
                assertThrows(IllegalArgumentException.class, () -> reader.seek(outside));
            }
            assertNumbered(41, 100, poll(reader));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void recordIsThereForOtherThreadsOnceItIsAppended(final Backend backend, final int window)
        throws InterruptedException
    {
        final SynchronousQueue<Long> appended = new SynchronousQueue<>();
        final SynchronousQueue<Long> read = new SynchronousQueue<>();
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            final Background reading = Background.start(
                "reader",
                () ->
                {
                    try (JournalReader reader = journal.openReader())
                    {
                        for (long last = appended.take(); last > 0; last = appended.take())
                        {
                            assertNumbered(last, last, poll(reader));
                            read.put(last);
                        }
                    }
                    finally
                    {
                        read.offer(-1L);
                    }
                });

            for (int i = 0; i < 300; i++)
            {
                appendNumbered(journal, 1, 700);
                appended.put(journal.lastSequence());
                if (!Long.valueOf(journal.lastSequence()).equals(read.take()))
                {
                    reading.join();
                }
            }
            appended.put(0L);
            reading.join();
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void readersFollowWhileAnotherThreadAppends(final Backend backend, final int window)
    {
        final int count = 5000;
        final CountDownLatch isReading = new CountDownLatch(2);
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            final Background appending = Background.start(
                "appender",
                () ->
                {
                    isReading.await();
                    for (int i = 0; i < count; i++)
                    {
                        appendNumbered(journal, 1, (i * 31) % 500);
                    }
                });
            final Background fromStart = Background.start(
                "from the start", () -> follow(journal, appending, isReading, count, false));
            final Background withSeeks = Background.start(
                "with seeks", () -> follow(journal, appending, isReading, count, true));

            fromStart.join();
            withSeeks.join();
            appending.join();
        }
    }

    private static void follow(
        final Journal journal,
        final Background appending,
        final CountDownLatch isReading,
        final int count,
        final boolean isSeeking)
    {
        try (JournalReader reader = journal.openReader())
        {
            isReading.countDown();
            long expected = 1;
            while (expected <= count)
            {
                appending.check();
                final List<Entry> entries = poll(reader, 100);
                if (entries.isEmpty())
                {
                    Thread.onSpinWait();
                    continue;
                }

                assertNumbered(expected, expected + entries.size() - 1, entries);
                expected = reader.nextSequence();
                assertTrue(journal.lastSequence() >= expected - 1, "a record is read before it is appended");
                if (isSeeking)
                {
                    // Back to one that was read, and on from there.
                    expected = Math.max(1, expected - 3);
                    reader.seek(expected);
                    assertNumbered(expected, expected, poll(reader, 1));
                    expected = Math.min(expected + 3, journal.lastSequence() + 1);
                    reader.seek(expected);
                }
            }
            assertEquals(List.of(), poll(reader));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void readerGoesOnToTheLastRecordAfterTheJournalWasClosed(final Backend backend, final int window)
    {
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        try (JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 200, 1000);
            assertNumbered(1, 5, poll(reader, 5));

            journal.close();

            assertNumbered(6, 200, poll(reader));
            assertEquals(List.of(), poll(reader));
            reader.seek(77);
            assertNumbered(77, 200, poll(reader));
            reader.seekToEnd();
            assertEquals(List.of(), poll(reader));
        }
        finally
        {
            journal.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void closedReaderRefuses(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 1, 10);
            final JournalReader reader = journal.openReader();
            reader.close();
            reader.close();

            assertThrows(IllegalStateException.class, () -> poll(reader));
            assertThrows(IllegalStateException.class, () -> reader.seek(1));
            assertThrows(IllegalStateException.class, reader::seekToStart);
            assertThrows(IllegalStateException.class, reader::seekToEnd);
        }
    }

    // What is appended, written, forced.

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void forceCoversAllThatIsAppended(final Backend backend, final int window)
    {
        try (Journal journal = repeatable(directory(), backend, 1).writeWindow(window).open())
        {
            for (int i = 0; i < 30; i++)
            {
                appendNumbered(journal, i, 900);
                final long forcedBefore = journal.forcedSequence();
                assertEquals(journal.lastSequence() - i, forcedBefore);

                journal.force();
                assertEquals(journal.lastSequence(), journal.writtenSequence());
                assertEquals(journal.lastSequence(), journal.forcedSequence());
                assertEquals(journal.endPosition(), journal.forcedPosition());

                journal.force();
                assertEquals(journal.endPosition(), journal.forcedPosition());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void awaitForcedForcesWhatNobodyElseDid(final Backend backend)
    {
        try (Journal journal = repeatable(directory(), backend, 1).open())
        {
            appendNumbered(journal, 10, 100);
            assertEquals(0, journal.forcedSequence());

            journal.awaitForced(4);
            assertEquals(10, journal.forcedSequence());
            assertEquals(journal.endPosition(), journal.forcedPosition());

            appendNumbered(journal, 1, 100);
            journal.awaitForced(10);
            assertEquals(10, journal.forcedSequence());
            journal.awaitForced(11);
            assertEquals(11, journal.forcedSequence());
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void recordThatIsNotAppendedIsNotAwaited(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            assertThrows(IllegalArgumentException.class, () -> journal.awaitForced(1));
            appendNumbered(journal, 1, 10);
            assertThrows(IllegalArgumentException.class, () -> journal.awaitForced(0));
            assertThrows(IllegalArgumentException.class, () -> journal.awaitForced(-1));
            assertThrows(IllegalArgumentException.class, () -> journal.awaitForced(2));
            assertThrows(IllegalArgumentException.class, () -> journal.awaitForced(Long.MAX_VALUE));
            journal.awaitForced(1);
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void manyThreadsAwaitTheirRecords(final Backend backend, final int window)
    {
        final int threads = 4;
        final int count = 25;
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            final List<Background> waiting = new ArrayList<>();
            final Object lock = new Object();
            for (int i = 0; i < threads; i++)
            {
                waiting.add(Background.start(
                    "waiting",
                    () ->
                    {
                        for (int j = 0; j < count; j++)
                        {
                            final long sequence;
                            synchronized (lock)
                            {
                                appendNumbered(journal, 1, 2000);
                                sequence = journal.lastSequence();
                            }
                            journal.awaitForced(sequence);
                            assertTrue(journal.forcedSequence() >= sequence);
                        }
                    }));
            }
            waiting.forEach(Background::join);

            assertEquals(threads * count, journal.forcedSequence());
            assertNumbered(1, threads * count, readAll(journal));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void nothingIsForcedBeforeItIsWrittenNorWrittenBeforeItIsAppended(final Backend backend, final int window)
    {
        final int count = 20_000;
        final CountDownLatch isWatching = new CountDownLatch(2);
        final AtomicBoolean isDone = new AtomicBoolean();
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            final Background watching = Background.start(
                "watching",
                () ->
                {
                    isWatching.countDown();
                    long lastForced = 0;
                    while (!isDone.get())
                    {
                        // The lower end first: the other may only have grown meanwhile.
                        final long forced = journal.forcedSequence();
                        final long written = journal.writtenSequence();
                        final long appended = journal.lastSequence();
                        assertTrue(
                            lastForced <= forced && forced <= written && written <= appended,
                            () -> "forced=" + forced + ", written=" + written + ", appended=" + appended);
                        final long forcedPosition = journal.forcedPosition();
                        assertTrue(forcedPosition <= journal.endPosition());
                        lastForced = forced;
                    }
                });
            final Background forcing = Background.start(
                "forcing",
                () ->
                {
                    isWatching.countDown();
                    while (!isDone.get())
                    {
                        journal.force();
                    }
                });

            try
            {
                isWatching.await();
                appendNumbered(journal, count, 60);
            }
            catch (final InterruptedException ex)
            {
                throw new AssertionError(ex);
            }
            finally
            {
                isDone.set(true);
            }
            watching.join();
            forcing.join();
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void withoutAWriteWindowARecordIsWrittenWhenAppendReturns(final Backend backend)
    {
        try (Journal journal = repeatable(directory(), backend, 1).open())
        {
            for (int i = 1; i <= 100; i++)
            {
                appendNumbered(journal, 1, 1000);
                assertEquals(i, journal.writtenSequence());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Backend.class, names = "MAPPED", mode = EnumSource.Mode.EXCLUDE)
    void recordsGatherInTheWriteWindowUntilItIsFull(final Backend backend)
    {
        try (Journal journal = repeatable(directory(), backend, 1).writeWindow(8192).open())
        {
            final byte[] before = JournalFixture.contentOf(JournalFixture.segment(directory(), 0));
            appendNumbered(journal, 5, 1000);
            assertEquals(0, journal.writtenSequence());
            assertEquals(5, journal.lastSequence());
            assertArrayEquals(before, JournalFixture.contentOf(JournalFixture.segment(directory(), 0)));

            appendNumbered(journal, 5, 1000);
            assertTrue(journal.writtenSequence() >= 5, () -> "writtenSequence=" + journal.writtenSequence());
            assertTrue(journal.writtenSequence() < 10, () -> "writtenSequence=" + journal.writtenSequence());
        }
    }

    @ParameterizedTest
    @EnumSource(value = Backend.class, names = "MAPPED", mode = EnumSource.Mode.EXCLUDE)
    void readerOfTheSameJournalSeesWhatIsInTheWriteWindow(final Backend backend)
    {
        try (Journal journal = repeatable(directory(), backend, 1).writeWindow(64 * 1024).open();
            JournalReader reader = journal.openReader())
        {
            for (int i = 1; i <= 100; i++)
            {
                appendNumbered(journal, 1, 100);
                assertEquals(i - 1, journal.writtenSequence());
                assertNumbered(i, i, poll(reader));
                assertEquals(i, journal.writtenSequence());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Backend.class, names = "MAPPED", mode = EnumSource.Mode.EXCLUDE)
    void companionWritesWhatHasWaitedInTheWriteWindow(final Backend backend) throws Exception
    {
        try (Journal journal = repeatable(directory(), backend, 1).writeWindow(64 * 1024).open())
        {
            final Agent companion = journal.companion();
            companion.doWork();
            appendNumbered(journal, 3, 100);
            companion.doWork();
            assertEquals(0, journal.writtenSequence());
            companion.doWork();
            assertEquals(3, journal.writtenSequence());
            assertEquals(0, journal.forcedSequence());

            appendNumbered(journal, 3, 100);
            companion.doWork();
            appendNumbered(journal, 3, 100);
            companion.doWork();
            assertTrue(journal.writtenSequence() >= 6);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void companionForcesSegmentsThatAreComplete(final Backend backend) throws Exception
    {
        try (Journal journal = repeatable(directory(), backend, 1).open())
        {
            final Agent companion = journal.companion();
            while (journal.endPosition() < 2 * SEGMENT_LENGTH)
            {
                appendNumbered(journal, 1, 3000);
            }
            assertEquals(0, journal.forcedSequence());

            companion.doWork();

            assertEquals(2 * SEGMENT_LENGTH, journal.forcedPosition());
            assertEquals(journal.lastSequence() - 1, journal.forcedSequence());
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void companionWithAThreadOfItsOwnIsNotHandedOut(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            assertThrows(IllegalStateException.class, journal::companion);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void companionOfAClosedJournalDoesNothing(final Backend backend) throws Exception
    {
        final Journal journal = repeatable(directory(), backend, 1).open();
        final Agent companion = journal.companion();
        journal.close();

        assertEquals(0, companion.doWork());
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void marksOfALongTimeDoNotDisturbReaders(final Backend backend)
    {
        final TestClock clock = new TestClock();
        try (Journal journal = builder(directory(), backend).clock(clock).open();
            JournalReader reader = journal.openReader())
        {
            for (int i = 1; i <= 120; i++)
            {
                appendNumbered(journal, 1, 50);
                clock.advance(1000);
                journal.force();
                assertNumbered(i, i, poll(reader));
            }
            assertNumbered(1, 120, readAll(journal));
        }
    }

    // Closing and reopening.

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void closedJournalIsReopenedWithoutAScanAndContinued(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            appendNumbered(journal, 100, 100);
        }

        for (int i = 1; i <= 10; i++)
        {
            try (Journal journal = builder(directory(), backend).writeWindow(window).open())
            {
                final RecoveryReport report = journal.recoveryReport();
                assertFalse(report.isNew());
                assertTrue(report.isCleanlyClosed(), report::toString);
                assertEquals(report.endPosition(), report.scanStartPosition());
                assertEquals(100L * i, report.lastSequence());
                assertEquals(0, report.cutLength());
                assertEquals("", report.cutReason());
                assertEquals(List.of(), report.quarantined());
                assertTrue(report.isAcknowledgementKnown());
                assertFalse(report.isRewritten());

                assertEquals(1, journal.firstSequence());
                assertEquals(100L * i, journal.lastSequence());
                assertEquals(100L * i, journal.writtenSequence());
                assertEquals(100L * i, journal.forcedSequence());
                assertNumbered(1, 100L * i, readAll(journal));
                appendNumbered(journal, 100, 100 * i);
            }
        }
        assertNumbered(1, 1100, JournalFixture.readAll(directory(), backend));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void emptyJournalIsReopened(final Backend backend)
    {
        for (int i = 0; i < 5; i++)
        {
            try (Journal journal = open(backend))
            {
                assertEquals(0 == i, journal.recoveryReport().isNew());
                assertEquals(0 < i, journal.recoveryReport().isCleanlyClosed());
                assertEquals(1, journal.firstSequence());
                assertEquals(0, journal.lastSequence());
                assertEquals(List.of(), readAll(journal));
            }
        }
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 1, 10);
        }
        assertNumbered(1, 1, JournalFixture.readAll(directory(), backend));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void journalIsReopenedOftenEnoughToReachTheNextSegment(final Backend backend)
    {
        try (Journal journal = repeatable(directory(), backend, 1).open())
        {
            fillSegment(journal, 2000);
        }

        // Each opening and closing takes 72 bytes.
        for (int i = 0; i < 30; i++)
        {
            try (Journal journal = reopen(backend))
            {
                assertEquals(3, journal.lastSequence());
                assertNumbered(1, 3, readAll(journal));
            }
        }
        try (Journal journal = reopen(backend))
        {
            assertTrue(journal.endPosition() > SEGMENT_LENGTH - 72, () -> "endPosition=" + journal.endPosition());
            appendNumbered(journal, 1, 10);
            assertNumbered(1, 4, readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void closedJournalRefuses(final Backend backend)
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 1, 10);
        journal.close();
        journal.close();

        assertTrue(journal.isClosed());
        final JournalAppender appender = journal.appender();
        assertThrows(IllegalStateException.class, () -> appender.append(new byte[1]));
        assertThrows(IllegalStateException.class, () -> appender.append(ByteBuffer.allocate(1)));
        assertThrows(IllegalStateException.class, () -> appender.append(Buffers.wrap(new byte[1]), 0, 1));
        assertThrows(IllegalStateException.class, () -> appender.claim(1));
        assertThrows(IllegalStateException.class, journal::force);
        assertThrows(IllegalStateException.class, journal::openReader);
        journal.awaitForced(1);
        assertEquals(1, journal.lastSequence());
        assertEquals(1, journal.forcedSequence());
        assertNumbered(1, 1, JournalFixture.readAll(directory(), backend));
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void claimOfTheClosingThreadIsAborted(final Backend backend, final int window)
    {
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        appendNumbered(journal, 2, 10);
        final RecordClaim claim = journal.appender().claim(500);
        claim.buffer().setMemory(0, 500, (byte)0xFF);

        journal.close();

        assertEquals(0, claim.buffer().capacity());
        assertThrows(IllegalStateException.class, claim::commit);
        claim.close();
        try (Journal reopened = reopen(backend))
        {
            assertTrue(reopened.recoveryReport().isCleanlyClosed());
            assertNumbered(1, 2, readAll(reopened));
            appendNumbered(reopened, 1, 10);
            assertNumbered(1, 3, readAll(reopened));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void claimOfAnotherThreadIsNoRecordAfterTheJournalWasClosed(final Backend backend, final int window)
        throws InterruptedException
    {
        final CountDownLatch isClaimed = new CountDownLatch(1);
        final CountDownLatch isClosed = new CountDownLatch(1);
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        final Background claiming = Background.start(
            "claiming",
            () ->
            {
                try
                {
                    appendNumbered(journal, 2, 10);
                    final RecordClaim claim = journal.appender().claim(500);
                    claim.buffer().setMemory(0, 250, (byte)0xFF);
                    isClaimed.countDown();
                    isClosed.await();
                    assertThrows(IllegalStateException.class, claim::commit);
                    claim.close();
                }
                finally
                {
                    isClaimed.countDown();
                }
            });
        isClaimed.await();

        journal.close();
        isClosed.countDown();
        claiming.join();

        assertEquals(2, journal.lastSequence());
        assertEquals(2, journal.forcedSequence());
        try (Journal reopened = reopen(backend))
        {
            assertNumbered(1, 2, readAll(reopened));
            appendNumbered(reopened, 1, 10);
            assertNumbered(1, 3, readAll(reopened));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void recordsAcknowledgedBeforeAnotherThreadClosesAreKept(final Backend backend, final int window)
        throws InterruptedException
    {
        long lastBefore = 0;
        for (int round = 0; round < 8; round++)
        {
            final long acknowledged = closeUnderAnAppender(backend, window, 20 << round);
            assertTrue(acknowledged >= lastBefore + (20 << round));
            lastBefore = acknowledged;
        }
    }

    private long closeUnderAnAppender(final Backend backend, final int window, final int count)
        throws InterruptedException
    {
        final AtomicLong acknowledged = new AtomicLong();
        final CountDownLatch hasAppended = new CountDownLatch(count);
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        final Background appending = Background.start(
            "appending",
            () ->
            {
                try
                {
                    while (true)
                    {
                        final long sequence = journal.lastSequence() + 1;
                        final byte[] bytes = record(sequence, (int)(sequence % 300));
                        acknowledged.set(journal.appender().append(-sequence, bytes, 0, bytes.length));
                        hasAppended.countDown();
                    }
                }
                finally
                {
                    while (hasAppended.getCount() > 0)
                    {
                        hasAppended.countDown();
                    }
                }
            });

        hasAppended.await();
        journal.close();
        final AssertionError end = assertThrows(AssertionError.class, appending::join);
        assertSame(IllegalStateException.class, end.getCause().getClass(), () -> end.getCause().toString());

        try (Journal reopened = reopen(backend))
        {
            assertTrue(reopened.recoveryReport().isCleanlyClosed());
            assertEquals(acknowledged.get(), reopened.lastSequence());
            assertNumbered(1, acknowledged.get(), readAll(reopened));
        }

        return acknowledged.get();
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void closingWhileOtherThreadsForceAndReadEndsThemInOrder(final Backend backend) throws InterruptedException
    {
        for (int round = 0; round < 10; round++)
        {
            final CountDownLatch areRunning = new CountDownLatch(3);
            final Journal journal = open(backend);
            appendNumbered(journal, 20, 2000);
            final List<Background> users = List.of(
                Background.start("forcing", () -> runUntilClosed(areRunning, journal::force)),
                Background.start("opening", () -> runUntilClosed(areRunning, () -> journal.openReader().close())),
                Background.start("reading", () ->
                {
                    try (JournalReader reader = journal.openReader())
                    {
                        areRunning.countDown();
                        while (!journal.isClosed())
                        {
                            reader.seekToStart();
                            poll(reader);
                        }
                        reader.seekToStart();
                        assertEquals(journal.lastSequence(), poll(reader).size());
                    }
                }));

            areRunning.await();
            appendNumbered(journal, 20, 2000);
            journal.close();
            users.forEach(Background::join);
            assertEquals(journal.lastSequence(), journal.forcedSequence());
        }
        assertNumbered(1, 400, JournalFixture.readAll(directory(), backend));
    }

    private static void runUntilClosed(final CountDownLatch isRunning, final Runnable task)
    {
        task.run();
        isRunning.countDown();
        assertThrows(
            IllegalStateException.class,
            () ->
            {
                while (true)
                {
                    task.run();
                }
            });
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void manyThreadsMayCloseAtOnce(final Backend backend) throws InterruptedException
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 10, 100);
        final CountDownLatch start = new CountDownLatch(4);
        final List<Background> closing = Stream.generate(
            () -> Background.start(
                "closing",
                () ->
                {
                    start.countDown();
                    start.await();
                    journal.close();
                    // Whoever returns finds the lock given up.
                    assertTrue(journal.isClosed());
                    assertEquals(10, journal.forcedSequence());
                }))
            .limit(4).toList();
        closing.forEach(Background::join);

        assertNumbered(1, 10, JournalFixture.readAll(directory(), backend));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void appenderMayBeHandedFromThreadToThread(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            for (int i = 0; i < 20; i++)
            {
                Background.start("appending", () -> appendNumbered(journal, 50, 200)).join();
            }
            assertNumbered(1, 1000, readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void textNamesWhatMatters(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 3, 10);
            journal.force();
            final String text = journal.toString();
            assertTrue(text.contains(directory().toString()), text);
            assertTrue(text.contains("lastSequence=3"), text);
            assertTrue(text.contains("forcedSequence=3"), text);
            assertTrue(text.contains("isClosed=false"), text);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void directoryOfAJournalIsMadeWithThoseAboveIt(final Backend backend)
    {
        final Path deep = parent.resolve("a").resolve("b").resolve("c");
        try (Journal journal = JournalFixture.open(deep, backend))
        {
            appendNumbered(journal, 1, 10);
        }
        assertNumbered(1, 1, JournalFixture.readAll(deep, backend));
    }

    @Test
    void settingsHaveDefaults()
    {
        final JournalBuilder builder = Journal.builder(directory());
        assertSame(Backend.MAPPED, builder.backend());
        assertEquals(0, builder.writeWindow());
        assertTrue(builder.isCompanionThreaded());
        try (Journal journal = builder.companionThread(false).open())
        {
            assertEquals(JournalBuilder.DEFAULT_SEGMENT_LENGTH, journal.segmentLength());
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndWindows")
    void recordsOfManyMegabytesAreReadAsTheyWere(final Backend backend, final int window)
    {
        final int segmentLength = 4 * 1024 * 1024;
        try (Journal journal = builder(directory(), backend)
            .segmentLength(segmentLength).companionThread(false).writeWindow(window).open())
        {
            final int largest = segmentLength - (SEGMENT_LENGTH - LARGEST_RECORD);
            assertEquals(largest, journal.appender().maxRecordLength());
            appendNumbered(journal, 1, 10);
            appendNumbered(journal, 1, 3_000_001);
            appendNumbered(journal, 1, 10);
            appendNumbered(journal, 1, largest);
            assertNumbered(1, 4, readAll(journal));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void noRecordIsLongerThanSixteenMebibytes(final Backend backend)
    {
        final int longest = 16 * 1024 * 1024;
        try (Journal journal = builder(directory(), backend)
            .segmentLength(2 * longest).companionThread(false).open())
        {
            assertEquals(longest, journal.appender().maxRecordLength());
            appendNumbered(journal, 1, longest);
            assertThrows(
                IllegalArgumentException.class, () -> journal.appender().append(new byte[longest + 1]));
            assertNumbered(1, 1, readAll(journal));
        }
        assertNumbered(1, 1, JournalFixture.readAll(directory(), backend));
    }
}
