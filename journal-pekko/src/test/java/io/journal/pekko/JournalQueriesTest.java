// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.io.NotSerializableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import com.typesafe.config.ConfigFactory;
import io.journal.streams.Event;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.EventAdapter;
import org.apache.pekko.persistence.journal.EventSeq;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.Sequence;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.SinkQueueWithCancel;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalQueriesTest
{
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final AtomicInteger ADAPTED = new AtomicInteger();

    /** "tag=event" is stored as "event" with a tag, and "twice" is read as two events. */
    public static final class Adapter implements EventAdapter
    {
        @Override
        public String manifest(final Object event)
        {
            return "adapted";
        }

        @Override
        public Object toJournal(final Object event)
        {
            final String[] parts = event.toString().split("=");
            return 1 == parts.length ? event : new Tagged(parts[1], Set.of(parts[0], "every"));
        }

        @Override
        public EventSeq fromJournal(final Object event, final String manifest)
        {
            assertEquals("adapted", manifest);
            ADAPTED.incrementAndGet();
            if ("broken".equals(event))
            {
                throwUnchecked(new NotSerializableException("broken"));
            }
            return "twice".equals(event) ? EventSeq.create("once", "again") :
                "gone".equals(event) ? EventSeq.empty() : EventSeq.single(event);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(final Throwable problem) throws T
    {
        throw (T)problem;
    }

    @TempDir
    private Path directory;
    private ActorSystem system;
    private TestKit probe;
    private JournalQueries queries;

    @BeforeEach
    void setUp()
    {
        system = Systems.create(ConfigFactory.parseString(
            "journal.pekko.journal {\n" +
                "  event-adapters { adapter = \"" + Adapter.class.getName() + "\" }\n" +
                "  event-adapter-bindings { \"java.lang.String\" = adapter }\n" +
                "}")
            .withFallback(Systems.config(directory)), (builder) ->
            {
            });
        probe = new TestKit(system);
        queries = PersistenceQuery.get(system).getReadJournalFor(JournalQueries.class, JournalQueries.IDENTIFIER);
    }

    @AfterEach
    void tearDown()
    {
        Systems.terminate(system);
    }

    private ActorRef recorder(final String id)
    {
        final ActorRef recorder = system.actorOf(Recorder.props(id, probe.getRef()));
        probe.expectMsgClass(Recorder.Recovered.class);
        return recorder;
    }

    private void persist(final ActorRef recorder, final Object... events)
    {
        for (final Object event : events)
        {
            recorder.tell(event, ActorRef.noSender());
            assertEquals(event instanceof String, probe.receiveOne(TIMEOUT) instanceof Recorder.Persisted);
        }
    }

    private <T> List<T> all(final Source<T, NotUsed> source)
    {
        return Systems.get(source.runWith(Sink.seq(), system));
    }

    private List<Object> events(final Source<EventEnvelope, NotUsed> source)
    {
        return all(source.map(EventEnvelope::event));
    }

    private static long offset(final EventEnvelope envelope)
    {
        return ((Sequence)envelope.offset()).value();
    }

    @Test
    void currentEventsOfAnId()
    {
        final ActorRef recorder = recorder("id");
        persist(recorder("other"), "x");
        persist(recorder, "one", "two", new Object(), "four", "five");

        final List<EventEnvelope> envelopes = all(queries.currentEventsByPersistenceId("id", 0, Long.MAX_VALUE));
        assertEquals(List.of("one", "two", "four", "five"), envelopes.stream().map(EventEnvelope::event).toList());
        assertEquals(List.of(1L, 2L, 4L, 5L), envelopes.stream().map(EventEnvelope::sequenceNr).toList());
        envelopes.forEach((envelope) ->
        {
            assertEquals("id", envelope.persistenceId());
            assertTrue(envelope.timestamp() > 0);
        });
        assertEquals(List.of("two", "four"), events(queries.currentEventsByPersistenceId("id", 2, 4)));
        assertEquals(List.of("four"), events(queries.currentEventsByPersistenceId("id", 3, 4)));
        assertEquals(List.of(), events(queries.currentEventsByPersistenceId("id", 3, 3)));
        assertEquals(List.of(), events(queries.currentEventsByPersistenceId("id", 6, Long.MAX_VALUE)));
        assertEquals(List.of(), events(queries.currentEventsByPersistenceId("id", 4, 2)));
        assertEquals(List.of(), events(queries.currentEventsByPersistenceId("unknown", 0, Long.MAX_VALUE)));

        recorder.tell(new Recorder.Delete(2), ActorRef.noSender());
        probe.expectMsgClass(org.apache.pekko.persistence.DeleteMessagesSuccess.class);
        assertEquals(List.of("four", "five"), events(queries.currentEventsByPersistenceId("id", 0, Long.MAX_VALUE)));
        assertEquals(List.of(), events(queries.eventsByPersistenceId("id", 0, 2)));
    }

    @Test
    void liveEventsOfAnIdEndAtTheLast()
    {
        final CompletionStage<List<Object>> toFour = queries.eventsByPersistenceId("id", 2, 4)
            .map(EventEnvelope::event).runWith(Sink.seq(), system);
        final CompletionStage<List<Object>> toThree = queries.eventsByPersistenceId("id", 0, 3)
            .map(EventEnvelope::event).runWith(Sink.seq(), system);
        final ActorRef recorder = recorder("id");
        persist(recorder("other"), "x");
        persist(recorder, "one", "two", new Object());
        assertFalse(toFour.toCompletableFuture().isDone());
        persist(recorder, "four", "five");

        assertEquals(List.of("two", "four"), Systems.get(toFour));
        assertEquals(List.of("one", "two"), Systems.get(toThree));
        assertEquals(List.of("four"), events(queries.eventsByPersistenceId("id", 3, 4)));
        assertEquals(List.of(), all(queries.eventsByPersistenceId("id", 5, 4)));
    }

    @Test
    void eventsByTagContinueAfterAnOffset()
    {
        persist(recorder("a"), "red=1", "blue=2", "3");
        persist(recorder("b"), "red=4", "twice", "red=twice", "red=gone", "red=5");

        final List<EventEnvelope> red = all(queries.currentEventsByTag("red", Offset.noOffset()));
        assertEquals(List.of("1", "4", "once", "again", "5"), red.stream().map(EventEnvelope::event).toList());
        for (int i = 0; i < red.size(); i++)
        {
            final long offset = offset(red.get(i));
            assertEquals(
                red.stream().filter((envelope) -> offset(envelope) > offset).toList(),
                all(queries.currentEventsByTag("red", Offset.sequence(offset))));
        }
        assertEquals(List.of("1", "2", "4", "once", "again", "5"),
            events(queries.currentEventsByTag("every", Offset.sequence(0))));
        assertEquals(List.of(), events(queries.currentEventsByTag("none", Offset.noOffset())));
        assertEquals(List.of("1", "2", "3", "4", "once", "again", "once", "again", "5"),
            events(queries.currentEvents(Offset.noOffset())));
        assertEquals(List.of(), events(queries.currentEvents(Offset.sequence(1_000_000))));
        assertThrows(IllegalArgumentException.class,
            () -> queries.eventsByTag("red", Offset.timestamp(java.time.Instant.EPOCH)));
    }

    @Test
    void liveQueriesPassEachDurableEventOnce()
    {
        final Store store = Store.get(system);
        final int actors = 8;
        final int each = 200;
        final List<CompletionStage<List<EventEnvelope>>> live = new ArrayList<>();
        live.add(queries.events(Offset.noOffset()).map((envelope) -> durable(store, envelope))
            .take((long)actors * each).runWith(Sink.seq(), system));
        live.add(queries.eventsByTag("even", Offset.noOffset()).map((envelope) -> durable(store, envelope))
            .take((long)actors * each / 2).throttle(400, Duration.ofMillis(100)).runWith(Sink.seq(), system));
        final Random random = new Random(1);
        final List<ActorRef> recorders = new ArrayList<>();
        for (int i = 0; i < actors; i++)
        {
            recorders.add(recorder("id-" + i));
        }
        for (int i = 0; i < each; i += 4)
        {
            for (final ActorRef recorder : recorders)
            {
                recorder.tell("odd=1", ActorRef.noSender());
                recorder.tell(List.of("even=2", "odd=3", "even=4"), ActorRef.noSender());
            }
            if (0 == random.nextInt(10))
            {
                // A query that starts in the middle.
                live.add(queries.events(Offset.sequence(store.durablePosition())).take(100)
                    .runWith(Sink.seq(), system));
            }
        }
        probe.receiveN(actors * each, TIMEOUT);

        final List<EventEnvelope> expected = all(queries.currentEvents(Offset.noOffset()));
        assertEquals(actors * each, expected.size());
        assertEquals(expected, Systems.get(live.get(0)));
        assertEquals(expected.stream().filter((envelope) -> 0 == Integer.parseInt((String)envelope.event()) % 2)
            .toList(), Systems.get(live.get(1)));
        for (final CompletionStage<List<EventEnvelope>> query : live.subList(2, live.size()))
        {
            persist(recorders.get(0), LongStream.range(0, 100).mapToObj((i) -> "odd=" + (2 * i + 1)).toArray());
            final List<EventEnvelope> found = Systems.get(query);
            final List<EventEnvelope> now = all(queries.currentEvents(Offset.noOffset()));
            final int first = now.indexOf(found.get(0));
            assertEquals(now.subList(first, first + 100), found);
        }
    }

    private static EventEnvelope durable(final Store store, final EventEnvelope envelope)
    {
        assertTrue(offset(envelope) <= store.journal.forcedSequence());
        return envelope;
    }

    @Test
    void persistenceIdsAreDistinct()
    {
        final CompletionStage<List<String>> live = queries.persistenceIds().take(4).runWith(Sink.seq(), system);
        persist(recorder("a"), "1", "2");
        persist(recorder("b"), new Object(), "2", "3");
        persist(recorder("c"), Store.FIRST + "=1", Store.FIRST + "=2");
        Store.get(system).append("d", 5, List.of(event("d", 5)));
        persist(recorder("a"), "3");

        assertEquals(List.of("a", "b", "c", "d"), all(queries.currentPersistenceIds()));
        assertEquals(List.of("a", "b", "c", "d"), Systems.get(live));
    }

    private Event event(final String id, final long sequenceNr)
    {
        return Store.get(system).encode(PersistentRepr.apply(
            "event", sequenceNr, id, "adapted", false, ActorRef.noSender(), "writer"));
    }

    @Test
    void eventThatCannotBeReadFailsTheQuery()
    {
        persist(recorder("id"), "1", "broken");
        final CompletionException failure =
            assertThrows(CompletionException.class, () -> all(queries.events(Offset.noOffset())));

        assertInstanceOf(NotSerializableException.class, failure.getCause());
    }

    @Test
    void readsNoFasterThanThereIsDemand()
    {
        final Store store = Store.get(system);
        for (int i = 1; i <= 5_000; i++)
        {
            store.append("id", i, List.of(event("id", i)));
        }
        store.journal.force();
        ADAPTED.set(0);
        for (final Source<EventEnvelope, NotUsed> source : List.of(
            queries.currentEvents(Offset.noOffset()), queries.eventsByPersistenceId("id", 0, Long.MAX_VALUE)))
        {
            final SinkQueueWithCancel<EventEnvelope> queue = source.runWith(Sink.queue(), system);
            for (int i = 1; i <= 3; i++)
            {
                assertEquals(Optional.of((long)i), Systems.get(queue.pull()).map(EventEnvelope::sequenceNr));
            }
            queue.cancel();
        }

        assertTrue(ADAPTED.get() < 2_000, "read: " + ADAPTED.get());
    }

    @Test
    void cancelledQueryReadsNoMore()
    {
        final Pair<UniqueKillSwitch, CompletionStage<Done>> cancelled = queries.events(Offset.noOffset())
            .viaMat(KillSwitches.single(), Keep.right()).toMat(Sink.ignore(), Keep.both()).run(system);
        final ActorRef recorder = recorder("id");
        persist(recorder, "1");
        cancelled.first().shutdown();
        Systems.get(cancelled.second());
        ADAPTED.set(0);
        final CompletionStage<List<EventEnvelope>> other =
            queries.events(Offset.sequence(1)).take(10).runWith(Sink.seq(), system);
        persist(recorder, "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
        Systems.get(other);

        assertTrue(ADAPTED.get() <= 11, "read: " + ADAPTED.get());
    }

    @Test
    void scalaHasTheSameQueries()
    {
        persist(recorder("a"), "red=1", "blue=2");
        final ScalaJournalQueries scala = PersistenceQuery.get(system)
            .readJournalFor(JournalQueries.IDENTIFIER);

        assertEquals(List.of("1"), events(scala.currentEventsByTag("red", Offset.noOffset()).asJava()));
        assertEquals(List.of("2"), events(scala.eventsByTag("blue", Offset.noOffset()).asJava().take(1)));
        assertEquals(List.of("2"), events(scala.currentEventsByPersistenceId("a", 2, 2).asJava()));
        assertEquals(List.of("1"), events(scala.eventsByPersistenceId("a", 0, 1).asJava()));
        assertEquals(List.of("1", "2"), events(scala.currentEvents(Offset.noOffset()).asJava()));
        assertEquals(List.of("2"), events(scala.events(Offset.sequence(1)).asJava().take(1)));
        assertEquals(List.of("a"), all(scala.currentPersistenceIds().asJava()));
        assertEquals(List.of("a"), all(scala.persistenceIds().asJava().take(1)));
    }
}
