// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.streams.Event;
import io.journal.streams.EventStreams;
import io.journal.streams.PrunedException;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine.AppendTransaction;
import org.axonframework.eventsourcing.eventstore.GenericTaggedEventMessage;
import org.axonframework.eventsourcing.eventstore.GlobalIndexConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.LegacyResources;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.MessageStream.Entry;
import org.axonframework.messaging.core.MessageType;
import org.axonframework.messaging.core.QualifiedName;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.GenericEventMessage;
import org.axonframework.messaging.eventhandling.conversion.DelegatingEventConverter;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GapAwareTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GlobalSequenceTrackingToken;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.StreamingCondition;
import org.axonframework.messaging.eventstreaming.Tag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What Axon's suites do not test. */
class EngineTest
{
    private static final EventConverter CONVERTER = new DelegatingEventConverter(new JacksonConverter());
    private static final int SEGMENT_LENGTH = 1024 * 1024;
    private static final Tag COURSE = new Tag("course", "1");
    private static final EventCriteria OF_COURSE = EventCriteria.havingTags(COURSE);

    @TempDir
    private Path directory;
    @TempDir
    private Path other;

    private Journal journal;
    private EventStreams streams;
    private EventStorageEngine engine;

    @BeforeEach
    void open()
    {
        open(Journal.builder(directory).segmentLength(SEGMENT_LENGTH));
    }

    private void open(final JournalBuilder builder)
    {
        journal = builder.open();
        streams = EventStreams.open(journal);
        engine = new JournalEventStorageEngine(streams, CONVERTER);
    }

    /** From now on nothing becomes durable before the test forces the journal. */
    private void holdForces()
    {
        streams.close();
        open(Journal.builder(directory).segmentLength(SEGMENT_LENGTH).force(ForcePolicy.every(Duration.ofHours(1))));
        commit(AppendCondition.none(), tagged(event("first"))).join();
    }

    @AfterEach
    void close()
    {
        streams.close();
    }

    @Test
    void everyPartOfAnEventIsReadAfterReopening()
    {
        final Map<String, String> metadata =
            new HashMap<>(Map.of("key", "value", "", "", "ключ", "значение \uD83D\uDE00"));
        metadata.put("nothing", null);
        final EventMessage event = new GenericEventMessage("no UUID", new MessageType("com.example.Défini", "2.0-α"),
            new byte[]{ 0, 1, -1 }, metadata, Instant.ofEpochSecond(-1, 999_999_999));
        append(AppendCondition.none(), tagged(event, COURSE));
        streams.close();
        open();

        final EventMessage read = source(OF_COURSE).get(0).message();
        assertEquals("no UUID", read.identifier());
        assertEquals(event.type(), read.type());
        assertArrayEquals(new byte[]{ 0, 1, -1 }, (byte[])read.payload());
        assertEquals(metadata, new HashMap<>(read.metadata()));
        assertEquals(event.timestamp(), read.timestamp());
    }

    @Test
    void tagsThatLookAlikeAreDifferent()
    {
        final List<Tag> tags = Stream.of("a", "b", "a=b", "a\\=b", "\\", "", "stream:a", ":", "=")
            .flatMap((key) -> Stream.of("", "b", "=b", "b=", "\\", "stream:a").map((value) -> new Tag(key, value)))
            .toList();
        for (final Tag tag : tags)
        {
            assertEquals(tag, EventFormat.decode(EventFormat.encode(tag)));
            append(AppendCondition.withCriteria(EventCriteria.havingTags(tag)), tagged(event("E"), tag));
        }

        tags.forEach((tag) -> assertEquals(1, source(EventCriteria.havingTags(tag)).size(), tag::toString));
    }

