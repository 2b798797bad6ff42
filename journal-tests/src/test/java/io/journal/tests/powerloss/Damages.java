// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.testkit.FaultStore;
import io.journal.tests.support.JournalFixture;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Crashes a workload at each of its steps and flips one bit in the length of a remaining record: opening or reading
 * reports it, or truncates the record; only appended records are delivered.
 */
final class Damages
{
    private static final int SEGMENT_LENGTH = 64 * 1024;
    private static final int LENGTH_BITS = 32;

    private Damages()
    {
    }

    /**
     * @return how many damaged disks were opened.
     */
    static int run(final Backend backend, final Path directory, final Workload workload, final long seed)
    {
        final List<Moment> moments;
        try (RecordedJournal recorded = new RecordedJournal(
            directory, new FaultStore(backend), Variant.NONE, Expected.nothing(), 1, seed))
        {
            workload.run(recorded);
            moments = recorded.moments();
        }

        final Random random = new Random(seed);
        int count = 0;
        for (final Moment moment : moments)
        {
            final List<Long> ends = moment.expected().ends();
            for (int i = 0; i < Math.min(4, ends.size()); i++)
            {
                final int index = random.nextInt(ends.size());
                // Most often one that leaves the frame's room as it is.
                final int bit = random.nextInt(random.nextInt(4) == 0 ? LENGTH_BITS : 3);
                final FaultStore disk = moment.point().killed();
                check(
                    disk, directory, moment.expected(), index, bit,
                    "backend=" + backend + ", workload=" + workload + ", seed=" + seed + ", " + moment.place() +
                        ", record=" + index + ", bit=" + bit);
                count++;
            }
        }

        return count;
    }

    private static void check(
        final FaultStore disk,
        final Path directory,
        final Expected expected,
        final int index,
        final int bit,
        final String place)
    {
        final int length = expected.records().get(index).bytes().length;
        final long start = expected.ends().get(index) - (RecordedJournal.FRAME_HEADER_LENGTH + length + 7 & -8);
        try
        {
            disk.flip(
                String.format("%020d.journal", start / SEGMENT_LENGTH), start % SEGMENT_LENGTH + bit / Byte.SIZE,
                bit % Byte.SIZE);
        }
        catch (final IOException ex)
        {
            throw new AssertionError(place, ex);
        }

        try (Journal journal = JournalFixture.repeatable(directory, disk, () -> 0).open())
        {
            final List<Entry> read = Expected.read(journal);
            final int first = (int)journal.firstSequence() - 1;
            assertEquals(expected.records().subList(first, first + read.size()), read, place);
        }
        catch (final CorruptJournalException ignore)
        {
            // Reported.
        }
    }
}
