package io.journal.bench.journal;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;
import io.journal.store.Backend;

/**
 * The check that a closed journal holds what was appended, by code that did not write it: the verifier reads the
 * frames by itself, and another backend hands out the records.
 */
final class Verification
{
    private Verification()
    {
    }

    /**
     * @param written by this backend.
     * @param last    sequence that was appended.
     * @return sequence of the first record that is still there.
     * @throws IllegalStateException if anything is not what was appended, or there is nothing.
     */
    static long check(final Path path, final Backend written, final Records records, final long last)
    {
        checkFrames(path);
        final Backend other = Backend.FILE_CHANNEL == written ? Backend.RANDOM_ACCESS_FILE : Backend.FILE_CHANNEL;
        try (Journal journal = Journal.builder(path).backend(other).open(); JournalReader reader = journal.openReader())
        {
            final long first = journal.firstSequence();
            records.expect(first);
            reader.seek(first);
            while (reader.poll(records::checkContent, Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }

            if (records.expectedSequence() != last + 1 || first > last)
            {
                throw new IllegalStateException(
                    "records lost: appended=" + last + ", first=" + first + ", read up to=" +
                        (records.expectedSequence() - 1));
            }
            return first;
        }
    }

    private static void checkFrames(final Path path)
    {
        final Verdict verdict = JournalVerifier.verify(path);
        if (verdict.isDamaged() || !verdict.isCleanlyClosed())
        {
            throw new IllegalStateException("not what was appended: " + verdict.findings());
        }
    }
}
