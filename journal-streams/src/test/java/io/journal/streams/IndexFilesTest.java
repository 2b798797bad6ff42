// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalReader.Limit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Index files that are missing, damaged or foreign are reported and replaced; no answer depends on them. */
class IndexFilesTest
{
    private static final int EVENTS = 2_000;

    @TempDir(factory = MemoryDirectory.class)
    private Path temp;

    private final List<Throwable> problems = Collections.synchronizedList(new ArrayList<>());
    private Path directory;
    private Path index;
    private Journal journal;

    @BeforeEach
    void appendEvents() throws IOException
    {
        directory = temp.resolve("journal");
        index = directory.resolve("streams");
        append(directory);
        assertTrue(files().size() > 1, () -> "files: " + names());
    }

    private void append(final Path path)
    {
        try (EventStreams streams = open(path, true))
        {
            for (int i = 1; i <= EVENTS; i++)
            {
                streams.append(List.of(new Event(
                    new UUID(7, i), "type" + i % 3, Set.of("all", 3 == i ? "third" : "tag" + i % 100), new byte[10],
                    new byte[0])));
            }
        }
    }

    private EventStreams open(final Path path, final boolean isKeepingKeys)
    {
        return open(path, isKeepingKeys, 128);
    }

    private EventStreams open(final Path path, final boolean isKeepingKeys, final int tailEvents)
    {
        journal = Journal.builder(path).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).open();
        return EventStreams.open(journal, new EventStreams.Options(
            tailEvents, isKeepingKeys, Runnable::run, Clock.systemUTC(), problems::add));
    }

    private List<Path> files() throws IOException
    {
        try (Stream<Path> all = Files.list(index))
        {
            return all.filter((file) -> file.toString().endsWith(".index")).sorted().toList();
        }
    }

    private void delete() throws IOException
    {
        for (final Path file : files())
        {
            Files.delete(file);
        }
    }

    private String names()
    {
        return Arrays.toString(index.toFile().list());
    }

    /** Everything that an index answers, compared with what was appended. */
    private static void checkAnswers(final EventStreams streams)
    {
        for (int i = 0; i < 100; i += 7)
        {
            final List<Long> expected = new ArrayList<>();
            for (long position = 0 == i ? 100 : i; position <= EVENTS; position += 100)
            {
                expected.add(position);
            }
            final List<Long> found = new ArrayList<>();
            streams.read(Query.tags("tag" + i, "all"), Range.ALL, (event) -> found.add(event.position()));
            assertEquals(expected, found);
            found.clear();
            streams.read(Query.tags("tag" + i), Range.ALL.backwards(), (event) -> found.add(0, event.position()));
            assertEquals(expected, found);
        }
        for (int i = 1; i < EVENTS; i += 111)
        {
            final Event repeated = new Event(new UUID(7, i), "other", Set.of(), new byte[0], new byte[0]);
            assertEquals(new EventStreams.Appended(i, i, true), streams.append(List.of(repeated)));
        }
        final Event none = new Event("none", Set.of(), new byte[0]);
        final ConflictException conflict = assertThrows(ConflictException.class,
            () -> streams.append(List.of(none), new Condition(Query.tags("tag7"), EVENTS - 100)));
        assertEquals(EVENTS - 93, conflict.position());
    }

    private void checkAfter(final boolean isReported) throws IOException
    {
        try (EventStreams streams = open(directory, true))
        {
            checkAnswers(streams);
        }
        assertEquals(isReported, !problems.isEmpty(), problems::toString);
        problems.clear();
        // What was reported is repaired.
        try (EventStreams streams = open(directory, true))
        {
            checkAnswers(streams);
        }
        assertTrue(problems.isEmpty(), problems::toString);
    }

    @Test
    void keptFilesAnswer() throws IOException
    {
        checkAfter(false);
    }

    @Test
    void missingFilesAreMadeAgain() throws IOException
    {
        delete();
        checkAfter(false);
        assertFalse(files().isEmpty());
    }

    @Test
    void oneMissingFileIsMadeAgain() throws IOException
    {
        Files.delete(files().get(0));
        checkAfter(false);
    }

    @Test
    void eachDamagedByteIsFound() throws IOException
    {
        final Path file = files().stream().max((a, b) -> Long.compare(length(a), length(b))).orElseThrow();
        final byte[] bytes = Files.readAllBytes(file);
        final Map<Path, byte[]> all = new HashMap<>();
        for (final Path each : files())
        {
            all.put(each, Files.readAllBytes(each));
        }
        for (int i = 0; i < bytes.length; i += i < 64 || i > bytes.length - 30 ? 1 : 1 + bytes.length / 50)
        {
            final byte[] damaged = bytes.clone();
            damaged[i] ^= (byte)(1 << i % 8);
            delete();
            for (final Map.Entry<Path, byte[]> each : all.entrySet())
            {
                Files.write(each.getKey(), each.getKey().equals(file) ? damaged : each.getValue());
            }
            try (EventStreams streams = open(directory, true))
            {
                checkAnswers(streams);
            }
        }
        // Not each damaged block was needed.
        assertTrue(problems.size() > 64 + 30, () -> "reported: " + problems.size());
    }

    private static long length(final Path file)
    {
        return file.toFile().length();
    }

    @Test
    void tornFilesAreFound() throws IOException
    {
        for (final int part : new int[]{ 0, 1, 63, 64, 65, 500, 999, 1001 })
        {
            final Path file = files().get(0);
            final byte[] bytes = Files.readAllBytes(file);
            final int length =
                part < 100 ? part : part == 1001 ? bytes.length + 1 : (int)(part * (long)bytes.length / 1000);
            Files.write(file, Arrays.copyOf(bytes, length));
            checkAfter(true);
        }
    }

    @Test
    void filesOfAnotherJournalAreNotUsed() throws IOException
    {
        final Path other = temp.resolve("other");
        append(other);
        delete();
        try (Stream<Path> files = Files.list(other.resolve("streams")))
        {
            for (final Path file : files.toList())
            {
                Files.copy(file, index.resolve(file.getFileName()));
            }
        }
        checkAfter(true);
    }

    @Test
    void filesOfAnotherHistoryAreNotUsed() throws IOException
    {
        final List<byte[]> contents = new ArrayList<>();
        final List<Path> before = files();
        for (final Path file : before)
        {
            contents.add(Files.readAllBytes(file));
        }
        try (EventStreams streams = open(directory, true))
        {
            streams.truncateAfter(10);
            for (int i = 11; i <= EVENTS; i++)
            {
                streams.append(List.of(new Event("new", Set.of("new"), new byte[10])));
            }
        }
        for (int i = 0; i < contents.size(); i++)
        {
            Files.write(before.get(i), contents.get(i));
        }
        try (EventStreams streams = open(directory, true))
        {
            final long[] count = new long[2];
            streams.read(Query.tags("all"), Range.ALL, (event) -> count[0]++);
            streams.read(Query.tags("new"), Range.ALL, (event) -> count[1]++);
            assertEquals(10, count[0]);
            assertEquals(EVENTS - 10, count[1]);
        }
        assertFalse(problems.isEmpty());
    }

    @Test
    void directoryThatCannotBeMadeIsReported() throws IOException
    {
        delete();
        Files.delete(index);
        Files.writeString(index, "in the way");
        try (EventStreams streams = open(directory, true))
        {
            checkAnswers(streams);
            assertFalse(problems.isEmpty());
        }
        Files.delete(index);
        problems.clear();
        checkAfter(false);
    }

    @Test
    void prunedEventsAreKnownByTheirKeysOnly() throws IOException
    {
        try (EventStreams streams = open(directory, true))
        {
            final long first = journal.prune(EVENTS);
            assertTrue(first > 128);
            final Event event = new Event("new", Set.of(), new byte[0]);
            assertThrows(PrunedException.class,
                () -> streams.append(List.of(event), new Condition(Query.tags("third"), 0)));
            assertThrows(PrunedException.class, () -> streams.append(List.of(event.withId(new UUID(7, 3)))));
            assertThrows(PrunedException.class, () -> streams.read(Query.tags("all"), Range.ALL, (each) ->
            {
            }));
            streams.append(List.of(event.withId(new UUID(8, 3))), new Condition(Query.tags("never"), 0));
            assertEquals(0, streams.version("stream"));
        }
        try (EventStreams streams = open(directory, true))
        {
            assertEquals(0, streams.version("stream"));
            streams.appendTo("stream", 0, List.of(new Event("new", Set.of(), new byte[0])));
            assertEquals(1, streams.version("stream"));
        }
        // Opened once without, the keys are gone, unless a file has them together with those of events that are left.
        open(directory, false).close();
        final boolean isKept = files().stream().anyMatch((file) -> file.getFileName().toString().startsWith("1-"));
        try (EventStreams streams = open(directory, true))
        {
            assertEquals(1, streams.version("stream"));
            if (isKept)
            {
                assertEquals(0, streams.version("other"));
            }
            else
            {
                assertThrows(PrunedException.class, () -> streams.version("other"));
            }
        }
    }

    @Test
    void keysOfAnotherJournalAreNotUsed() throws IOException
    {
        final Path pruned = temp.resolve("pruned");
        final Path other = temp.resolve("other");
        for (final Path path : List.of(pruned, other))
        {
            // Closed after the first file, so that the second tail does not get into it.
            for (final int count : new int[]{ 260, 340 })
            {
                try (EventStreams streams = open(path, true, 256))
                {
                    for (int i = 1; i <= count; i++)
                    {
                        streams.append(
                            List.of(new Event("type", Set.of(path.getFileName().toString()), new byte[200])));
                    }
                    assertTrue(260 == count || journal.prune(600) > 257);
                }
            }
        }
        final String kept = "streams/1-256.index";
        try (EventStreams streams = open(pruned, true, 256))
        {
            assertEquals(0, streams.version("stream"));
        }
        Files.copy(other.resolve(kept), pruned.resolve(kept), StandardCopyOption.REPLACE_EXISTING);
        try (EventStreams streams = open(pruned, true, 256))
        {
            assertThrows(PrunedException.class, () -> streams.version("stream"));
            assertThrows(PrunedException.class, () -> streams.read(Query.tags("pruned"), Range.ALL, (event) ->
            {
            }));
        }
    }

    @Test
    void withoutKeysNothingIsKnownOfPrunedEvents()
    {
        try (EventStreams streams = open(directory, false))
        {
            final long first = journal.prune(EVENTS);
            final Event event = new Event("new", Set.of(), new byte[0]);
            assertThrows(PrunedException.class,
                () -> streams.append(List.of(event), new Condition(Query.tags("never"), first - 2)));
            streams.append(List.of(event.withId(new UUID(7, 3))), new Condition(Query.tags("never"), first - 1));
            assertThrows(PrunedException.class, () -> streams.appendTo("stream", 0, List.of(event)));
        }
    }

    @Test
    void followerReadsWhatTheWriterAppends() throws IOException
    {
        try (EventStreams streams = open(directory, true); EventReader follower = EventReader.openReadOnly(directory))
        {
            final long[] count = new long[1];
            for (int i = 0; i < 300; i++)
            {
                streams.append(List.of(new Event("live", Set.of("live" + i % 10), new byte[10])));
                final int number = i;
                count[0] = 0;
                assertEquals(EVENTS + i + 1, follower.read(Query.tags("live" + i % 10), Range.ALL, (event) ->
                {
                    assertEquals(number % 10, (event.position() - EVENTS - 1) % 10);
                    count[0]++;
                }));
                assertEquals(1 + i / 10, count[0]);
            }
            streams.truncateAfter(EVENTS + 100);
            streams.append(List.of(new Event("live", Set.of("after"), new byte[10])));
            assertEquals(EVENTS + 101, follower.head(Limit.WRITTEN));
            final List<Long> found = new ArrayList<>();
            follower.read(Query.tags("after").or(Query.tags("live5")), Range.ALL.backwards().first(2),
                (event) -> found.add(event.position()));
            assertEquals(List.of(EVENTS + 101L, EVENTS + 96L), found);
            journal.prune(EVENTS);
            count[0] = 0;
            follower.read(Query.tags("tag7"), Range.from(follower.first() - 1), (event) -> count[0]++);
            assertTrue(count[0] < EVENTS / 100);
            delete();
            try (EventReader second = EventReader.openReadOnly(directory))
            {
                assertEquals(EVENTS + 101, second.read(Query.tags("after"), Range.from(EVENTS),
                    (event) -> assertEquals(EVENTS + 101, event.position())));
            }
        }
    }
}
