package io.journal.bench.recommend;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.bench.run.Arguments;
import io.journal.bench.subject.Records;
import io.journal.store.Backend;

/**
 * The journal that a trial measures: its settings and its expected records.
 */
record JournalUnderTest(
    Path path, Backend backend, int segmentLength, int windowLength, int recordLength, Records records)
{
    /** @param name of its directory. */
    static JournalUnderTest of(final Arguments args, final String name)
    {
        final int recordLength = args.length("recordLength");
        return new JournalUnderTest(
            args.directory().resolve(name), args.one(Backend.class, "backend"), args.length("segmentLength"),
            args.length("windowLength"), recordLength, new Records(recordLength));
    }

    /** With its settings, in another directory. */
    JournalBuilder builder(final Path elsewhere)
    {
        return Journal.builder(elsewhere).backend(backend).segmentLength(segmentLength).writeWindow(windowLength);
    }

    Journal open()
    {
        return builder(path).open();
    }
}