    @Test
    void criteriaMatchWhatAxonMatches()
    {
        final Tag other = new Tag("student", "1");
        final List<TaggedEventMessage<?>> events = new ArrayList<>();
        for (final String type : List.of("com.example.A", "com.example.B"))
        {
            for (final Set<Tag> tags : List.of(Set.<Tag>of(), Set.of(COURSE), Set.of(other), Set.of(COURSE, other)))
            {
                events.add(new GenericTaggedEventMessage<>(event(type), tags));
            }
        }
        append(AppendCondition.none(), events.toArray(TaggedEventMessage<?>[]::new));
        final EventCriteria any = EventCriteria.havingAnyTag();
        final List<EventCriteria> criteria = List.of(any, OF_COURSE, EventCriteria.havingTags(COURSE, other),
            EventCriteria.havingAnyTag().andBeingOneOfTypes("com.example.A"),
            OF_COURSE.or(EventCriteria.havingTags(other)), OF_COURSE.or(any), EventCriteria.either(any, OF_COURSE),
            EventCriteria.either(), EventCriteria.havingTags(new Tag("course", "2")),
            EventCriteria.havingTags(COURSE).andBeingOneOfTypes("com.example.A", "com.example.C"),
            EventCriteria.havingAnyTag().andBeingOneOfTypes(Set.of()));

        for (final EventCriteria each : criteria)
        {
            final List<String> expected = events.stream()
                .filter((event) -> each.matches(event.event().type().qualifiedName(), event.tags()))
                .map((event) -> event.event().identifier()).toList();
            assertEquals(expected, source(each).stream().map((entry) -> entry.message().identifier()).toList(),
                each::toString);
            final CompletableFuture<?> append = commit(AppendCondition.withCriteria(each), tagged(event("none")));
            if (expected.isEmpty())
            {
                append.join();
                streams.truncateAfter(events.size());
            }
            else
            {
                assertRejected(append);
            }
        }
    }

    @Test
    void repeatedIdentifierDoesNotPassByTheCondition()
    {
        final TaggedEventMessage<?> event = tagged(event("E"), COURSE);
        append(AppendCondition.withCriteria(OF_COURSE), event);

        assertRejected(commit(AppendCondition.withCriteria(OF_COURSE), event));
    }

    @Test
    void commitEndsOnceTheEventsAreDurable() throws Exception
    {
        holdForces();
        final CompletableFuture<ConsistencyMarker> commit = commit(AppendCondition.none(), tagged(event("E"), COURSE));
        assertNotDone(commit);

        journal.force();

        assertEquals(new GlobalIndexConsistencyMarker(2), commit.get(10, TimeUnit.SECONDS));
    }

    @Test
    void rejectionEndsOnceTheConflictingEventIsDurable() throws Exception
    {
        holdForces();
        commit(AppendCondition.none(), tagged(event("E"), COURSE));
        final CompletableFuture<?> rejected = commit(AppendCondition.withCriteria(OF_COURSE), tagged(event("E")));
        assertNotDone(rejected);

        journal.force();

        assertRejected(rejected);
    }

    @Test
    void sourcingEndsOnceTheLastMatchingEventIsDurable() throws Exception
    {
        holdForces();
        append(AppendCondition.none(), tagged(event("E"), COURSE));
        commit(AppendCondition.none(), tagged(event("E"), new Tag("course", "2")));
        assertEquals(1, source(OF_COURSE).size());
        commit(AppendCondition.none(), tagged(event("E"), COURSE));

        final CompletableFuture<Integer> sourced = engine.source(SourcingCondition.conditionFor(OF_COURSE), null)
            .reduce(0, (count, entry) -> count + 1);
        assertNotDone(sourced);
        journal.force();

        assertEquals(3, sourced.get(10, TimeUnit.SECONDS));
    }

    @Test
    void streamPassesDurableEventsAndRunsItsCallback() throws Exception
    {
        holdForces();
        final MessageStream<EventMessage> stream = engine.stream(StreamingCondition.startingFrom(null), null);
        assertEquals("first", stream.next().orElseThrow().message().type().name());
        final AtomicInteger calls = new AtomicInteger();
        stream.setCallback(calls::incrementAndGet);
        final CompletableFuture<?> first = commit(AppendCondition.none(), tagged(event("E")), tagged(event("E")));
        assertNotDone(first);
        assertFalse(stream.hasNextAvailable());
        assertEquals(new GlobalSequenceTrackingToken(1), engine.latestToken(null).join());
        assertEquals(new GlobalSequenceTrackingToken(1), engine.tokenAt(Instant.MAX, null).join());

        journal.force();
        first.get(10, TimeUnit.SECONDS);

        assertEquals(2, calls.get());
        assertTrue(stream.next().isPresent() && stream.next().isPresent());
        assertEquals(new GlobalSequenceTrackingToken(3), engine.latestToken(null).join());
        stream.close();
        append(AppendCondition.none(), tagged(event("E")));
        assertEquals(2, calls.get());
        assertTrue(stream.isCompleted() && stream.next().isEmpty());
    }

