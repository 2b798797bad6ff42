// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import com.typesafe.config.ConfigFactory;
import io.journal.CorruptJournalException;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Status;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

/** What the suite of {@link TckTest} does not cover. */
class JournalSnapshotsTest
{
    private static final Logger LOGGER = Logger.getLogger("io.journal.streams");

    @TempDir
    private Path directory;
    private ActorSystem system;
    private TestKit probe;

    @AfterEach
    void tearDown()
    {
        Systems.terminate(system);
        LOGGER.setLevel(null);
    }

    private void start(final String options)
    {
        system = Systems.create(
            ConfigFactory.parseString(options).withFallback(Systems.config(directory)), (builder) ->
            {
            });
        probe = new TestKit(system);
    }

    private ActorRef recorder()
    {
        return system.actorOf(Recorder.props("id", probe.getRef()));
    }

    /** Two events, a snapshot, and a third event. */
    private void persist()
    {
        start("");
        final ActorRef recorder = recorder();
        recorder.tell("one", ActorRef.noSender());
        recorder.tell("two", ActorRef.noSender());
        recorder.tell(new Recorder.Save("one and two"), ActorRef.noSender());
        recorder.tell("three", ActorRef.noSender());
        assertEquals(1, probe.receiveN(5).stream().filter(SaveSnapshotSuccess.class::isInstance).count());
        Systems.terminate(system);
    }

    @Test
    void snapshotSurvivesARestart()
    {
        persist();
        start("");
        recorder();

        probe.expectMsgEquals(new Recorder.Recovered(List.of("one and two", "three"), 3));
    }

    @Test
    void damagedSnapshotFailsTheRecovery() throws IOException
    {
        persist();
        final Path file = snapshotFile();
        final byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        LOGGER.setLevel(Level.OFF);
        Files.write(file, bytes);
        start("");
        recorder();

        assertInstanceOf(CorruptJournalException.class, probe.expectMsgClass(Status.Failure.class).cause());
    }

    @Test
    void snapshotThatIsMissingIsReplacedByItsEventsIfThatIsAllowed() throws IOException
    {
        persist();
        Files.delete(snapshotFile());
        start("journal.pekko.snapshot-store.snapshot-is-optional = true");
        recorder();

        probe.expectMsgEquals(new Recorder.Recovered(List.of("one", "two", "three"), 3));
    }

    private Path snapshotFile() throws IOException
    {
        try (Stream<Path> files = Files.list(directory.resolve("streams/snapshots")))
        {
            return files.findFirst().orElseThrow();
        }
    }
}
