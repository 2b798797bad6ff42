// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.io.IOException;
import java.io.NotSerializableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalLockedException;
import io.journal.streams.ConflictException;
import io.journal.streams.Event;
import io.journal.store.Backend;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import io.journal.testkit.Tearing;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.Status;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.serialization.SerializationExtension;
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

class JournalWriterTest
{
    @TempDir
    private Path directory;
    private ActorSystem system;
    private TestKit probe;

    @TempDir
    private Path other;

    @BeforeEach
    void setUp()
    {
        start(Systems.create(directory));
    }

    @AfterEach
    void tearDown()
    {
        Systems.terminate(system);
    }

    private void start(final ActorSystem started)
    {
        system = started;
        probe = new TestKit(system);
    }

    private void restart()
    {
        Systems.terminate(system);
        start(Systems.create(directory));
    }

    private FaultStore restartWithFaults(final Backend backend)
    {
        Systems.terminate(system);
        final FaultStore store = new FaultStore(backend);
        start(Systems.create(Systems.config(other), (builder) -> builder
            .backend(backend).store(store).segmentLength(1 << 16).backgroundThread(false)));
        return store;
    }

    private ActorRef recorder(final String id)
    {
        return system.actorOf(Recorder.props(id, probe.getRef()));
    }

    private ActorRef recovered(final String id, final long sequenceNr, final Object... events)
    {
        final ActorRef recorder = recorder(id);
        probe.expectMsgEquals(new Recorder.Recovered(List.of(events), sequenceNr));
        return recorder;
    }

    private void persist(final ActorRef recorder, final Object event, final long sequenceNr)
    {
        recorder.tell(event, ActorRef.noSender());
        probe.expectMsgEquals(new Recorder.Persisted(event, sequenceNr));
    }

    private void stop(final ActorRef recorder)
    {
        probe.watch(recorder);
        recorder.tell(PoisonPill.getInstance(), ActorRef.noSender());
        probe.expectTerminated(recorder);
    }

