// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalReader.Limit;
import io.journal.store.Backend;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Appends of several threads, durability, times, and snapshots by key. */
class StreamsTest
{
    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    private static Event event(final String... tags)
    {
        return new Event("type", Set.of(tags), new byte[20]);
    }

    private record Success(long position, Condition condition)
    {
    }

    @Test
    void concurrentAppendsAreSerializable() throws Exception
    {
        final ExecutorService threads = Executors.newFixedThreadPool(5);
        final List<Success> successes = Collections.synchronizedList(new ArrayList<>());
        try (EventStreams streams = EventStreams.open(Journal.open(directory), new EventStreams.Options(
            64, true, Runnable::run, Clock.systemUTC(), EventStreams.Options.DEFAULT.errorHandler())))
        {
            final List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                final Random random = new Random(i);
                running.add(threads.submit(() -> decide(streams, random, successes)));
            }
            running.add(threads.submit(() -> checkReads(streams)));
            for (final Future<?> each : running)
            {
                each.get();
            }

            for (final Success success : successes)
            {
                streams.read(success.condition.failIfMatch(),
                    Range.from(success.condition.after()).to(success.position - 1), (event) ->
                    {
                        throw new AssertionError(success + " should have been refused: " + event);
                    });
            }
            assertTrue(successes.size() > 1000, () -> "appended: " + successes.size());
        }
        finally
        {
            threads.shutdownNow();
        }
    }

    private static void decide(final EventStreams streams, final Random random, final List<Success> successes)
    {
        for (int i = 0; i < 1_000; i++)
        {
            final String tag = "tag" + random.nextInt(5);
            final Query query = Query.tags(tag);
            final long after = streams.read(query, Range.ALL.backwards().first(1), (event) ->
            {
            });
            Thread.yield();
            final Condition condition = new Condition(query, after);
            try
            {
                successes.add(new Success(streams.append(List.of(event(tag)), condition).first(), condition));
            }
            catch (final ConflictException ex)
            {
                assertTrue(ex.position() > after);
                assertTrue(streams.get(ex.position(), (event) -> assertTrue(event.tags().contains(tag))));
            }
        }
    }

    /** Each position is read once, and no event is missing before another. */
    private static void checkReads(final EventStreams streams)
    {
        for (long head = 0; head < 1_000; head = streams.head(Limit.WRITTEN))
        {
            final long[] next = { 1 };
            final long upTo =
                streams.read(Query.types("type"), Range.ALL, (event) -> assertEquals(next[0]++, event.position()));
            assertEquals(upTo + 1, next[0]);
            assertTrue(upTo >= head);
        }
    }

    @Test
    void versionsOfAStreamAreExpected()
    {
        try (EventStreams streams = EventStreams.open(Journal.open(directory)))
        {
            assertEquals(0, streams.version("a"));
            streams.appendTo("a", 0, List.of(event("x"), event("y")));
            streams.appendTo("b", EventStreams.ANY_VERSION, List.of(event("x")));
            streams.appendTo("a", 2, List.of(event()));
            final ConflictException conflict =
                assertThrows(ConflictException.class, () -> streams.appendTo("a", 2, List.of(event())));
            assertEquals(4, conflict.position());
            assertEquals(0, conflict.condition());
            assertThrows(ConflictException.class, () -> streams.appendTo("c", 1, List.of(event())));
            assertEquals(3, streams.version("a"));
            assertEquals(1, streams.version("b"));

            final List<Long> versions = new ArrayList<>();
            streams.read(Query.stream("a"), Range.ALL, (event) ->
            {
                assertEquals("a", event.stream());
                versions.add(event.version());
            });
            assertEquals(List.of(1L, 2L, 3L), versions);
        }
    }

    @Test
    void futureCompletesWhenDurable()
    {
        final FaultStore store = new FaultStore(Backend.MAPPED);
        final AtomicReference<Thread> completer = new AtomicReference<>();
        final ExecutorService executor = Executors.newSingleThreadExecutor((task) -> new Thread(task, "completer"));
        try (EventStreams streams = EventStreams.open(Journal.builder(directory).store(store).open(),
            new EventStreams.Options(64, true, (task) -> executor.execute(() ->
            {
                completer.set(Thread.currentThread());
                task.run();
            }), Clock.systemUTC(), EventStreams.Options.DEFAULT.errorHandler())))
        {
            final List<CompletableFuture<Void>> futures = new ArrayList<>();
            for (int i = 0; i < 1_000; i++)
            {
                futures.add(streams.durable(streams.append(List.of(event())).last()));
            }
            CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0])).join();
            assertEquals(1_000, streams.head(Limit.FORCED));
            assertEquals("completer", completer.get().getName());
        }
        finally
        {
            executor.shutdown();
        }
    }

    @Test
    void futureFailsWithTheJournal()
    {
        final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);
        final EventStreams streams = EventStreams.open(Journal.builder(directory).store(store)
            .segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).backgroundThread(false).open());
        streams.append(List.of(event()));
        store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));
        final CompletableFuture<Void> future = streams.durable(1);
        assertInstanceOf(JournalException.class,
            assertThrows(CompletionException.class, future::join).getCause());
        assertThrows(CompletionException.class, () -> streams.durable(1).join());
        assertThrows(JournalException.class, () -> streams.append(List.of(event())));
        assertThrows(JournalException.class, streams::close);
    }

    @Test
    void futureOfATruncatedEventCompletes()
    {
        // Nobody forces, so the future waits.
        try (EventStreams streams = EventStreams.open(Journal.builder(directory).backgroundThread(false)
            .force(io.journal.ForcePolicy.every(Duration.ofHours(1))).open()))
        {
            streams.append(List.of(event()));
            streams.append(List.of(event(), event()));
            final CompletableFuture<Void> kept = streams.durable(1);
            final CompletableFuture<Void> gone = streams.durable(3);
            streams.truncateAfter(1);
            kept.join();
            // It was durable before it was truncated, which the future may have missed.
            assertTrue(gone.handle((none, cause) -> null == cause || cause instanceof IllegalStateException).join());
        }
    }

    @Test
    void timesNeverFall()
    {
        final Instant[] now = { Instant.parse("2026-01-01T00:00:00.123456789Z") };
        final Clock clock = new Clock()
        {
            @Override
            public ZoneOffset getZone()
            {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(final java.time.ZoneId zone)
            {
                return this;
            }

            @Override
            public Instant instant()
            {
                return now[0];
            }
        };
        final EventStreams.Options options = new EventStreams.Options(
            16, true, Runnable::run, clock, EventStreams.Options.DEFAULT.errorHandler());
        final Instant first = now[0];
        try (EventStreams streams = EventStreams.open(Journal.open(directory), options))
        {
            for (int i = 0; i < 100; i++)
            {
                streams.append(List.of(event()));
                now[0] = now[0].plusSeconds(1);
            }
        }
        now[0] = first;
        try (EventStreams streams = EventStreams.open(Journal.open(directory), options))
        {
            streams.append(List.of(event()));
            streams.get(101, (event) -> assertEquals(Instant.parse("2026-01-01T00:01:39.123456Z"), event.time()));
            assertEquals(0, streams.positionAt(Instant.MIN));
            assertEquals(0, streams.positionAt(Instant.parse("2026-01-01T00:00:00.123456Z")));
            assertEquals(1, streams.positionAt(first));
            assertEquals(50, streams.positionAt(first.plusSeconds(49)));
            assertEquals(101, streams.positionAt(Instant.MAX));
        }
    }

    @Test
    void snapshotIsReplacedAndLoaded()
    {
        final List<Throwable> problems = new ArrayList<>();
        final EventStreams.Options options =
            new EventStreams.Options(64, true, Runnable::run, Clock.systemUTC(), problems::add);
        final byte[] state = new byte[100_000];
        new Random(1).nextBytes(state);
        try (EventStreams streams = EventStreams.open(Journal.open(directory), options))
        {
            final KeyedSnapshots snapshots = streams.snapshots();
            assertNull(snapshots.load("key"));
            for (int i = 0; i < 3; i++)
            {
                streams.append(List.of(event()));
            }
            assertThrows(IllegalArgumentException.class, () -> snapshots.save("key", 4, state));
            assertThrows(IllegalArgumentException.class, () -> snapshots.save("key", 0, state));
            assertThrows(IllegalArgumentException.class, () -> snapshots.load(""));
            assertNull(snapshots.load("key"));
            snapshots.save("key", 1, new byte[]{ 7 });
            assertTrue(streams.head(Limit.FORCED) > 0);
            assertSnapshot(snapshots, "key", 1, new byte[]{ 7 });
            snapshots.save("key", 3, state);
            snapshots.save("other", 2, new byte[0]);
        }
        try (EventStreams streams = EventStreams.open(Journal.open(directory), options))
        {
            final KeyedSnapshots snapshots = streams.snapshots();
            assertSnapshot(snapshots, "key", 3, state);
            assertSnapshot(snapshots, "other", 2, new byte[0]);
            streams.truncateAfter(2);
            streams.append(List.of(event()));
            assertEquals(List.of(), problems);
            assertNull(snapshots.load("key"));
            assertEquals(1, problems.size());
            assertSnapshot(snapshots, "other", 2, new byte[0]);
            snapshots.delete("other");
            snapshots.delete("other");
            assertNull(snapshots.load("other"));
        }
    }

    @Test
    void damagedSnapshotIsReported() throws IOException
    {
        final List<Throwable> problems = new ArrayList<>();
        try (EventStreams streams = EventStreams.open(Journal.open(directory),
            new EventStreams.Options(64, true, Runnable::run, Clock.systemUTC(), problems::add)))
        {
            streams.append(List.of(event()));
            streams.snapshots().save("key", 1, new byte[100]);
            final Path file;
            try (Stream<Path> files = Files.list(directory.resolve("streams/snapshots")))
            {
                file = files.findFirst().orElseThrow();
            }
            final byte[] bytes = Files.readAllBytes(file);
            for (int i = 0; i < bytes.length; i++)
            {
                final byte[] damaged = bytes.clone();
                damaged[i] ^= 1;
                Files.write(file, damaged);
                assertNull(streams.snapshots().load("key"));
                Files.write(file, Arrays.copyOf(bytes, i));
                assertNull(streams.snapshots().load("key"));
                assertEquals(2 * i + 2, problems.size());
            }
            Files.write(file, bytes);
            assertSnapshot(streams.snapshots(), "key", 1, new byte[100]);
        }
    }

    private static void assertSnapshot(
        final KeyedSnapshots snapshots, final String key, final long position, final byte[] state)
    {
        final KeyedSnapshots.Snapshot snapshot = snapshots.load(key);
        assertEquals(position, snapshot.position());
        assertArrayEquals(state, snapshot.state());
    }

    @Test
    void interruptedThreadContinues()
    {
        Thread.currentThread().interrupt();
        try (EventStreams streams = EventStreams.open(Journal.open(directory), new EventStreams.Options(
            16, true, Runnable::run, Clock.systemUTC(), EventStreams.Options.DEFAULT.errorHandler())))
        {
            for (int i = 0; i < 100; i++)
            {
                streams.append(List.of(event("tag")));
            }
            streams.snapshots().save("key", 100, new byte[]{ 1 });
            assertSnapshot(streams.snapshots(), "key", 100, new byte[]{ 1 });
            assertEquals(100, streams.read(Query.tags("tag"), Range.ALL, (event) ->
            {
            }));
        }
        assertTrue(Thread.interrupted());
        assertFalse(Thread.interrupted());
    }
}
