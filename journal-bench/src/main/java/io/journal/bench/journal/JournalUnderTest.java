package io.journal.bench.journal;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.bench.run.Arguments;
import io.journal.store.Backend;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

/**
 * The journal that a case measures: its settings and its expected records.
 */
public record JournalUnderTest(
    Path path, Backend backend, int writeWindow, int segmentLength, int recordLength, Records records)
{
    // The backend's own.
    private static final String DEFAULT_WINDOW = "-1";

    /**
     * @param name of its directory.
     */
    public static JournalUnderTest of(final Arguments args, final String name)
    {
        final int recordLength = args.length("recordLength");
        return new JournalUnderTest(
            args.directory().resolve(name), args.one(Backend.class, "backend"),
            Integer.parseInt(args.values().getOrDefault("windowLength", DEFAULT_WINDOW)), args.length("segmentLength"),
            recordLength, new Records(recordLength));
    }

    public JournalBuilder builder()
    {
        final JournalBuilder builder = Journal.builder(path).backend(backend).segmentLength(segmentLength);
        return writeWindow < 0 ? builder : builder.writeWindow(writeWindow);
    }

    public Journal open()
    {
        return builder().open();
    }

    /**
     * Opens it with default settings, so that nothing is pruned.
     */
    public Journal reopen()
    {
        return Journal.builder(path).backend(backend).open();
    }

    /**
     * Checks the closed journal by independent code: with the verifier, and by reading the records through another
     * backend.
     *
     * @param last sequence that was appended.
     * @return sequence of the first record that was retained.
     * @throws IllegalStateException if a record is wrong or missing.
     */
    public long check(final long last)
    {
        final Verdict verdict = JournalVerifier.verify(path);
        if (verdict.isDamaged() || !verdict.isCleanlyClosed())
        {
            throw new IllegalStateException("damaged journal: " + verdict.findings());
        }
        final Backend other = Backend.FILE_CHANNEL == backend ? Backend.RANDOM_ACCESS_FILE : Backend.FILE_CHANNEL;
        try (Journal journal = Journal.builder(path).backend(other).open())
        {
            records.check(journal, last);
            return journal.firstSequence();
        }
    }
}
