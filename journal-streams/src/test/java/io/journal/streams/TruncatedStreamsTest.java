// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalReader.Limit;
import org.agrona.ErrorHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What stays, and what is told, when events are truncated or pruned. */
class TruncatedStreamsTest
{
    private static final Query ADA = Query.tags("name:ada");

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    private static Event event(final String... tags)
    {
        return new Event("type", Set.of(tags), new byte[20]);
    }

    private EventStreams open()
    {
        final EventStreams.Options standard = EventStreams.Options.DEFAULT;
        return EventStreams.open(Journal.open(directory), new EventStreams.Options(
            standard.tailEvents(), standard.isKeepingKeys(), standard.executor(), standard.clock(), (error) ->
            {
            }));
    }

    @Test
    void readsBesideATruncationFindTheEventsThatAreLeft() throws Exception
    {
        final ExecutorService reading = Executors.newSingleThreadExecutor();
        try (EventStreams streams = open())
        {
            streams.append(List.of(event("name:ada")));
            for (int i = 0; i < 5000; i++)
            {
                streams.append(List.of(event("other")));
            }
            final AtomicBoolean isEnded = new AtomicBoolean();
            final Future<Long> missed = reading.submit(() ->
            {
                long count = 0;
                while (!isEnded.get())
                {
                    final long[] found = { 0 };
                    streams.read(ADA, Range.ALL, (event) -> found[0]++);
                    count += 1 - found[0];
                }
                return count;
            });
            for (int i = 0; i < 10; i++)
            {
                streams.truncateAfter(streams.head(Limit.WRITTEN) - 1);
                streams.append(List.of(event("other")));
            }
            isEnded.set(true);
            assertEquals(0, missed.get());
        }
        finally
        {
            reading.shutdown();
        }
    }

    @Test
    void subscriptionEndsWithAFailureOnceItsHandlerHasReturned() throws Exception
    {
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        try (EventStreams streams = open())
        {
            for (int i = 0; i < 100; i++)
            {
                streams.append(List.of(event("other")));
            }
            final CountDownLatch isHandling = new CountDownLatch(1);
            final CountDownLatch mayReturn = new CountDownLatch(1);
            final Subscription subscription = streams.subscribe("consumer", Query.ALL, Limit.WRITTEN, (event) ->
            {
                isHandling.countDown();
                awaitEnd(mayReturn);
            }, executor, Duration.ofHours(1));
            isHandling.await();
            streams.truncateAfter(50);
            assertEquals(false, subscription.failure().isDone());

            mayReturn.countDown();
            assertInstanceOf(JournalException.class,
                assertThrows(CompletionException.class, () -> subscription.failure().join()).getCause());
        }
        finally
        {
            executor.shutdown();
        }
    }

