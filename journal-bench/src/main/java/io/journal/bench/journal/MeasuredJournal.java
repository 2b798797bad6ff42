package io.journal.bench.journal;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.bench.run.Arguments;
import io.journal.store.Backend;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

/**
 * The journal that a case measures, opened as the case was told, and what should be in it.
 */
public record MeasuredJournal(
    Path path, Backend backend, int writeWindow, int segmentLength, int recordLength, Records records)
{
    /**
     * @param name of its directory.
     */
    public static MeasuredJournal of(final Arguments args, final String name)
    {
        final int recordLength = args.length("recordLength");
        return new MeasuredJournal(
            args.directory().resolve(name), args.one(Backend.class, "backend"),
            Integer.parseInt(args.values().getOrDefault("windowLength", "0")), args.length("segmentLength"),
            recordLength, new Records(recordLength));
    }

    public JournalBuilder builder()
    {
        return Journal.builder(path).backend(backend).writeWindow(writeWindow).segmentLength(segmentLength);
    }

    public Journal open()
    {
        return builder().open();
    }

    /**
     * Opens it as it is: what is read is what an opening finds, and nothing is pruned meanwhile.
     */
    public Journal reopen()
    {
        return Journal.builder(path).backend(backend).open();
    }

    /**
     * Checks that the closed journal holds what was appended, by code that did not write it: the verifier reads the
     * frames by itself, and another backend hands out the records.
     *
     * @param last sequence that was appended.
     * @return sequence of the first record that is still there.
     * @throws IllegalStateException if anything is not what was appended, or there is nothing.
     */
    public long check(final long last)
    {
        final Verdict verdict = JournalVerifier.verify(path);
        if (verdict.isDamaged() || !verdict.isCleanlyClosed())
        {
            throw new IllegalStateException("not what was appended: " + verdict.findings());
        }
        final Backend other = Backend.FILE_CHANNEL == backend ? Backend.RANDOM_ACCESS_FILE : Backend.FILE_CHANNEL;
        try (Journal journal = Journal.builder(path).backend(other).open())
        {
            records.check(journal, last);
            return journal.firstSequence();
        }
    }
}
