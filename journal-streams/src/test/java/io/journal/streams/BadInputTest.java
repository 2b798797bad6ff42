// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalFullException;
import io.journal.JournalLockedException;
import io.journal.JournalReader.Limit;
import io.journal.store.Backend;
import io.journal.testkit.FaultStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Bad input gets a typed exception, appends nothing and loses nothing. */
class BadInputTest
{
    private static final byte[] DATA = { 1, 2, 3 };

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    private Journal journal;
    private EventStreams streams;

    @BeforeEach
    void appendOne()
    {
        journal = Journal.open(directory);
        streams = EventStreams.open(journal);
        streams.append(List.of(event()));
    }

    @AfterEach
    void eventIsStillThere()
    {
        streams.close();
        try (EventStreams reopened = EventStreams.open(Journal.open(directory)))
        {
            assertTrue(reopened.get(1, (event) -> assertEquals(event(), event.copy())));
        }
    }

    private static Event event()
    {
        return new Event("type", Set.of("tag"), DATA);
    }

    private void refused(final Class<? extends Throwable> type, final Executable call)
    {
        final long head = streams.head(Limit.WRITTEN);
        assertThrows(type, call);
        assertEquals(head, streams.head(Limit.WRITTEN));
        assertEquals(head, journal.lastSequence());
    }

    @Test
    void nullIsRefused()
    {
        final Class<NullPointerException> type = NullPointerException.class;
        refused(type, () -> new Event(null, Set.of(), DATA));
        refused(type, () -> new Event("type", null, DATA));
        refused(type, () -> new Event("type", Collections.singleton(null), DATA));
        refused(type, () -> new Event("type", Set.of(), null));
        refused(type, () -> new Query(null));
        refused(type, () -> new Condition(null, 0));
        refused(type, () -> streams.append(null));
        refused(type, () -> streams.append(Arrays.asList(event(), null)));
        refused(type, () -> streams.append(List.of(event()), (Condition)null));
        refused(type, () -> streams.appendTo(null, 0, List.of(event())));
        refused(type, () -> streams.read(null, Range.ALL, (event) ->
        {
        }));
        refused(type, () -> streams.read(Query.ALL, null, (event) ->
        {
        }));
        refused(type, () -> streams.read(Query.ALL, Range.ALL, null));
        refused(type, () -> streams.positionAt(null));
        refused(type, () -> streams.head(null));
        refused(type, () -> streams.subscribe("name", Query.ALL, null, Runnable::run, Duration.ZERO));
        refused(type, () -> EventStreams.open(journal, null));
    }

    @Test
    void emptyAndNegativeAreRefused()
    {
        final Class<IllegalArgumentException> type = IllegalArgumentException.class;
        refused(type, () -> new Event("", Set.of(), DATA));
        refused(type, () -> new Event("type", Set.of(""), DATA));
        refused(type, () -> Query.tags(""));
        refused(type, () -> streams.append(List.of()));
        refused(type, () -> streams.appendTo("", 0, List.of(event())));
        refused(type, () -> streams.appendTo("stream", 0, List.of()));
        refused(type, () -> streams.appendTo("stream", -2, List.of(event())));
        refused(type, () -> new Condition(Query.ALL, -1));
        refused(type, () -> Range.from(-1));
        refused(type, () -> Range.ALL.first(-1));
        refused(type, () -> streams.durable(-1));
        refused(type, () -> streams.subscribe("a b", Query.ALL, (event) ->
        {
        }, Runnable::run, Duration.ZERO));
    }

    @Test
    void longAndManyAreRefused()
    {
        final Class<IllegalArgumentException> type = IllegalArgumentException.class;
        final Set<String> many = IntStream.range(0, 10_000).mapToObj((i) -> "tag" + i).collect(Collectors.toSet());
        refused(type, () -> new Event("type", Set.of("x".repeat(64 * 1024)), DATA));
        refused(type, () -> new Event("x".repeat(64 * 1024), Set.of(), DATA));
        refused(type, () -> new Event("type", many, DATA));
        refused(type, () -> Query.of(many, Set.of()));
        refused(type, () -> Query.of(Set.of(), many));
        refused(type, () -> streams.append(List.of(new Event("type", Set.of(), new byte[16 * 1024 * 1024]))));
        refused(type, () -> streams.append(List.of(
            new Event("type", Set.of(), new byte[9 << 20]), new Event("type", Set.of(), new byte[9 << 20]))));
        refused(type, () -> streams.appendTo("x".repeat(1001), 0, List.of(event())));
        refused(type, () -> new Query(Collections.nCopies(1001, Query.tags("a").items().get(0))));
    }