    private static void awaitEnd(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void keysOfPrunedEventsOutliveTheStore()
    {
        final UUID id = new UUID(7, 3);
        final Journal journal = Journal.open(directory);
        try (EventStreams streams = EventStreams.open(journal))
        {
            streams.append(List.of(event("name:ada").withId(id)));
            streams.append(List.of(event("other")));
            journal.roll();
            streams.append(List.of(event("other")));
            assertEquals(3, journal.prune(3));
        }
        try (EventStreams streams = open())
        {
            streams.append(List.of(event("name:eve")), new Condition(Query.tags("name:eve"), 0));
            streams.appendTo("new", 0, List.of(event("other")));
            assertThrows(PrunedException.class, () -> streams.append(List.of(event()), new Condition(ADA, 0)));
            assertThrows(PrunedException.class, () -> streams.append(List.of(event("name:ada").withId(id))));
        }
    }

    @Test
    void snapshotIsRejectedIfItsEventCannotBeIdentified()
    {
        final EventStreams streams = open();
        for (int i = 0; i < 10; i++)
        {
            streams.append(List.of(event("other")));
        }
        streams.durable(10).join();
        streams.snapshots().save("key", 2, new byte[1]);
        streams.close();
        assertThrows(RuntimeException.class, () -> streams.snapshots().save("key", 10, new byte[2]));

        try (EventStreams again = open())
        {
            again.truncateAfter(3);
            assertEquals(2, again.snapshots().load("key").position());
            again.truncateAfter(1);
            assertNull(again.snapshots().load("key"));
        }
    }

    @Test
    void rangeAfterEverythingIsEmpty()
    {
        try (EventStreams streams = open())
        {
            streams.append(List.of(event("other")));
            final long[] found = { 0 };
            streams.read(Query.ALL, Range.from(Long.MAX_VALUE), (event) -> found[0]++);
            streams.read(Query.ALL, Range.from(Long.MAX_VALUE).backwards(), (event) -> found[0]++);
            assertEquals(0, found[0]);
        }
    }

    /** Truncates and appends again while a read is in its handler. */
    private static void assertOvertaken(final EventStreams streams, final EventReader reader) throws Exception
    {
        final ExecutorService reading = Executors.newSingleThreadExecutor();
        try
        {
            streams.append(List.of(event("name:ada")));
            for (int i = 0; i < 99; i++)
            {
                streams.append(List.of(event("other")));
            }
            final CountDownLatch isHandling = new CountDownLatch(1);
            final CountDownLatch mayReturn = new CountDownLatch(1);
            final Future<Long> position = reading.submit(() -> reader.read(ADA, Range.ALL, (event) ->
            {
                isHandling.countDown();
                awaitEnd(mayReturn);
            }));
            isHandling.await();
            streams.truncateAfter(50);
            for (int i = 0; i < 60; i++)
            {
                streams.append(List.of(event(20 == i ? "name:ada" : "other")));
            }
            mayReturn.countDown();
            // The position would be that of another event, and a condition with it would miss the new one.
            assertInstanceOf(JournalException.class,
                assertThrows(ExecutionException.class, position::get).getCause());
            assertEquals(110, reader.read(ADA, Range.ALL, (event) ->
            {
            }));
        }
        finally
        {
            reading.shutdown();
        }
    }

    @Test
    void readThatATruncationOvertakesFails() throws Exception
    {
        try (EventStreams streams = open())
        {
            assertOvertaken(streams, streams);
        }
    }

    @Test
    void readOfAFollowerThatATruncationOvertakesFails() throws Exception
    {
        try (EventStreams streams = open(); EventReader follower = EventReader.openReadOnly(directory))
        {
            assertOvertaken(streams, follower);
        }
    }

    @Test
    void readOfAFollowerAfterATruncationSucceedsAtOnce()
    {
        try (EventStreams streams = open(); EventReader follower = EventReader.openReadOnly(directory))
        {
            for (int i = 0; i < 100; i++)
            {
                streams.append(List.of(event("other")));
            }
            follower.read(ADA, Range.ALL, (event) ->
            {
            });
            streams.truncateAfter(50);
            for (int i = 0; i < 60; i++)
            {
                streams.append(List.of(event("other")));
            }

            final List<Long> seen = new ArrayList<>();
            follower.read(Query.tags("other"), Range.ALL, (event) -> seen.add(event.position()));
            assertEquals(LongStream.rangeClosed(1, 110).boxed().toList(), seen);
        }
    }

    @Test
    void keysOfPrunedEventsOutliveATruncationIntoTheirFile() throws Exception
    {
        final Journal journal =
            Journal.builder(directory).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).open();
        try (EventStreams streams = open(journal, 64, (problem) ->
        {
        }))
        {
            for (int i = 0; i < 4096; i++)
            {
                streams.append(List.of(event("name:" + i)));
            }
        }
        // Then one file is made of all events.
        try (Stream<Path> files = Files.list(directory.resolve("streams")))
        {
            for (final Path file : files.toList())
            {
                Files.delete(file);
            }
        }
        for (final long position : new long[]{ 4000, 3000 })
        {
            final Journal again =
                Journal.builder(directory).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).open();
            try (EventStreams streams = open(again, 64, (problem) ->
            {
            }))
            {
                assertTrue(again.prune(2000) > 1);
                streams.truncateAfter(position);
                assertEquals(0, streams.version("free"));
                assertThrows(PrunedException.class,
                    () -> streams.append(List.of(event()), new Condition(Query.tags("name:1"), 0)));
            }
        }
        try (EventStreams streams = open())
        {
            assertEquals(0, streams.version("free"));
        }
    }

    private static EventStreams open(final Journal journal, final int tailEvents, final ErrorHandler errorHandler)
    {
        final EventStreams.Options standard = EventStreams.Options.DEFAULT;
        return EventStreams.open(journal, new EventStreams.Options(
            tailEvents, true, standard.executor(), standard.clock(), errorHandler));
    }

    @Test
    void followerReadsWhileTheWriterTruncates() throws Exception
    {
        final ExecutorService reading = Executors.newSingleThreadExecutor();
        final Journal journal =
            Journal.builder(directory).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).open();
        try (EventStreams streams = open(journal, 64, (problem) ->
        {
        }))
        {
            final AtomicBoolean isEnded = new AtomicBoolean();
            final Future<?> reads = reading.submit(() -> follow(isEnded));
            final Random random = new Random(1);
            for (int i = 0; i < 150; i++)
            {
                for (int j = random.nextInt(600); j > 0; j--)
                {
                    streams.append(List.of(event("other")));
                }
                streams.truncateAfter(Math.max(0, streams.head(Limit.WRITTEN) - random.nextInt(400)));
            }
            isEnded.set(true);
            reads.get();
        }
        finally
        {
            reading.shutdown();
        }
    }

    private void follow(final AtomicBoolean isEnded)
    {
        while (!isEnded.get())
        {
            try (EventReader follower = EventReader.openReadOnly(directory))
            {
                for (int i = 0; i < 20; i++)
                {
                    final long after = Math.max(0, follower.head(Limit.WRITTEN) - 20 * i);
                    follower.read(Query.tags("other"), Range.from(after),
                        (event) -> assertEquals("type", event.type()));
                }
            }
            catch (final JournalException ex)
            {
                assertTrue(ex.getMessage().startsWith("events were truncated"), ex::toString);
            }
        }
    }
}
