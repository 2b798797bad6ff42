// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.JournalReader.Verification;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** How often readers verify records, shown by a bit of a record that is flipped on the device meanwhile. */
class VerificationTest extends JournalFixture
{
    private static final int LENGTH = 1000;
    private static final int FRAME_LENGTH = FRAME_HEADER_LENGTH + LENGTH;
    // The records are in segments 0 to 2; the newest segment is 3.
    private static final int COUNT = 200;
    private static final int FIRST_FRAME = SEGMENT_HEADER_LENGTH + MARK_LENGTH;

    private Journal journal(final Backend backend, final Verification verification)
    {
        final JournalBuilder builder = builder(directory(), backend);
        final Journal journal =
            closing((null == verification ? builder : builder.verification(verification)).open());
        appendNumbered(journal, COUNT, LENGTH);
        journal.force();
        return journal;
    }

    /** What is read before a bit is flipped, and where; a reader then reports the damage. */
    private enum Verified
    {
        BY_DEFAULT(null, 0, (journal) -> assertEquals(COUNT, count(journal))),
        SEGMENT_THAT_NO_READER_HAS_PASSED(Verification.ONCE, 1, (journal) -> assertEquals(1, journal.firstSequence())),
        NEWEST_SEGMENT(Verification.ONCE, 3, (journal) -> assertEquals(COUNT, count(journal))),
        SEGMENT_READ_FROM_ITS_MIDDLE(Verification.ONCE, 0, (journal) ->
        {
            try (JournalReader reader = journal.openReader())
            {
                reader.seek(30);
                assertEquals(COUNT - 29, count(reader));
            }
        }),
        SEGMENT_READ_BACKWARDS(Verification.ONCE, 0, (journal) ->
        {
            try (JournalReader reader = journal.openReader())
            {
                reader.seek(COUNT);
                assertEquals(COUNT - 30, reader.pollBackwards(IGNORE, COUNT - 30));
                assertEquals(COUNT - 29, count(reader));
            }
        });

        private final Verification verification;
        private final int flipped;
        private final Consumer<Journal> before;

        Verified(final Verification verification, final int flipped, final Consumer<Journal> before)
        {
            this.verification = verification;
            this.flipped = flipped;
            this.before = before;
        }
    }

    @EachBackend(and = Verified.class)
    void recordIsVerifiedAgain(final Backend backend, final Verified verified)
    {
        final Journal journal = journal(backend, verified.verification);
        verified.before.accept(journal);
        flip(verified.flipped, FIRST_FRAME + FRAME_HEADER_LENGTH);
        assertThrows(CorruptJournalException.class, () -> count(journal));
    }

    @EachBackend
    void completeSegmentIsVerifiedOnce(final Backend backend)
    {
        final Journal journal = journal(backend, Verification.ONCE);
        assertEquals(COUNT, count(journal));
        flip(0, FIRST_FRAME + FRAME_HEADER_LENGTH);
        flip(1, FIRST_FRAME + FRAME_HEADER_LENGTH);
        assertEquals(COUNT, count(journal));
        assertThrows(CorruptJournalException.class, () -> journal.get(1, IGNORE));
    }

    @EachBackend
    void truncationForgetsWhatWasVerified(final Backend backend)
    {
        final Journal journal = journal(backend, Verification.ONCE);
        assertEquals(COUNT, count(journal));
        journal.truncateAfter(0);
        final int next = (int)(journal.counters().appendedPosition() / SEGMENT_LENGTH) + 1;
        appendNumbered(journal, COUNT, LENGTH);
        journal.force();

        flip(next, FIRST_FRAME + FRAME_HEADER_LENGTH);

        assertThrows(CorruptJournalException.class, () -> count(journal));
    }

    @EachBackend
    void unverifiedRecordsArePassedInOrderOrNotAtAll(final Backend backend)
    {
        final Journal journal = journal(backend, Verification.NEVER);

        flip(0, FIRST_FRAME + FRAME_HEADER_LENGTH);

        assertEquals(COUNT, count(journal));
        assertThrows(CorruptJournalException.class, () -> journal.get(1, IGNORE));

        // The length was flipped, so the next frame is not where it was.
        flip(0, FIRST_FRAME + FRAME_LENGTH);
        flip(0, FIRST_FRAME + FRAME_LENGTH + 1);

        assertThrows(CorruptJournalException.class, () -> count(journal));
    }

    @EachBackend
    void bytesThatResembleAFrameAreNotTakenForARecordBehindDamage(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).verification(Verification.NEVER).open());
        appendNumbered(journal, 1, LENGTH);
        final byte[] bytes = new byte[LENGTH];
        // Damages the length and the sequence of a frame.
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(8, FRAME_HEADER_LENGTH + 8).putLong(16, 3);
        journal.appender().append(bytes);
        appendNumbered(journal, 3, LENGTH);
        journal.force();

        flip(0, FIRST_FRAME + FRAME_LENGTH + 3);

        try (JournalReader reader = journal.openReader())
        {
            reader.seek(3);
            assertNumbered(3, 5, poll(reader));
        }
    }

    @EachBackend
    void damagedSequenceIsNotThatOfTheRecordThatIsSought(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).verification(Verification.NEVER).open());
        appendNumbered(journal, 3, LENGTH);
        appendNumbered(journal, 17, 100);
        journal.force();
        final JournalDirectory files = new JournalDirectory(directory());

        // The flipped sequence is 13.
        flip(0, files.record(5).offset() + 8);

        final JournalReader reader = closing(journal.openReader());
        assertNumbered(1, 4, poll(reader, 4));
        reader.seek(13);
        assertNumbered(13, 20, poll(reader));
    }

    private static int count(final Journal journal)
    {
        try (JournalReader reader = journal.openReader())
        {
            return count(reader);
        }
    }

    private static int count(final JournalReader reader)
    {
        final List<Long> sequences = new ArrayList<>();
        int count = 0;
        for (int passed = 1; passed > 0; count += passed)
        {
            passed = reader.poll((buffer, offset, length, header) -> sequences.add(header.sequence()), COUNT);
        }
        for (int i = 1; i < sequences.size(); i++)
        {
            assertEquals(sequences.get(i - 1) + 1, sequences.get(i));
        }

        return count;
    }

    private void flip(final long ordinal, final int offset)
    {
        new JournalDirectory(directory()).flip(JournalDirectory.segmentName(ordinal), offset, 3);
    }
}
