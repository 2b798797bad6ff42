// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.verify.JournalVerifier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The terms that watermark frames name, in order. */
class TermTest extends RecoveryFixture
{
    @EachBackend
    void readerGoesBackAndForthOverTheBeginningOfTerms(final Backend backend)
    {
        for (int life = 0; life < 3; life++)
        {
            try (Journal journal = open(live, backend))
            {
                model.append(journal, 5, 100);
                model.forceAndMark(journal);
                model.append(journal, 3, 100);
                journal.truncateAfter(model.size() - 1);
                model.forgetAfter(model.size() - 1);
                model.append(journal, 2, 100);
            }
        }

        final Journal journal = closing(open(live, backend));
        final JournalReader reader = closing(journal.openReader());
        for (int way = 0; way < 2; way++)
        {
            final List<Entry> found = new ArrayList<>();
            readOn(reader, found);
            model.assertHolds(found, model.size());
            for (long sequence = model.size(); sequence > 0; sequence--)
            {
                assertEquals(1, reader.pollBackwards((buffer, offset, length, header) ->
                {
                }, 1));
                assertEquals(sequence, reader.nextSequence());
            }
        }
    }

    @EachBackend
    void frameOfALaterTermThanTheStateIsCorruption(final Backend backend)
    {
        crashWithUnforced(backend, 5, 0);
        final State state = crashed.state();
        final Map<String, byte[]> image = crashed.content();
        for (final long term : new long[]{ state.term(), state.term() + 8 })
        {
            crashed.restore(image);
            assertTermIsRefused(backend, state.number() + 1, term);
        }
    }

    /** Such a frame appears if a copy of the directory was opened as well. */
    @EachBackend
    void frameOfAnotherTermWithTheNumberOfTheStateIsCorruption(final Backend backend)
    {
        crashWithUnforced(backend, 5, 0);
        final State state = crashed.state();
        assertTermIsRefused(backend, state.number(), state.term() + 8);
    }

    private void assertTermIsRefused(final Backend backend, final long number, final long term)
    {
        crashed.writeMark(0, crashed.end(), 6, crashed.end(), number, term, crashed.state().term());
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("later term"), ex.getMessage());
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
        assertTrue(JournalVerifier.verify(crashed.path).isDamaged());
        crashed.assertHolds(before);
    }

    /** A writer that has lost its lock may store such a frame late. */
    @EachBackend
    void frameOfAnEarlierTermIsATornTail(final Backend backend)
    {
        crashWithUnforced(backend, 5, 0);
        final State state = crashed.state();
        crashed.writeMark(0, crashed.end(), 6, crashed.end(), state.number() - 1, 5, state.term());

        final Journal journal = closing(open(crashed, backend));
        // The last bytes belong to a random term, so they may be zeros.
        final long tornLength = journal.recoveryReport().tornLength();
        assertTrue(tornLength > 56 && tornLength <= 64, () -> "tornLength=" + tornLength);
        model.assertHolds(journal);
        model.append(journal, 3, 100);
        model.assertHolds(journal);
    }

    @EachBackend
    void recordWithoutTheWatermarkFrameThatBeginsItsTermIsCorruption(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 5, 100);
            journal.truncateAfter(3);
            model.forgetAfter(3);
            model.append(journal, 2, 40);
            model.appendInto(journal, 2, 3000);
            journal.force();
            live.copyTo(crashed.path);
        }
        final int offset = (int)crashed.state().newest().to();
        // Put a record in the frame's place, then an unknown control frame.
        crashed.writeFrame(0, offset, false, 4, 7, new byte[40]);
        assertReportedByReader(backend, offset);
        crashed.writeFrame(0, offset, true, 4, 99, new byte[40]);
        assertReportedByReader(backend, offset);
    }

    private void assertReportedByReader(final Backend backend, final int offset)
    {
        assertTrue(JournalVerifier.verify(crashed.path).isDamaged());
        final Frame first = crashed.frames(0).get(0);
        assertTrue(first.isMark());
        try (Journal journal = open(crashed, backend))
        {
            assertReaderStays(journal, 4, 0, offset);
        }
    }
}
