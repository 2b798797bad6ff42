// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.streams.Event;
import io.journal.streams.EventStreams;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Commands on the journal of an event store. */
class EventStoreTest extends ToolsFixture
{
    private Path store(final int events)
    {
        final Path path = temp.resolve("store");
        try (EventStreams streams = EventStreams.open(builder(path).open(), new EventStreams.Options(
            16, true, Runnable::run, Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC), (problem) ->
            {
            })))
        {
            streams.append(List.of(new Event(
                new UUID(1, 2), "Opened", Set.of("account:1"), "data".getBytes(StandardCharsets.UTF_8), new byte[0])));
            streams.appendTo("a\n", 0, List.of(new Event("Paid", Set.of(), new byte[1])));
            for (int i = 3; i <= events; i++)
            {
                streams.append(List.of(new Event("Paid", Set.of("account:" + i % 4), new byte[i])));
            }
        }

        return path;
    }

    private static List<Path> indexFiles(final Path store) throws IOException
    {
        try (Stream<Path> files = Files.list(store.resolve("streams")))
        {
            return files.filter((file) -> file.toString().endsWith(".index")).sorted().toList();
        }
    }

    @Test
    void eventsAreCountedByTypeAndTag() throws IOException
    {
        final Path store = store(100);

        assertEquals("""
            events       100
            streams      1
            tags         4
            type         Paid: 99 events
            type         Opened: 1 event
            tag          account:0: 25 events
            tag          account:1: 25 events
            """, run("streams", "--tags", 2, store).out());
        final JsonNode json = run("streams", "--json", store).json();
        assertEquals(100, json.get("events").asLong());
        assertEquals(0, json.get("otherRecords").asLong());
        assertEquals("Opened", json.get("types").get(1).get("name").asText());
        assertEquals(4, json.get("tags").size());
        assertEquals(24, json.get("tags").get(3).get("events").asLong());
    }

    @Test
    void recordsThatAreNoEventsAreCounted() throws IOException
    {
        final Path journal = journal(20);

        assertTrue(run("streams", journal).out().contains("others       20 records that are no events"));
        assertEquals(20, run("streams", "--json", journal).json().get("otherRecords").asLong());
    }

    @Test
    void eventsAreDumpedDecoded() throws IOException
    {
        final Path store = store(2);

        assertEquals("""
            1  tag 1769860800000000  event Opened, tags [account:1], id \
            00000000-0000-0001-0000-000000000002, 4 bytes
            2  tag 1769860800000000  event Paid, tags [], stream a\\n version 1, 1 byte
            """, run("dump", store).out());
        final List<JsonNode> lines = run("dump", "--json", store).jsonLines();
        final JsonNode first = lines.get(0).get("event");
        assertEquals("Opened", first.get("type").asText());
        assertEquals("2026-01-31T12:00:00Z", first.get("time").asText());
        assertEquals("account:1", first.get("tags").get(0).asText());
        assertEquals(new UUID(1, 2).toString(), first.get("id").asText());
        assertEquals(4, first.get("length").asLong());
        assertEquals("a\n", lines.get(1).get("event").get("stream").asText());
        assertEquals(1, lines.get(1).get("event").get("version").asLong());
    }

    @Test
    void indexFilesAreComparedWithTheEvents() throws IOException
    {
        final Path store = store(200);
        run("verify", store).assertExit(ExitCode.OK);
        final Map<String, String> before = picture(store);
        final Path file = indexFiles(store).get(0);
        final byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length; i += 1 + i / 8)
        {
            flip(file, i);

            final Run run = run("verify", store);

            run.assertExit(ExitCode.DAMAGED);
            assertTrue(run.out().startsWith("UNUSABLE: streams/" + file.getFileName()), run.out());
            assertTrue(unfolded(run.out()).contains("the records are intact"), run.out());
            Files.write(file, bytes);
        }
        assertEquals(before, picture(store));
    }

    @Test
    void indexFileOfAnotherJournalIsUnusable() throws IOException
    {
        final Path store = store(200);
        final Path file = indexFiles(store).get(0);
        final byte[] bytes = Files.readAllBytes(file);
        Files.move(store, temp.resolve("first"));
        store(200);
        Files.write(file, bytes);

        final Run run = run("verify", "--json", store);

        run.assertExit(ExitCode.DAMAGED);
        final JsonNode finding = run.json().get("findings").get(0);
        assertEquals("UNUSABLE", finding.get("severity").asText());
        assertEquals("the index of another history", finding.get("found").asText());
        assertTrue(run.json().get("areRecordsWhole").asBoolean());
    }
}