    @Test
    void writesOfManyActorsShareAnFsync() throws InterruptedException
    {
        final FaultStore faults = restartWithFaults(Backend.MAPPED);
        final int actors = 64;
        final List<ActorRef> recorders = new ArrayList<>();
        for (int i = 0; i < actors; i++)
        {
            recorders.add(recovered("actor-" + i, 0));
        }
        final Store store = Store.get(system);
        final CountDownLatch isForcing = new CountDownLatch(1);
        final CountDownLatch mayForce = new CountDownLatch(1);
        faults.faults((step) ->
        {
            if (StoreStep.Kind.FORCE == step.kind())
            {
                isForcing.countDown();
                await(mayForce);
            }
            return Fault.none();
        });
        final long before = store.journal.counters().forces();

        recorders.forEach((recorder) -> recorder.tell("event", ActorRef.noSender()));
        isForcing.await();
        probe.awaitAssert(Duration.ofSeconds(60), () ->
        {
            assertEquals(actors, store.journal.lastSequence());
            return null;
        });
        assertFalse(probe.msgAvailable(), "acknowledged before the fsync");
        mayForce.countDown();
        probe.receiveN(actors).forEach((message) -> assertEquals(new Recorder.Persisted("event", 1), message));

        assertTrue(store.journal.counters().forces() - before <= 2, "more than the first and one for all others");
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void acknowledgedWritesSurviveAPowerLossAndNoneIsThereInPart(@TempDir final Path copies) throws IOException
    {
        final FaultStore faults = restartWithFaults(Backend.MAPPED);
        final int actors = 4;
        final long[] acknowledged = new long[actors];
        final List<ActorRef> recorders = new ArrayList<>();
        for (int i = 0; i < actors; i++)
        {
            recorders.add(recovered("actor-" + i, 0));
        }
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; i < actors; i++)
            {
                recorders.get(i).tell(List.of("a-" + i, "b-" + i, "c-" + i), ActorRef.noSender());
            }
            for (int i = 0; i < 3 * actors; i++)
            {
                if (round + i == 3 * actors)
                {
                    checkAfterPowerLoss(faults.crashPoint().disk(Tearing.SECTORS, round), copies, acknowledged);
                }
                final Recorder.Persisted persisted = probe.expectMsgClass(Recorder.Persisted.class);
                acknowledged[((String)persisted.event()).charAt(2) - '0'] = persisted.sequenceNr();
            }
        }
    }

    private void checkAfterPowerLoss(final FaultStore disk, final Path copies, final long[] acknowledged)
        throws IOException
    {
        final Path copy = Files.createTempDirectory(copies, "copy");
        final Store store = new Store(Journal.builder(copy).backend(Backend.MAPPED).store(disk)
            .segmentLength(1 << 16).backgroundThread(false).open(), SerializationExtension.get(system));
        for (int i = 0; i < acknowledged.length; i++)
        {
            final long stored = store.newest("actor-" + i).sequenceNr();
            assertTrue(stored >= acknowledged[i], "stored=" + stored + ", acknowledged=" + acknowledged[i]);
            assertEquals(0, stored % 3);
        }
        store.streams.close();
    }

    @Test
    void rejectedEventUsesItsNumber()
    {
        final ActorRef recorder = recovered("id", 0);
        recorder.tell(new Object(), ActorRef.noSender());
        assertInstanceOf(
            NotSerializableException.class, probe.expectMsgClass(Recorder.Rejected.class).cause());
        persist(recorder, "two", 2);
        recorder.tell(new Object(), ActorRef.noSender());
        probe.expectMsgClass(Recorder.Rejected.class);
        persist(recorder, "four", 4);

        restart();
        recovered("id", 4, "two", "four");
    }

    @Test
    void persistAllThatIsTooLongIsRejectedAsAWhole()
    {
        final ActorRef recorder = recovered("id", 0);
        final byte[] long9MiB = new byte[9 * 1024 * 1024];
        recorder.tell(List.of(long9MiB, long9MiB), ActorRef.noSender());
        probe.expectMsgClass(Recorder.Rejected.class);
        probe.expectMsgClass(Recorder.Rejected.class);
        persist(recorder, "three", 3);

        stop(recorder);
        recovered("id", 3, "three");
    }

    @Test
    void secondWriterOfAnIdFails()
    {
        final ActorRef first = recovered("id", 0);
        final ActorRef second = recovered("id", 0);
        persist(first, "first", 1);
        second.tell("second", ActorRef.noSender());
        assertInstanceOf(ConflictException.class, probe.expectMsgClass(Status.Failure.class).cause());
        persist(first, "again", 2);

        restart();
        recovered("id", 2, "first", "again");
    }

    @Test
    void highestSequenceNumberSurvivesDeletion()
    {
        final ActorRef recorder = recovered("id", 0);
        persist(recorder, "one", 1);
        persist(recorder, "two", 2);
        persist(recorder, "three", 3);
        recorder.tell(new Recorder.Delete(2), ActorRef.noSender());
        probe.expectMsgClass(DeleteMessagesSuccess.class);
        restart();
        final ActorRef again = recovered("id", 3, "three");
        again.tell(new Recorder.Delete(Long.MAX_VALUE), ActorRef.noSender());
        probe.expectMsgClass(DeleteMessagesSuccess.class);
        again.tell(new Recorder.Delete(1), ActorRef.noSender());
        probe.expectMsgClass(DeleteMessagesSuccess.class);
        restart();

        persist(recovered("id", 3), "four", 4);
    }

    @Test
    void fullJournalFailsWritesAndResumes()
    {
        final FaultStore faults = restartWithFaults(Backend.FILE_CHANNEL);
        ActorRef recorder = recovered("id", 0);
        faults.capacity(faults.usedBytes());
        final byte[] event = new byte[10_000];
        int count = 0;
        Object message;
        do
        {
            recorder.tell(event, ActorRef.noSender());
            count++;
            message = probe.receiveOne(Duration.ofSeconds(10));
        }
        while (message instanceof Recorder.Persisted);
        assertInstanceOf(JournalFullException.class, assertInstanceOf(Status.Failure.class, message).cause());

        faults.capacity(Long.MAX_VALUE);
        recorder = recorder("id");
        assertEquals(count - 1, probe.expectMsgClass(Recorder.Recovered.class).sequenceNr());
        persist(recorder, "after", count);
    }

    @Test
    void failedFsyncFailsWritesForGood()
    {
        final FaultStore faults = restartWithFaults(Backend.FILE_CHANNEL);
        final ActorRef recorder = recovered("id", 0);
        final ActorRef other = recovered("other", 0);
        persist(recorder, "durable", 1);
        faults.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));
        recorder.tell("lost", ActorRef.noSender());
        assertInstanceOf(JournalException.class, probe.expectMsgClass(Status.Failure.class).cause());
        other.tell("later", ActorRef.noSender());
        assertInstanceOf(JournalException.class, probe.expectMsgClass(Status.Failure.class).cause());

        // An event that is only written must not be recovered, because its actor would tell of it.
        recorder("id");
        assertInstanceOf(JournalException.class, probe.expectMsgClass(Status.Failure.class).cause());
        assertThrows(JournalException.class, Store.get(system).streams::close);
    }

    @Test
    void closedJournalFailsWrites()
    {
        final ActorRef recorder = recovered("id", 0);
        Store.get(system).streams.close();
        recorder.tell("late", ActorRef.noSender());

        assertInstanceOf(IllegalStateException.class, probe.expectMsgClass(Status.Failure.class).cause());
    }

    @Test
    void directoryMustBeConfigured()
    {
        assertTrue(failureOf(ConfigFactory.parseString("journal.pekko.directory = \"\"").withFallback(
            Systems.config(other)), IllegalArgumentException.class).contains("journal.pekko.directory"));
    }

    @Test
    void journalOfAnotherSystemIsRefused()
    {
        persist(recovered("id", 0), "one", 1);

        assertTrue(failureOf(Systems.config(directory), JournalLockedException.class).contains(directory.toString()));
    }

    /** What actors are told whose system cannot open its journal. */
    private static String failureOf(final Config config, final Class<? extends Throwable> type)
    {
        final ActorSystem system = ActorSystem.create("failing", config);
        try
        {
            final TestKit probe = new TestKit(system);
            for (int i = 0; i < 2; i++)
            {
                system.actorOf(Recorder.props("id", probe.getRef()));
                assertInstanceOf(type, probe.expectMsgClass(Status.Failure.class).cause());
            }
            return assertThrows(type, () -> Store.get(system)).getMessage();
        }
        finally
        {
            Systems.terminate(system);
        }
    }

    @Test
    void firstEventMayHaveAnyNumber()
    {
        final Store store = Store.get(system);
        store.append("id", 25_000, List.of(event("id", 25_000)));

        final ActorRef recorder = recovered("id", 25_000, "event-25000");
        persist(recorder, "next", 25_001);
    }

    @Test
    void positionsAreFoundByBisection()
    {
        final Store store = Store.get(system);
        final Random random = new Random(1);
        final List<List<Long>> positions = new ArrayList<>();
        for (int i = 0; i < 5; i++)
        {
            positions.add(new ArrayList<>(List.of(0L)));
        }
        for (int i = 0; i < 500; i++)
        {
            final int stream = random.nextInt(random.nextInt(5) + 1);
            final int sequenceNr = positions.get(stream).size();
            positions.get(stream).add(store.append(
                "id-" + stream, sequenceNr, List.of(event("id-" + stream, sequenceNr))));
        }
        for (int stream = 0; stream < 5; stream++)
        {
            final List<Long> expected = positions.get(stream);
            for (int i = -1; i < expected.size() + 2; i++)
            {
                final long position = expected.get(Math.max(0, Math.min(i, expected.size() - 1)));
                assertEquals(position, store.position("id-" + stream, i), "stream=" + stream + ", sequenceNr=" + i);
            }
        }
    }

    @Test
    void replayIsLimitedByNumbersAndCount()
    {
        final Store store = Store.get(system);
        for (int i = 1; i <= 20; i += i % 5 == 4 ? 2 : 1)
        {
            // Each fifth number is skipped.
            store.append("id", i, List.of(event("id", i)));
            store.append("other", i, List.of(event("other", i)));
        }
        store.journal.force();

        assertEquals(List.of(1L, 2L, 3L, 4L, 6L, 7L), replayed(store, 1, 7, Long.MAX_VALUE));
        assertEquals(List.of(4L, 6L), replayed(store, 4, 20, 2));
        assertEquals(List.of(6L), replayed(store, 5, 6, 100));
        assertEquals(List.of(), replayed(store, 5, 5, 100));
        assertEquals(List.of(19L), replayed(store, 19, Long.MAX_VALUE, 100));
        assertEquals(List.of(), replayed(store, 20, Long.MAX_VALUE, 100));
        assertEquals(List.of(), replayed(store, 3, 2, 100));
        assertEquals(List.of(), replayed(store, 1, 5, 0));
    }

    private static List<Long> replayed(final Store store, final long from, final long to, final long limit)
    {
        final List<Long> replayed = new ArrayList<>();
        store.replay("id", from, to, limit, (event) -> replayed.add(event.version()));
        return replayed;
    }

    private Event event(final String id, final long sequenceNr)
    {
        return Store.get(system).encode(PersistentRepr.apply(
            "event-" + sequenceNr, sequenceNr, id, "", false, ActorRef.noSender(), "writer"));
    }
}
