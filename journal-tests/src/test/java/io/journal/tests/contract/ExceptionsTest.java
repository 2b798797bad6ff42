// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Fields of exceptions, from which a program learns the details without parsing a message. */
class ExceptionsTest extends JournalFixture
{
    @EachBackend
    void damagedRecordIsNamedByFileOffsetAndSequence(final Backend backend) throws IOException
    {
        final long[] position = new long[1];
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 3, 100);
            journal.get(2, (buffer, offset, length, header) -> position[0] = header.position());
            journal.roll();
            appendNumbered(journal, 1, 100);
        }
        // The damaged record is in an earlier segment, which opening does not read.
        flip(0, position[0] + FRAME_HEADER_LENGTH);

        try (Journal journal = reopen(backend); JournalReader reader = journal.openReader())
        {
            final List<Entry> found = new ArrayList<>();
            final CorruptJournalException thrown =
                assertThrows(CorruptJournalException.class, () -> reader.poll(into(found), 10));
            assertNumbered(1, 1, found);
            assertPlace(thrown, segment(directory(), 0).getFileName().toString(), position[0], 2);
            assertPlace(assertThrows(CorruptJournalException.class, () -> journal.get(2, IGNORE)),
                thrown.file(), thrown.offset(), thrown.sequence());
        }
    }

    @EachBackend
    void corruptionFoundByOpeningIsNamedByFileOffsetAndSequence(final Backend backend) throws IOException
    {
        final long[] position = new long[1];
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            appendNumbered(journal, 3, 100);
            journal.force();
            journal.get(2, (buffer, offset, length, header) -> position[0] = header.position());
            copy(directory(), temp.resolve("crashed"));
        }
        copy(temp.resolve("crashed"), directory());
        flip(0, position[0] + FRAME_HEADER_LENGTH);

        final JournalException thrown = assertThrows(CorruptJournalException.class, () -> reopen(backend));
        assertPlace(thrown, segment(directory(), 0).getFileName().toString(), position[0], 2);
        assertPlace(
            assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(directory()).close()),
            thrown.file(), thrown.offset(), thrown.sequence());
    }

    @EachBackend
    void missingSegmentAndDamagedControlFileAreNamedByFile(final Backend backend) throws IOException
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 100, 1000);
        }
        final Path control = directory().resolve("journal.control");
        final byte[] intact = contentOf(control);
        Files.write(control, new byte[intact.length]);
        assertPlace(
            assertThrows(CorruptJournalException.class, () -> reopen(backend)), "journal.control", 0,
            JournalException.UNKNOWN);
        Files.write(control, intact);

        Files.delete(segment(directory(), 0));
        assertPlace(
            assertThrows(CorruptJournalException.class, () -> reopen(backend)),
            segment(directory(), 0).getFileName().toString(), 0, JournalException.UNKNOWN);
    }

    @EachBackend
    void readerUsedByItsHandlerAndByAnotherThreadAreDistinguished(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 5, 10);
        final List<Executable> calls = List.of(
            () -> reader.poll(IGNORE, 1),
            () -> reader.pollBackwards(IGNORE, 1),
            () -> reader.controlledPoll((b, o, l, h) -> RecordHandler.Action.ABORT, 1),
            () -> reader.seek(1),
            reader::seekToEnd,
            () -> reader.seekToTime(Instant.EPOCH),
            reader::state);
        reader.poll((buffer, offset, length, header) -> assertRefused(
            "reader is in use: its handler must not use it", List.of(() -> reader.stream().count())), 1);
        reader.seekToStart();
        final List<Entry> entries = new ArrayList<>();
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch tried = new CountDownLatch(1);
        final RecordHandler handler = (buffer, offset, length, header) ->
        {
            assertRefused("reader is in use: its handler must not use it", calls);
            assertRefused("reader is in use: its handler must not close it", List.of(reader::close));
            into(entries).onRecord(buffer, offset, length, header);
            inside.countDown();
            await(tried);
        };
        final Background other = Background.start("the-other-reader", () -> reader.poll(handler, 10));
        await(inside);
        assertRefused("reader is in use by another thread: thread=the-other-reader", calls);
        assertRefused("reader is in use by another thread: thread=the-other-reader", List.of(reader::close));
        tried.countDown();
        other.join();
        assertNumbered(1, 5, entries);
        assertEquals(5, reader.pollBackwards(handler, 10));
    }

    private void flip(final long ordinal, final long offset) throws IOException
    {
        final byte[] bytes = contentOf(segment(directory(), ordinal));
        bytes[(int)offset] ^= 1;
        Files.write(segment(directory(), ordinal), bytes);
    }

    private static void assertPlace(
        final JournalException thrown, final String file, final long offset, final long sequence)
    {
        assertEquals(
            Arrays.asList(file, offset, sequence), Arrays.asList(thrown.file(), thrown.offset(), thrown.sequence()),
            thrown::toString);
    }

    private static void assertRefused(final String reason, final List<Executable> calls)
    {
        for (final Executable call : calls)
        {
            final String message = assertThrows(IllegalStateException.class, call).getMessage();
            assertTrue(message.startsWith(reason), () -> "call " + calls.indexOf(call) + ": " + message);
        }
    }
}
