package io.journal;

import java.nio.file.Path;
import java.util.function.LongSupplier;

import io.journal.store.SegmentStore;

/**
 * Deterministic journals: no thread, no clock, no randomness.
 */
public final class RepeatableJournal
{
    private static final long TIME_MS = 1_750_000_000_000L;

    private RepeatableJournal()
    {
    }

    public static JournalBuilder builder(final Path path, final SegmentStore store, final LongSupplier randoms)
    {
        return Journal.builder(path)
            .store(store)
            .segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .backgroundThread(false)
            .clock(() -> TIME_MS)
            .randoms(randoms);
    }

    /**
     * Backs up into a store of the target's parent directory.
     */
    public static long backup(final Journal journal, final Path target, final SegmentStore parent)
    {
        return journal.engine().backup(target, parent);
    }
}
