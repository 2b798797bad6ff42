// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.internal.streams.EventRecord;
import io.journal.streams.EventView;
import org.agrona.DirectBuffer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "streams",
    header = "Counts the events of an event store, by type and by tag.",
    description = {
        "",
        "Reads all records. Lists the types, the most frequent first, and the most frequent tags. Changes nothing " +
            "and takes no lock, so it may run beside a writer." })
final class StreamsCommand extends JournalCommand
{
    private static final int POLL_LIMIT = 256;

    @Option(names = "--tags", paramLabel = "COUNT", description = "List so many tags (default: 10).")
    private int maxTags = 10;

    private final Map<String, Long> types = new HashMap<>();
    private final Map<String, Long> tags = new HashMap<>();
    private final Set<String> streams = new HashSet<>();
    private long events;
    private long others;

    /** A type or tag. */
    private record Count(String name, long events)
    {
    }

    /** The result, as JSON. */
    private record Summary(
        long events, long otherRecords, int streams, int distinctTags, List<Count> types, List<Count> tags)
    {
    }

    @Override
    public Integer call()
    {
        try (ReadOnlyJournal journal = openReadOnly(); JournalReader reader = journal.openReader())
        {
            final long last = journal.lastSequence();
            int count = 1;
            while (reader.nextSequence() <= last && count > 0 && !isEnded())
            {
                count = reader.poll(this::count, POLL_LIMIT);
            }
        }

        final Summary summary = new Summary(
            events, others, streams.size(), tags.size(), mostFrequent(types, Integer.MAX_VALUE),
            mostFrequent(tags, Math.max(0, maxTags)));
        if (isJson)
        {
            out().println(Json.of(summary));
        }
        else
        {
            print(summary);
        }

        return ExitCode.OK;
    }

    private void count(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        final EventView event = EventRecord.decode(buffer, offset, length, header);
        if (null == event)
        {
            others++;
            return;
        }
        events++;
        types.merge(event.type(), 1L, Long::sum);
        event.tags().forEach((tag) -> tags.merge(tag, 1L, Long::sum));
        if (null != event.stream())
        {
            streams.add(event.stream());
        }
    }

    private static List<Count> mostFrequent(final Map<String, Long> counts, final int limit)
    {
        return counts.entrySet().stream().map((entry) -> new Count(entry.getKey(), entry.getValue()))
            .sorted(Comparator.comparingLong(Count::events).reversed().thenComparing(Count::name)).limit(limit)
            .toList();
    }

    private void print(final Summary summary)
    {
        Text.line(out(), "events", Text.number(summary.events));
        if (summary.otherRecords > 0)
        {
            Text.line(out(), "others", Text.count(summary.otherRecords, "record") + " that are no events");
        }
        Text.line(out(), "streams", Text.number(summary.streams));
        Text.line(out(), "tags", Text.number(summary.distinctTags));
        summary.types.forEach((type) -> print("type", type));
        summary.tags.forEach((tag) -> print("tag", tag));
    }

    private void print(final String kind, final Count count)
    {
        Text.line(out(), kind, Text.harmless(count.name) + ": " + Text.count(count.events, "event"));
    }
}
