// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalReader.Limit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Consumers get each event that matches, in order, at least once. */
class SubscriptionTest
{
    private static final Duration RARELY = Duration.ofHours(1);
    private static final EventHandler NOTHING = (event) ->
    {
    };

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final List<Long> seen = Collections.synchronizedList(new ArrayList<>());
    private Journal journal;
    private EventStreams streams;

    @BeforeEach
    void open()
    {
        journal = Journal.builder(directory).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).open();
        streams = EventStreams.open(journal);
    }

    @AfterEach
    void close()
    {
        streams.close();
        executor.shutdownNow();
    }

    private void append(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            streams.append(List.of(new Event(0 == i % 2 ? "even" : "odd", Set.of(), new byte[100])));
        }
    }

    private Subscription subscribe(final String name, final Query query, final Duration interval)
    {
        return streams.subscribe(name, query, (event) -> seen.add(event.position()), executor, interval);
    }

    private static void await(final BooleanSupplier condition)
    {
        final long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() < end, "timeout");
            try
            {
                Thread.sleep(1);
            }
            catch (final InterruptedException ex)
            {
                throw new AssertionError(ex);
            }
        }
    }

    private static List<Long> range(final long first, final long last)
    {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    @Test
    void earlierAndLiveEventsComeInOrder()
    {
        append(10_000);
        final Subscription subscription = subscribe("name", Query.ALL, RARELY);
        append(1_000);
        streams.durable(11_000).join();
        await(() -> 11_000 == subscription.position());

        assertEquals(range(1, 11_000), List.copyOf(seen));
    }

    @Test
    void onlyDurableEventsAreSeenUnlessAskedFor()
    {
        append(10);
        final List<Long> written = Collections.synchronizedList(new ArrayList<>());
        final Subscription durable = subscribe("durable", Query.ALL, RARELY);
        try (Subscription early = streams.subscribe("written", Query.ALL, Limit.WRITTEN,
            (event) -> written.add(event.position()), executor, RARELY))
        {
            await(() -> 10 == early.position());
            assertEquals(range(1, 10), List.copyOf(written));
            assertEquals(List.of(), List.copyOf(seen));
            assertEquals(0, durable.position());
        }
        // Closing has saved the cursor, which forces.
        await(() -> 10 == durable.position());
        assertEquals(range(1, 10), List.copyOf(seen));
    }

    @Test
    void cursorContinuesAfterClosing()
    {
        append(10);
        streams.durable(10).join();
        try (Subscription subscription = subscribe("name", Query.types("odd"), RARELY))
        {
            await(() -> 10 == subscription.position());
            assertEquals(0, journal.cursor("name").sequence());
        }
        assertEquals(10, journal.cursor("name").sequence());
        assertEquals(List.of(2L, 4L, 6L, 8L, 10L), List.copyOf(seen));
        streams.close();
        open();
        append(2);
        streams.durable(12).join();
        try (Subscription subscription = subscribe("name", Query.types("odd"), RARELY))
        {
            await(() -> 12 == subscription.position());
        }
        assertEquals(List.of(2L, 4L, 6L, 8L, 10L, 12L), List.copyOf(seen));
    }

    @Test
    void cursorIsSavedAtTheInterval()
    {
        append(10);
        streams.durable(10).join();
        subscribe("name", Query.tags("none"), Duration.ofMillis(1));
        await(() -> 10 == journal.cursor("name").sequence());
        subscribe("each", Query.ALL, Duration.ZERO);
        await(() -> 10 == journal.cursor("each").sequence());
    }

    @Test
    void handlerThatThrowsStopsAndIsRepeated()
    {
        append(10);
        streams.durable(10).join();
        final AtomicInteger failures = new AtomicInteger(1);
        final EventHandler handler = (event) ->
        {
            if (5 == event.position() && failures.getAndDecrement() > 0)
            {
                throw new UnsupportedOperationException("mine");
            }
            seen.add(event.position());
        };
        final Subscription failing = streams.subscribe("name", Query.ALL, handler, executor, RARELY);
        final CompletionException ex = assertThrows(CompletionException.class, () -> failing.failure().join());
        assertEquals("mine", ex.getCause().getMessage());
        assertEquals(4, failing.position());
        assertEquals(4, journal.cursor("name").sequence());

        final Subscription repeated = streams.subscribe("name", Query.ALL, handler, executor, RARELY);
        await(() -> 10 == repeated.position());
        assertEquals(range(1, 10), List.copyOf(seen));
        repeated.close();
        repeated.failure().join();
    }

    @Test
    void subscriptionMayBeClosedFromItsHandler()
    {
        append(10);
        streams.durable(10).join();
        final CompletableFuture<Subscription> self = new CompletableFuture<>();
        final Subscription subscription = streams.subscribe("name", Query.ALL, (event) ->
        {
            seen.add(event.position());
            if (3 == event.position())
            {
                self.join().close();
            }
        }, executor, RARELY);
        self.complete(subscription);
        subscription.failure().join();

        assertEquals(range(1, 3), List.copyOf(seen));
        assertEquals(3, journal.cursor("name").sequence());
        subscribe("name", Query.ALL, RARELY).close();
    }

    @Test
    void closingWaitsForTheHandler() throws InterruptedException
    {
        append(1);
        streams.durable(1).join();
        final CountDownLatch isInside = new CountDownLatch(1);
        final CountDownLatch mayLeave = new CountDownLatch(1);
        final Subscription subscription = streams.subscribe("name", Query.ALL, (event) ->
        {
            isInside.countDown();
            CompletableFuture.runAsync(() -> await(() -> 0 == mayLeave.getCount()), executor).join();
            seen.add(event.position());
        }, executor, RARELY);
        isInside.await();
        final Thread closing = new Thread(subscription::close);
        closing.start();
        await(() -> Thread.State.WAITING == closing.getState());
        assertEquals(List.of(), List.copyOf(seen));
        mayLeave.countDown();
        closing.join();

        assertEquals(List.of(1L), List.copyOf(seen));
        assertEquals(1, journal.cursor("name").sequence());
    }

    @Test
    void oneSubscriptionOfANameIsOpen()
    {
        final Subscription first = subscribe("name", Query.ALL, RARELY);
        assertThrows(IllegalStateException.class, () -> subscribe("name", Query.ALL, RARELY));
        first.close();
        subscribe("name", Query.ALL, RARELY);
    }

    @Test
    void pruneOfEventsThatWereNotHandledFails()
    {
        append(2_000);
        streams.durable(2_000).join();
        subscribe("name", Query.ALL, RARELY).close();
        journal.cursor("name").save(0);
        final long first = journal.prune(2_000);
        assertTrue(first > 1);

        final Subscription subscription = subscribe("name", Query.ALL, RARELY);
        final Throwable cause =
            assertThrows(CompletionException.class, () -> subscription.failure().join()).getCause();
        assertEquals(first, assertInstanceOf(PrunedException.class, cause).sequence());
        // The index knows that there was none.
        final Subscription none = subscribe("none", Query.tags("none"), RARELY);
        await(() -> 2_000 == none.position());
    }

    @Test
    void truncationEndsSubscriptions()
    {
        append(10);
        streams.durable(10).join();
        final Subscription subscription = subscribe("name", Query.ALL, RARELY);
        final Subscription behind = subscribe("behind", Query.ALL, RARELY);
        await(() -> 10 == subscription.position() && 10 == behind.position());
        behind.close();
        streams.truncateAfter(5);

        final Throwable cause =
            assertThrows(CompletionException.class, () -> subscription.failure().join()).getCause();
        assertInstanceOf(JournalException.class, cause);
        assertEquals(5, journal.cursor("behind").sequence());
        seen.clear();
        append(1);
        streams.durable(6).join();
        final Subscription again = subscribe("behind", Query.ALL, RARELY);
        await(() -> 6 == again.position());
        assertEquals(List.of(6L), List.copyOf(seen));
    }

    @Test
    void executorThatRefusesEndsTheSubscription()
    {
        append(1);
        executor.shutdown();
        final Subscription subscription = subscribe("name", Query.ALL, RARELY);
        assertThrows(CompletionException.class, () -> subscription.failure().join());
    }

    @Test
    void storeThatIsClosedEndsItsSubscriptions()
    {
        append(10);
        final Subscription subscription = streams.subscribe("name", Query.ALL, NOTHING, executor, RARELY);
        streams.close();
        subscription.failure().join();
        assertFalse(subscription.failure().isCompletedExceptionally());
    }
}