    @Test
    void throwingCallbackEndsTheStreamOnly()
    {
        final MessageStream<EventMessage> stream = engine.stream(StreamingCondition.startingFrom(null), null);
        final AtomicInteger calls = new AtomicInteger();
        stream.setCallback(() ->
        {
            if (1 == calls.getAndIncrement())
            {
                throw new IllegalStateException("on purpose");
            }
        });

        append(AppendCondition.none(), tagged(event("E")));

        assertEquals("on purpose", stream.error().orElseThrow().getMessage());
    }

    @Test
    void longStreamsAreReadInPages()
    {
        final int count = 5 * PagedStream.PAGE;
        append(AppendCondition.none(),
            Stream.generate(() -> tagged(event("E"), COURSE)).limit(count).toArray(TaggedEventMessage<?>[]::new));

        assertEquals(count, source(OF_COURSE).size());
        final MessageStream<EventMessage> stream = engine.stream(StreamingCondition.startingFrom(null), null);
        for (int i = 0; i < count; i++)
        {
            assertTrue(stream.next().isPresent());
        }
        assertFalse(stream.hasNextAvailable());
    }

    @Test
    void rolledBackTransactionAppendsNothing()
    {
        final AppendTransaction<?> transaction = engine
            .appendEvents(AppendCondition.none(), null, List.of(tagged(event("E"), COURSE))).join();
        transaction.rollback(null);

        assertThrows(CompletionException.class, () -> transaction.commit(null).join());
        assertEquals(List.of(), source(OF_COURSE));
    }

    @Test
    void whatReachesBelowPrunedEventsFails()
    {
        streams.close();
        open(Journal.builder(other).segmentLength(64 * 1024));
        for (int i = 0; i < 1000; i++)
        {
            append(AppendCondition.none(), tagged(event("E"), new Tag("course", Integer.toString(i % 2))));
        }
        journal.prune(900);

        assertFailed(PrunedException.class, engine.source(SourcingCondition.conditionFor(OF_COURSE), null));
        assertFailed(PrunedException.class,
            engine.stream(StreamingCondition.startingFrom(new GlobalSequenceTrackingToken(0)), null));
        assertEquals(0, source(EventCriteria.havingTags(new Tag("course", "2"))).size());
        assertTrue(engine.stream(StreamingCondition.startingFrom(engine.firstToken(null).join()), null).next()
            .isPresent());
        assertTrue(engine.stream(StreamingCondition.startingFrom(null), null).next().isPresent());
    }

    @Test
    void wrongEventsTokensAndMarkersAreRefused()
    {
        streams.append(List.of(new Event("foreign", Set.of("course=1"), new byte[0])));
        journal.force();

        assertFailed(IllegalStateException.class, engine.source(SourcingCondition.conditionFor(OF_COURSE), null));
        assertThrows(IllegalArgumentException.class,
            () -> engine.stream(StreamingCondition.startingFrom(new GapAwareTrackingToken(0, Set.of())), null));
        assertInstanceOf(IllegalArgumentException.class, engine.appendEvents(AppendCondition.none(), null,
            List.of(tagged(new GenericEventMessage(new MessageType("E"), null)))).exceptionNow());
        assertInstanceOf(IllegalArgumentException.class, engine.appendEvents(AppendCondition.none(), null,
            List.of(tagged(event("E"), new Tag("course", "1".repeat(2000))))).exceptionNow());
        assertInstanceOf(IllegalArgumentException.class, engine.appendEvents(
            AppendCondition.withCriteria(OF_COURSE).withMarker(new GlobalIndexConsistencyMarker(7)), null,
            List.of(tagged(event("E")))).join().commit(null).exceptionNow());
    }

