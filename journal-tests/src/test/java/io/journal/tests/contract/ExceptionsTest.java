// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalNotFoundException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordClaim;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Fields of exceptions, from which a program learns the details without parsing a message. */
class ExceptionsTest extends JournalFixture
{
    private static final RecordHandler IGNORE = (buffer, offset, length, header) ->
    {
    };

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
    void missingSegmentAndDamagedHeadersAreNamedByFile(final Backend backend) throws IOException
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 100, 1000);
        }
        final byte[] control = contentOf(directory().resolve("journal.control"));
        Files.write(directory().resolve("journal.control"), new byte[control.length]);
        assertPlace(
            assertThrows(CorruptJournalException.class, () -> reopen(backend)), "journal.control", 0,
            JournalException.UNKNOWN);

        Files.write(directory().resolve("journal.control"), control);
        Files.delete(segment(directory(), 0));
        assertPlace(
            assertThrows(CorruptJournalException.class, () -> reopen(backend)),
            segment(directory(), 0).getFileName().toString(), 0, JournalException.UNKNOWN);
    }

    @EachBackend
    void recordsThatWerePrunedAreNamedBySequence(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 100, 1000);
            reader.poll(IGNORE, 5);
            journal.force();
            journal.prune(90);
            final JournalException thrown = assertThrows(JournalException.class, () -> reader.poll(IGNORE, 1));
            assertPlace(thrown, null, JournalException.UNKNOWN, 6);
        }
    }

    @EachBackend
    void ownerOfALockedJournalIsKnown(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            final JournalLockedException thrown =
                assertThrows(JournalLockedException.class, () -> reopen(backend));
            assertTrue(thrown.owner().contains("pid=" + ProcessHandle.current().pid()), thrown::owner);
            assertFalse(journal.isClosed());
        }
    }

    @Test
    void absentJournalHasATypeOfItsOwn() throws IOException
    {
        assertThrows(JournalNotFoundException.class, () -> Journal.openReadOnly(directory()));
        Files.createDirectory(directory());
        assertThrows(JournalNotFoundException.class, () -> Journal.openReadOnly(directory()));

        open(Backend.MAPPED).close();
        Journal.openReadOnly(directory()).close();
    }

    @EachBackend
    void argumentsOfReadersAreCheckedWithNothingToRead(final Backend backend)
    {
        try (Journal journal = open(backend);
            JournalReader reader = journal.openReader();
            ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            assertThrows(IllegalArgumentException.class, () -> reader.poll(IGNORE, -1));
            assertThrows(IllegalArgumentException.class, () -> reader.pollBackwards(IGNORE, -1));
            assertThrows(IllegalArgumentException.class, () -> reader.controlledPoll((b, o, l, h) -> null, -1));
            assertThrows(IllegalArgumentException.class, () -> journal.get(1, -1, IGNORE));
            assertThrows(IllegalArgumentException.class, () -> follower.get(1, -1, IGNORE));
            assertThrows(NullPointerException.class, () -> reader.poll(null, 1));
            assertThrows(NullPointerException.class, () -> reader.poll(null, 0));
            assertThrows(NullPointerException.class, () -> reader.controlledPoll(null, 1));
            assertThrows(NullPointerException.class, () -> journal.get(1, null));
            assertEquals(0, reader.poll(IGNORE, 0));
        }
    }

    @EachBackend
    void openClaimAndAppendingThreadAreDistinguished(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            final JournalAppender appender = journal.appender();
            try (RecordClaim claim = appender.claim(10))
            {
                assertNotNull(claim.buffer());
                assertMessage("a claim is open: commit or close it first", () -> appender.append(new byte[1]));
                assertMessage("a claim is open: commit or close it first", journal::roll);
                Background
                    .start("other",
                        () -> assertMessage("another thread holds an open claim: thread=",
                            () -> appender.append(new byte[1])))
                    .join();
            }
            assertEquals(1, appender.append(new byte[1]));
        }
    }

    @EachBackend
    void readerUsedByItsHandlerAndByAnotherThreadAreDistinguished(final Backend backend)
    {
        try (Journal journal = open(backend); JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 1, 10);
            final CountDownLatch inside = new CountDownLatch(1);
            final CountDownLatch tried = new CountDownLatch(1);
            final Background other = Background.start("the-other-reader", () -> reader.poll(
                (buffer, offset, length, header) ->
                {
                    assertMessage("reader is in use: its handler must not use it", () -> reader.poll(IGNORE, 1));
                    assertMessage("reader is in use: its handler must not close it", reader::close);
                    inside.countDown();
                    await(tried);
                }, 1));
            try
            {
                await(inside);
                assertMessage(
                    "reader is in use by another thread: thread=the-other-reader", () -> reader.poll(IGNORE, 1));
                assertMessage("reader is in use by another thread: thread=the-other-reader", reader::close);
            }
            finally
            {
                tried.countDown();
                other.join();
            }
        }
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
        assertEquals(file, thrown.file(), thrown::toString);
        assertEquals(offset, thrown.offset(), thrown::toString);
        assertEquals(sequence, thrown.sequence(), thrown::toString);
        if (null == file)
        {
            assertNull(thrown.file());
        }
    }

    private static void assertMessage(final String expected, final org.junit.jupiter.api.function.Executable call)
    {
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, call);
        assertTrue(thrown.getMessage().startsWith(expected), thrown::getMessage);
    }
}
