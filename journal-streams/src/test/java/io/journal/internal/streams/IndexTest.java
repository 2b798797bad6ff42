// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import io.journal.Journal;
import io.journal.JournalReader.Limit;
import io.journal.streams.Event;
import io.journal.streams.EventStreams;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How much of the index is on the heap. */
class IndexTest
{
    private static final int BATCH = 1000;

    @TempDir
    private Path directory;

    private static void append(final EventStreams streams, final int batches)
    {
        for (int i = 0; i < batches; i++)
        {
            streams.append(Collections.nCopies(BATCH, new Event("type", Set.of("batch" + i), new byte[10])));
        }
    }

    private static long tails(final Index index)
    {
        return Arrays.stream(index.sources()).filter(Tail.class::isInstance).count();
    }

    private static void assertFound(final Query query, final int expected, final IndexedReader reader)
    {
        final int[] count = new int[1];
        reader.read(query, Range.ALL, (event) -> count[0]++);
        assertEquals(expected, count[0]);
    }

    /** A file made from the events of one must not take the place of the other, whose events are others. */
    @Test
    void gapsOfEqualBoundsDiffer()
    {
        assertNotEquals(new Gap(1, 100), new Gap(1, 100));
    }

    @Test
    void followerThatWasIdleUsesTheFilesOfItsWriter() throws Exception
    {
        final int batches = 100;
        try (EventStreams streams = EventStreams.open(Journal.open(directory));
            Follower follower = new Follower(directory))
        {
            append(streams, batches);
            final Index written = ((Streams)streams).index;
            while (tails(written) > 1)
            {
                Thread.sleep(1);
            }
            assertEquals(batches * BATCH, follower.head(Limit.WRITTEN));
            assertEquals(1, tails(follower.index));
            assertFound(Query.tags("batch7"), BATCH, follower);
        }
    }

    @Test
    void heapIsLimitedIfNoFileCanBeWritten() throws Exception
    {
        Files.createFile(Files.createDirectories(directory).resolve("streams"));
        try (EventStreams streams = EventStreams.open(Journal.open(directory), new EventStreams.Options(
            16, true, Runnable::run, Clock.systemUTC(), (problem) ->
            {
            })))
        {
            for (int i = 0; i < 2000; i++)
            {
                streams.append(List.of(new Event("type", Set.of("tag" + i % 100), new byte[10])));
            }
            final Streams opened = (Streams)streams;
            assertTrue(tails(opened.index) <= 64);
            assertFound(Query.tags("tag7"), 20, opened);

            // Made once there is room for it.
            Files.delete(directory.resolve("streams"));
            while (tails(opened.index) > 1 || Arrays.stream(opened.index.sources()).anyMatch(Gap.class::isInstance))
            {
                Thread.sleep(1);
            }
            assertFound(Query.tags("tag7"), 20, opened);
        }
    }
}
