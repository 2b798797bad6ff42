package io.journal.replicated;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Role;
import io.journal.replicated.support.FakeCluster;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Flight Recorder events of members and writers, and operation without Flight Recorder.
 */
@Tag("slow")
class EventsTest
{
    private static final int RECORDS = 200;
    private static final String PREFIX = "io.journal.replicated.";

    @TempDir
    private Path directory;

    /** A writer that fails over and is fenced, and a member that leads, takes a snapshot, prunes and fails. */
    static final class User
    {
        private User()
        {
        }

        public static void main(final String[] args)
        {
            use(Path.of(args[0]));
            System.out.println("flight recorder: " + ModuleLayer.boot().findModule("jdk.jfr").isPresent());
        }

        private static void use(final Path directory)
        {
            try (Journal journal = Journal.builder(directory).segmentLength(64 * 1024).open())
            {
                final FakeCluster cluster = new FakeCluster(Limits.capacity(1024));
                final JournalMachine machine = new JournalMachine(journal, 1);
                cluster.add(machine);
                final Writer writer = connect(cluster);
                for (int i = 0; i < RECORDS; i++)
                {
                    writer.append(0, new byte[1024], 0, 1024);
                    settle(cluster, writer, i);
                }
                writer.append(0, new byte[1024], 0, 1024);
                cluster.lose(1, true);
                cluster.changeLeader();
                settle(cluster, writer, RECORDS + 1);

                machine.snapshot(77);
                writer.propose(Protocol.CONFIRM, RECORDS);
                writer.propose(Protocol.PRUNE, RECORDS);
                cluster.commit();
                connect(cluster).close();
                writer.drive();
                writer.close();
                runMember(machine);
            }
        }

        private static Writer connect(final FakeCluster cluster)
        {
            final WriterOptions options =
                new WriterOptions(Members.parse("a:9000"), 64, 64 * 1024, 1024, Long.MAX_VALUE);
            final Writer writer = new Writer(cluster, options, SystemNanoClock.INSTANCE);
            while (!writer.isOpened())
            {
                writer.drive();
                cluster.commit();
            }
            return writer;
        }

        private static void settle(final FakeCluster cluster, final Writer writer, final long sequence)
        {
            while (writer.acknowledged() < sequence)
            {
                writer.drive();
                cluster.commit();
            }
        }

        private static void runMember(final JournalMachine machine)
        {
            final FailingMember member = new FailingMember();
            final Maintenance maintenance = new Maintenance(0, machine, member, Long.MAX_VALUE, (ex) ->
            {
            });
            maintenance.start();
            while (member.asked.get() < 2)
            {
                Thread.onSpinWait();
            }
            maintenance.close();
        }
    }

    /** Leads, cannot be reached, and fails after one round. */
    private static final class FailingMember extends FakeMember
    {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public Role role()
        {
            return Role.LEADER;
        }

        @Override
        public int leaderId()
        {
            return 0;
        }

        @Override
        public Proposer connect(final Replies replies)
        {
            throw new JournalException("no way to the leader");
        }

        @Override
        public Throwable failure()
        {
            return asked.getAndIncrement() > 0 ? new JournalException("disk full") : null;
        }
    }

    @Test
    void changesOfMembersAndWritersAreFlightRecorderEvents() throws Exception
    {
        final Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording())
        {
            recording.start();
            User.use(directory.resolve("journal"));
            recording.stop();
            recording.dump(file);
        }

        final List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
            .filter((event) -> event.getEventType().getName().startsWith(PREFIX)).toList();
        events.forEach((event) -> assertEquals(
            List.of("Journal", "Replicated"), event.getEventType().getCategoryNames()));
        assertWriter(events);
        assertMember(events);
    }

    private static void assertWriter(final List<RecordedEvent> events)
    {
        final List<RecordedEvent> states = named(events, "WriterState");
        // The second writer's are among them.
        assertEquals(
            List.of("CONNECTED", "FAILING_OVER", "CONNECTED", "CONNECTED", "CLOSED", "FENCED", "CLOSED"),
            states.stream().map((event) -> event.getString("state")).toList());
        final RecordedEvent again = states.get(2);
        assertEquals("a:9000", again.getString("members"));
        assertEquals("FAILING_OVER", again.getString("previousState"));
        assertTrue(again.getDuration("previousDuration").toNanos() > 0);
        assertEquals(1, again.getLong("epoch"));
        assertEquals(RECORDS, again.getLong("forcedSequence"));
        assertEquals(RECORDS + 1, again.getLong("lastSequence"));

        final RecordedEvent resend = named(events, "Resend").get(0);
        assertEquals(RECORDS + 1, resend.getLong("firstSequence"));
        assertEquals(1, resend.getLong("records"));
    }

    private void assertMember(final List<RecordedEvent> events)
    {
        final RecordedEvent snapshot = named(events, "Snapshot").get(0);
        assertEquals(RECORDS + 1, snapshot.getLong("sequence"));
        assertEquals(77, snapshot.getLong("logPosition"));
        assertTrue(snapshot.getDuration().toNanos() > 0);

        final RecordedEvent prune = named(events, "Prune").get(0);
        assertEquals(RECORDS, prune.getLong("sequence"));
        assertTrue(prune.getLong("firstSequence") > 1 && prune.getLong("firstSequence") <= RECORDS);

        final RecordedEvent role = named(events, "Role").get(0);
        assertEquals("LEADER", role.getString("role"));
        assertEquals("FOLLOWER", role.getString("previousRole"));
        assertTrue(role.getDuration("previousDuration").toNanos() > 0);

        final RecordedEvent leader = named(events, "Leader").get(0);
        assertEquals(0, leader.getInt("leaderId"));
        assertEquals(Members.NONE, leader.getInt("previousLeaderId"));

        final RecordedEvent failure = named(events, "MemberFailure").get(0);
        assertTrue(failure.getString("cause").contains("disk full"));
        for (final RecordedEvent event : List.of(snapshot, prune, role, leader, failure))
        {
            assertEquals(directory.resolve("journal").toString(), event.getString("journal"));
        }
    }

    private static List<RecordedEvent> named(final List<RecordedEvent> events, final String name)
    {
        return events.stream().filter((event) -> event.getEventType().getName().equals(PREFIX + name)).toList();
    }

    @Test
    void everythingWorksInARuntimeWithoutFlightRecorder() throws Exception
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xverify:all",
            "-XX:TieredStopAtLevel=1", "--limit-modules", "java.base,jdk.unsupported",
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            User.class.getName(), directory.resolve("journal").toString()).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, process.waitFor(), output);
        assertTrue(output.endsWith("flight recorder: false" + System.lineSeparator()), output);
        assertTrue(Files.exists(directory.resolve("journal")));
    }
}
