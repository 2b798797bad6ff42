// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import io.journal.Journal;
import io.journal.JournalReader.Limit;
import io.journal.bench.experiment.Scope;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Child;
import io.journal.bench.run.TempDirectory;
import io.journal.bench.run.Unit;
import io.journal.streams.Condition;
import io.journal.streams.Event;
import io.journal.streams.EventStreams;
import io.journal.streams.Query;
import io.journal.streams.Range;

/**
 * The event store of {@code journal-streams}: durable appends under a condition over the whole history; opening, heap
 * and queries of a long history, in which each tag has ten events.
 */
public final class EventStoreTrial
{
    private static final int EVENTS = 10_000_000;
    private static final int EVENTS_OF_TAG = 10;
    private static final int DATA_LENGTH = 256;
    private static final int HISTORY_DATA_LENGTH = 100;
    private static final int BATCH = 1000;
    private static final int MAX_QUERIES = 20_000;
    private static final int MS = 5000;

    private EventStoreTrial()
    {
    }

    static List<BenchmarkCase> cases(final Scope scope)
    {
        final List<BenchmarkCase> all = new ArrayList<>();
        for (final int clients : scope.numbers("threads", 1, 64))
        {
            all.add(BenchmarkCase.of("durable appends under a condition, clients: " + clients, EventStoreTrial.class)
                .parameter("threads", clients).argument("ms", scope.ms(MS)));
            PostgresTrial.of(scope, clients, scope.ms(MS)).ifPresent(all::add);
        }
        final int events = scope.count(EVENTS);
        all.add(BenchmarkCase.of("events: " + events, EventStoreTrial.class).parameter("events", events)
            .writing(2L * HISTORY_DATA_LENGTH * events).killedFirst());

        return all;
    }

    public static void main(final String[] args) throws Exception
    {
        final Arguments arguments = Arguments.of(args);
        final Path directory = arguments.directory().resolve("store");
        final long events = arguments.number("events", 0);
        if (0 == events)
        {
            append(directory, arguments);
        }
        else if ("fill".equals(arguments.text(BenchmarkCase.STEP)))
        {
            fill(directory, events);
            new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        }
        else
        {
            measureHistory(directory, events);
        }
    }

    private static EventStreams open(final Path directory)
    {
        return EventStreams.open(Journal.open(directory));
    }

    private static void check(final boolean isAsExpected)
    {
        if (!isAsExpected)
        {
            throw new IllegalStateException("events are missing");
        }
    }

    /** Each event claims a key that none before it has. */
    private static void append(final Path directory, final Arguments arguments) throws Exception
    {
        final Journal journal = Journal.open(directory);
        try (EventStreams streams = EventStreams.open(journal))
        {
            final ThreadTrials.Workers workers = new ThreadTrials.Workers();
            for (int i = 0; i < arguments.number("threads"); i++)
            {
                final String client = "client:" + i;
                workers.add((number) ->
                {
                    final String order = client + ",order:" + number;
                    final Event event = new Event("placed", Set.of(client, order), new byte[DATA_LENGTH]);
                    final Condition isNew = new Condition(Query.tags(order), 0);
                    journal.awaitForced(streams.append(List.of(event), isNew).last());
                });
            }
            Child.print("recordsPerSecond", workers.rate(arguments.number("ms"), arguments.number("ms")));
            workers.printPercentiles();
            check(workers.count() == streams.head(Limit.FORCED));
        }
    }

    private static void fill(final Path directory, final long count)
    {
        try (EventStreams streams = open(directory))
        {
            for (long first = 0; first < count; first += BATCH)
            {
                final long begin = first;
                streams.append(IntStream.range(0, (int)Math.min(BATCH, count - first)).mapToObj((i) -> new Event(
                    "placed", Set.of(tag((begin + i) % tags(count))), new byte[HISTORY_DATA_LENGTH])).toList());
            }
        }
    }

    private static long tags(final long events)
    {
        return Math.max(1, events / EVENTS_OF_TAG);
    }

    private static String tag(final long number)
    {
        return "tag:" + number;
    }

    private static void measureHistory(final Path directory, final long count)
    {
        final long heapBefore = ReadTrials.usedHeap();
        long start = System.nanoTime();
        try (EventStreams streams = open(directory))
        {
            Child.print("openIndexedMs", (System.nanoTime() - start) / Unit.NS_PER_MS);
            Child.print("indexHeapBytes", Math.max(0, ReadTrials.usedHeap() - heapBefore));
            query(streams, count);
            Child.print("queryUs", query(streams, count));
        }
        TempDirectory.delete(directory.resolve("streams"));
        start = System.nanoTime();
        try (EventStreams streams = open(directory))
        {
            Child.print("openRebuildingMs", (System.nanoTime() - start) / Unit.NS_PER_MS);
            query(streams, count);
        }
    }

    /** Reads the events of random tags; returns microseconds for one of them. */
    private static double query(final EventStreams streams, final long count)
    {
        final SplittableRandom random = new SplittableRandom(count);
        final long[] found = new long[1];
        final int queries = (int)Math.min(MAX_QUERIES, count);
        final long start = System.nanoTime();
        for (int i = 0; i < queries; i++)
        {
            final long tag = random.nextLong(tags(count));
            found[0] = 0;
            streams.read(Query.tags(tag(tag)), Range.ALL, (event) -> found[0]++);
            check((count - 1 - tag) / tags(count) + 1 == found[0]);
        }

        return (System.nanoTime() - start) / Unit.NS_PER_US / queries;
    }
}