    @Test
    void longestIsAccepted()
    {
        final Set<String> many = IntStream.range(0, Event.MAX_TAGS)
            .mapToObj((i) -> "\u20ac".repeat(Event.MAX_NAME_LENGTH - 4) + (1000 + i)).collect(Collectors.toSet());
        final Event event = new Event(
            new UUID(1, 2), "\uD83D\uDE00".repeat(Event.MAX_NAME_LENGTH / 2), many, new byte[8 << 20], DATA);

        final long position = streams.append(List.of(event)).first();

        assertTrue(streams.get(position, (read) -> assertEquals(event, read.copy())));
        final String one = many.iterator().next();
        assertEquals(position, streams.append(List.of(event)).first());
        assertThrows(ConflictException.class,
            () -> streams.append(List.of(event()), new Condition(Query.tags(one), 0)));
    }

    @Test
    void namesWithEqualBytesAreRefused()
    {
        refused(IllegalArgumentException.class, () -> new Event("a\uD83D", Set.of(), DATA));
        refused(IllegalArgumentException.class, () -> new Event("\uDE00a", Set.of(), DATA));
        refused(IllegalArgumentException.class, () -> Query.tags("\uD83D!"));
    }

    @Test
    void tagOfAStreamIsRefused()
    {
        refused(IllegalArgumentException.class, () -> new Event("type", Set.of("stream:a"), DATA));
    }

    @Test
    void positionThatDoesNotExistIsRefused()
    {
        refused(IllegalArgumentException.class,
            () -> streams.append(List.of(event()), new Condition(Query.tags("other"), 2)));
        refused(IllegalArgumentException.class, () -> streams.durable(2));
        assertFalse(streams.get(2, (event) ->
        {
        }));
        assertFalse(streams.get(0, (event) ->
        {
        }));
        assertFalse(streams.get(-1, (event) ->
        {
        }));
    }

    @Test
    void clashingIdsAreRefused()
    {
        final Event first = event().withId(new UUID(1, 1));
        final Event second = event().withId(new UUID(1, 2));
        refused(IllegalArgumentException.class, () -> streams.append(List.of(first, first)));
        assertEquals(new EventStreams.Appended(2, 3, false), streams.append(List.of(first, second)));

        assertEquals(new EventStreams.Appended(2, 3, true),
            streams.append(List.of(first, second), new Condition(Query.ALL, 0)));
        assertEquals(new EventStreams.Appended(3, 3, true), streams.append(List.of(second)));
        refused(ConflictException.class, () -> streams.append(List.of(event(), first)));
        refused(ConflictException.class, () -> streams.append(List.of(first, event())));
        refused(ConflictException.class, () -> streams.append(List.of(second, first)));
        refused(ConflictException.class, () -> streams.appendTo("stream", 0, List.of(first, second, event())));
    }

    @Test
    void repeatedAppendOfOtherEventsIsRefused()
    {
        final Event first = event().withId(new UUID(1, 1));
        streams.append(List.of(first, event()));

        assertEquals(new EventStreams.Appended(2, 3, true), streams.append(List.of(first, event())));
        refused(ConflictException.class, () -> streams.append(List.of(first, new Event("other", Set.of(), DATA))));
        refused(ConflictException.class, () -> streams.append(List.of(first, event().withId(new UUID(1, 2)))));
    }

    @Test
    void longestIntervalIsAccepted()
    {
        streams.subscribe("name", Query.ALL, (event) ->
        {
        }, ForkJoinPool.commonPool(), ChronoUnit.FOREVER.getDuration()).close();
    }

    @Test
    void executorThatHasNoThreadEndsWhatWaitsForIt()
    {
        final Executor failing = (task) ->
        {
            throw new OutOfMemoryError("unable to create native thread");
        };
        final Subscription subscription = streams.subscribe("name", Query.ALL, Limit.WRITTEN, (event) ->
        {
        }, failing, Duration.ZERO);
        assertInstanceOf(OutOfMemoryError.class,
            assertThrows(CompletionException.class, () -> subscription.failure().join()).getCause());
        streams.close();

        journal = Journal.open(directory);
        streams = EventStreams.open(journal, new EventStreams.Options(
            16, true, failing, Clock.systemUTC(), EventStreams.Options.DEFAULT.errorHandler()));
        streams.durable(streams.append(List.of(event())).last()).join();
    }

    @Test
    void errorHandlerMayCloseTheStore() throws Exception
    {
        streams.close();
        final CompletableFuture<EventStreams> store = new CompletableFuture<>();
        final AtomicBoolean isFirst = new AtomicBoolean(true);
        final CountDownLatch isClosed = new CountDownLatch(1);
        journal = Journal.open(directory);
        streams = EventStreams.open(journal, new EventStreams.Options(
            16, true, Runnable::run, Clock.systemUTC(), (problem) ->
            {
                // It is called again while the store is closed.
                if (isFirst.getAndSet(false))
                {
                    store.join().close();
                    isClosed.countDown();
                }
            }));
        final Path index = directory.resolve("streams");
        deleteAll(index);
        Files.createFile(index);
        for (int i = 0; i < 40; i++)
        {
            streams.append(List.of(event()));
        }
        store.complete(streams);
        assertTrue(isClosed.await(1, TimeUnit.MINUTES));
        Files.delete(index);
    }

