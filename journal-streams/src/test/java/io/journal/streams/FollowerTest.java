// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalReader.Limit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A reader in this process, while another process appends, writes and merges index files, and prunes, and is killed
 * again and again. The position of an event determines its tags, so each answer can be checked.
 */
@Tag("slow")
class FollowerTest
{
    private static final int KEYS = 7;
    private static final int KEPT = 1_000;
    private static final long FOLLOWED_NS = 300_000_000;

    @TempDir(factory = MemoryDirectory.class)
    private Path temp;

    /** The writer. */
    public static void main(final String[] args)
    {
        final Random random = new Random();
        final Journal journal =
            Journal.builder(Path.of(args[0])).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).open();
        final EventStreams streams = EventStreams.open(journal, new EventStreams.Options(
            16 + random.nextInt(64), random.nextBoolean(), Runnable::run, Clock.systemUTC(), (problem) ->
            {
            }));
        while (true)
        {
            final List<Event> events = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(3); i++)
            {
                events.add(event(streams.head(Limit.WRITTEN) + 1 + i));
            }
            streams.append(events);
            if (0 == random.nextInt(300))
            {
                journal.prune(Math.max(1, streams.head(Limit.WRITTEN) - KEPT));
            }
        }
    }

    private static Event event(final long position)
    {
        return new Event("type" + position % 3, Set.of("key" + position % KEYS), new byte[(int)(position % 50)]);
    }

    @Test
    void readerAnswersRightWhileWritersAreKilled() throws Exception
    {
        run(3);
    }

    @Test
    @Tag("soak")
    void readerAnswersRightWhileManyWritersAreKilled() throws Exception
    {
        run(60);
    }

    private void run(final int rounds) throws Exception
    {
        final Path directory = temp.resolve("journal");
        long head = 0;
        for (int i = 0; i < rounds; i++)
        {
            final Process writer = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("java.class.path"), FollowerTest.class.getName(), directory.toString())
                .inheritIO().start();
            try
            {
                while (!hasIndexFiles(directory))
                {
                    assertTrue(writer.isAlive());
                    Thread.sleep(10);
                }
                head = follow(directory, writer, head);
            }
            finally
            {
                writer.destroyForcibly().waitFor();
            }
            // What a killed writer leaves.
            try (EventReader reader = EventReader.openReadOnly(directory))
            {
                head = check(reader, head);
                head = check(reader, head);
            }
        }
    }

    private static boolean hasIndexFiles(final Path directory) throws IOException
    {
        final Path index = directory.resolve("streams");
        try (Stream<Path> files = Files.isDirectory(index) ? Files.list(index) : Stream.empty())
        {
            return files.anyMatch((file) -> file.toString().endsWith(".index"));
        }
    }

    private static long follow(final Path directory, final Process writer, final long before) throws Exception
    {
        long head = before;
        final long end = System.nanoTime() + FOLLOWED_NS;
        while (System.nanoTime() < end || head < before + 2 * KEPT)
        {
            assertTrue(writer.isAlive());
            try (EventReader reader = EventReader.openReadOnly(directory))
            {
                for (int i = 0; i < 20; i++)
                {
                    head = check(reader, head);
                }
            }
        }
        try (EventReader reader = EventReader.openReadOnly(directory))
        {
            head = check(reader, head);
            writer.destroyForcibly().waitFor();
            return check(reader, head);
        }
    }

    /** Compares answers with what the positions say; returns the position up to which one looked. */
    private static long check(final EventReader reader, final long before)
    {
        final long key = before % KEYS;
        long looked = before;
        try
        {
            final long after = Math.max(reader.first() - 1, reader.head(Limit.WRITTEN) - 500);
            final long[] next = { after + 1 };
            looked = reader.read(Query.of(Set.of("type0", "type1", "type2"), Set.of("key" + key)), Range.from(after),
                (event) ->
                {
                    assertEquals(key, event.position() % KEYS);
                    assertEquals(event(event.position()), event.copy());
                    assertTrue(event.position() - next[0] < KEYS, () -> "missing after " + next[0]);
                    next[0] = event.position() + 1;
                });
            assertTrue(looked - next[0] < KEYS, "missing after " + next[0] + ", looked=" + looked);
            final List<Long> newest = new ArrayList<>();
            final long top = looked;
            reader.read(Query.tags("key" + key), Range.ALL.to(looked).backwards().first(3),
                (event) -> newest.add(event.position()));
            for (int i = 0; i < newest.size(); i++)
            {
                assertEquals(top - Math.floorMod(top - key, KEYS) - (long)i * KEYS, newest.get(i));
            }
        }
        catch (final PrunedException ex)
        {
            // Pruned between the two calls.
            assertTrue(reader.first() > 1);
        }
        assertTrue(looked >= before, "looked=" + looked + ", before=" + before);
        return looked;
    }
}
