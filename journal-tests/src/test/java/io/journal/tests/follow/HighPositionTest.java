// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.follow;

import java.nio.file.Files;
import java.util.List;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.JournalFixture;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.littleEndian;
import static io.journal.tests.support.JournalDirectory.sealed;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A journal whose positions do not fit into 32 bits, because it has pruned so much. */
@InMemory
class HighPositionTest extends JournalFixture
{
    // The segment at 3 GiB: this position, negated and truncated to 32 bits, is 1 GiB.
    private static final long ORDINAL = 3L * 1024 * 1024 * 1024 / SEGMENT_LENGTH;
    private static final int ORDINAL_OFFSET = 48;
    private static final int RECORDS = 20;

    @EachBackend
    void durableRecordsAreWaitedForWhileItIsNotKnownWhatIsDurable(final Backend backend)
    {
        final JournalDirectory files = journal(backend);
        files.loseForced();
        assertNothingDurable(backend, files);
    }

    @EachBackend
    void watermarkBelowTheStartTellsNothing(final Backend backend)
    {
        final JournalDirectory files = journal(backend);
        files.writeForced(BLOCK_LENGTH + 1000, 1);
        assertNothingDurable(backend, files);
    }

    private void assertNothingDurable(final Backend backend, final JournalDirectory files)
    {
        try (ReadOnlyJournal followed = Internals.openReadOnly(files.path, backend.store(files.path));
            JournalReader durable = followed.openReader(JournalReader.Limit.FORCED);
            JournalReader written = followed.openReader())
        {
            assertEquals(List.of(), poll(durable));
            durable.seekToEnd();
            assertEquals(List.of(), poll(durable));
            assertEquals(0, durable.pollBackwards(IGNORE, 1));
            assertNumbered(1, RECORDS, poll(written));
            final JournalException ex =
                assertThrows(JournalException.class, () -> followed.backup(temp.resolve("copy")));
            assertTrue(ex.getMessage().contains("not known what is durable"), ex::toString);
            assertFalse(Files.exists(temp.resolve("copy")));
        }
    }

    @EachBackend
    void durableRecordsAreReadAndCopied(final Backend backend)
    {
        final JournalDirectory files = journal(backend);
        try (ReadOnlyJournal followed = Internals.openReadOnly(files.path, backend.store(files.path));
            JournalReader durable = followed.openReader(JournalReader.Limit.FORCED))
        {
            assertNumbered(1, RECORDS, poll(durable));
            assertEquals(RECORDS, followed.backup(temp.resolve("copy")));
            assertNumbered(1, RECORDS, readAll(temp.resolve("copy"), backend));
        }
    }

    /** A journal of one segment, moved to the position that it would have after pruning that many segments. */
    private JournalDirectory journal(final Backend backend)
    {
        try (Journal journal = repeatable(backend).open())
        {
            appendNumbered(journal, RECORDS, 100);
        }

        final JournalDirectory files = new JournalDirectory(directory());
        for (final long ordinal : files.ordinals())
        {
            if (ordinal > 0)
            {
                files.delete(segmentName(ordinal));
            }
        }
        final byte[] header = files.read(segmentName(0), 0, BLOCK_LENGTH);
        littleEndian(header).putLong(ORDINAL_OFFSET, ORDINAL);
        files.overwrite(segmentName(0), 0, sealed(header));
        files.rename(segmentName(0), segmentName(ORDINAL));
        final State state = files.state();
        final long moved = ORDINAL * SEGMENT_LENGTH;
        final Cut begin = state.newest();
        files.writeStates(new State(
            state.generation() + 1, state.number(), state.term(), moved, 1, 0, 0, 0, 0,
            List.of(new Cut(
                begin.number(), begin.term(), moved + begin.from(), moved + begin.to(), begin.sequence(), 0)),
            state.cursors()));
        files.writeForced(moved + files.forced().position(), RECORDS + 1);
        return files;
    }
}