    private static void deleteAll(final Path parent) throws IOException
    {
        try (Stream<Path> files = Files.list(parent))
        {
            for (final Path file : files.toList())
            {
                Files.delete(file);
            }
        }
        Files.delete(parent);
    }

    @Test
    void unfinishedSnapshotIsDeleted() throws IOException
    {
        streams.snapshots().save("key", 1, DATA);
        final Path unfinished = directory.resolve("streams/snapshots/0-1.unfinished");
        Files.createFile(unfinished);
        streams.close();
        streams = EventStreams.open(Journal.open(directory));
        assertFalse(Files.exists(unfinished));
        assertEquals(1, streams.snapshots().load("key").position());
    }

    @Test
    void queryForEverythingIsACondition()
    {
        refused(ConflictException.class, () -> streams.append(List.of(event()), new Condition(Query.ALL, 0)));
        assertEquals(2, streams.append(List.of(event()), new Condition(Query.ALL, 1)).first());
    }

    @Test
    void exceptionOfAHandlerIsPassedOn()
    {
        final RuntimeException thrown = assertThrows(RuntimeException.class,
            () -> streams.read(Query.ALL, Range.ALL, (event) ->
            {
                throw new UnsupportedOperationException("mine");
            }));
        assertEquals("mine", thrown.getMessage());
    }

    @Test
    void handlerMayReadAndAppend()
    {
        streams.read(Query.ALL, Range.ALL, (event) ->
        {
            streams.read(Query.tags("tag"), Range.ALL.backwards(), (other) -> assertEquals(1, other.position()));
            streams.append(List.of(event()));
        });
        assertEquals(2, streams.head(Limit.WRITTEN));
    }

    @Test
    void secondWriterIsRefused()
    {
        refused(JournalLockedException.class, () -> Journal.open(directory));
        refused(IllegalStateException.class, () -> EventStreams.open(journal));
        refused(IllegalStateException.class, () -> journal.sharedAppender());
    }

    @Test
    void appendPastTheStreamsIsNoticed()
    {
        journal.appender().append(new byte[10]);

        assertThrows(IllegalStateException.class, () -> streams.append(List.of(event())));
        assertThrows(IllegalStateException.class, () -> streams.truncateAfter(1));
        streams.close();
        try (Journal reopened = Journal.open(directory))
        {
            final CorruptJournalException ex =
                assertThrows(CorruptJournalException.class, () -> EventStreams.open(reopened));
            assertEquals(2, ex.sequence());
            reopened.truncateAfter(1);
        }
    }

    @Test
    void closedStoreRefuses()
    {
        streams.close();
        streams.close();

        assertThrows(IllegalStateException.class, () -> streams.append(List.of(event())));
        assertThrows(IllegalStateException.class, () -> streams.read(Query.ALL, Range.ALL, (event) ->
        {
        }));
        assertThrows(IllegalStateException.class, () -> streams.subscribe("name", Query.ALL, (event) ->
        {
        }, Runnable::run, Duration.ZERO));
        assertTrue(streams.durable(1).isDone());
    }

    @Test
    void fullDiskLosesNothing(@TempDir final Path other)
    {
        final FaultStore store = new FaultStore(Backend.MAPPED);
        try (EventStreams full = EventStreams.open(Journal.builder(other).store(store)
            .segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).backgroundThread(false).open()))
        {
            final Event event = new Event("type", Set.of("tag"), new byte[1000]);
            store.capacity(store.usedBytes());
            assertThrows(JournalFullException.class, () ->
            {
                while (true)
                {
                    full.append(List.of(event, event));
                }
            });
            final long head = full.head(Limit.WRITTEN);
            assertTrue(head > 0 && 0 == head % 2);
            store.capacity(Long.MAX_VALUE);
            assertEquals(head + 1, full.append(List.of(event)).first());
        }
    }

    @Test
    void emptyDataIsAnEvent()
    {
        final long position = streams.append(List.of(new Event("type", Set.of(), new byte[0]))).first();

        assertTrue(streams.get(position, (event) ->
        {
            assertEquals(0, event.length());
            assertArrayEquals(new byte[0], event.data());
            assertNull(event.id());
            assertNull(event.stream());
            assertEquals(Set.of(), event.tags());
        }));
    }
}