    @Test
    void failedAndClosedJournalsFailEverything()
    {
        streams.close();
        final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);
        open(Journal.builder(other).store(store).backgroundThread(false));
        store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));

        assertInstanceOf(JournalException.class, assertThrows(CompletionException.class,
            commit(AppendCondition.none(), tagged(event("E"), COURSE))::join).getCause());
        assertThrows(JournalException.class, streams::close);
        assertFailed(IllegalStateException.class, engine.source(SourcingCondition.conditionFor(OF_COURSE), null));
        assertThrows(IllegalStateException.class, () -> engine.tokenAt(Instant.EPOCH, null));
        assertThrows(CompletionException.class, commit(AppendCondition.none(), tagged(event("E")))::join);
    }

    @Test
    void eventsOfAggregatesCanBeReadWithTags()
    {
        final EventStorageEngine aggregates = new AggregateBasedJournalEventStorageEngine(streams, CONVERTER);
        final CompletableFuture<?> commit = commit(aggregates, AppendCondition.none(), tagged(event("E"), COURSE),
            tagged(event("E"), new Tag("student", "2")), tagged(event("E"), COURSE), tagged(event("E")));
        journal.force();
        commit.join();

        assertEquals(2, source(OF_COURSE).size());
        final MessageStream<EventMessage> stream = aggregates.stream(StreamingCondition.startingFrom(null), null);
        assertEquals(0L, stream.next().orElseThrow().getResource(LegacyResources.AGGREGATE_SEQUENCE_NUMBER_KEY));
        assertEquals("student", stream.next().orElseThrow().getResource(LegacyResources.AGGREGATE_TYPE_KEY));
        assertEquals("1", stream.next().orElseThrow().getResource(LegacyResources.AGGREGATE_IDENTIFIER_KEY));
        assertNull(stream.next().orElseThrow().getResource(LegacyResources.AGGREGATE_IDENTIFIER_KEY));
        append(AppendCondition.none(), tagged(event("E"), COURSE));
        final CompletableFuture<Integer> sourced = aggregates
            .source(SourcingCondition.conditionFor(OF_COURSE), null).reduce(0, (count, entry) -> count + 1);
        assertInstanceOf(IllegalStateException.class, sourced.exceptionNow());
        assertTrue(commit(aggregates, AppendCondition.none(), tagged(event("E"), COURSE)).isCompletedExceptionally());
        assertThrows(IllegalArgumentException.class,
            () -> aggregates.source(SourcingCondition.conditionFor(EventCriteria.havingAnyTag()), null));
        assertThrows(IllegalArgumentException.class, () -> aggregates.source(
            SourcingCondition.conditionFor(EventCriteria.havingTags(COURSE, new Tag("student", "2"))), null));
    }

    private static EventMessage event(final String type)
    {
        return new GenericEventMessage(new MessageType(new QualifiedName(type)),
            "payload".getBytes(StandardCharsets.UTF_8));
    }

    private static TaggedEventMessage<?> tagged(final EventMessage event, final Tag... tags)
    {
        return new GenericTaggedEventMessage<>(event, Set.of(tags));
    }

    private CompletableFuture<ConsistencyMarker> commit(
        final AppendCondition condition, final TaggedEventMessage<?>... events)
    {
        return commit(engine, condition, events);
    }

    private static CompletableFuture<ConsistencyMarker> commit(
        final EventStorageEngine engine, final AppendCondition condition, final TaggedEventMessage<?>... events)
    {
        @SuppressWarnings("unchecked")
        final AppendTransaction<Object> transaction =
            (AppendTransaction<Object>)engine.appendEvents(condition, null, List.of(events)).join();
        return transaction.commit(null).thenCompose((result) -> transaction.afterCommit(result, null));
    }

    private void append(final AppendCondition condition, final TaggedEventMessage<?>... events)
    {
        final CompletableFuture<?> commit = commit(condition, events);
        journal.force();
        commit.join();
    }

    /** The events, without the entry of the marker. */
    private List<Entry<EventMessage>> source(final EventCriteria criteria)
    {
        final List<Entry<EventMessage>> entries = engine.source(SourcingCondition.conditionFor(criteria), null)
            .reduce(new ArrayList<Entry<EventMessage>>(), (list, entry) ->
            {
                list.add(entry);
                return list;
            }).join();
        assertTrue(entries.get(entries.size() - 1).containsResource(ConsistencyMarker.RESOURCE_KEY));
        return entries.subList(0, entries.size() - 1);
    }

    private static void assertNotDone(final CompletableFuture<?> future) throws InterruptedException
    {
        Thread.sleep(20);
        assertFalse(future.isDone());
    }

    private static void assertRejected(final CompletableFuture<?> commit)
    {
        assertInstanceOf(AppendEventsTransactionRejectedException.class,
            assertThrows(CompletionException.class, commit::join).getCause());
    }

    private static void assertFailed(
        final Class<? extends Exception> type, final MessageStream<EventMessage> stream)
    {
        assertTrue(stream.next().isEmpty());
        assertTrue(stream.isCompleted());
        assertInstanceOf(type, stream.error().orElseThrow());
    }
}
