// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.internal.observe.Events;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Flight Recorder events, and operation without Flight Recorder. */
class EventsTest extends RecoveryFixture
{
    /** Uses a journal in a process of its own. */
    public static final class User
    {
        private User()
        {
        }

        /**
         * @param args directory and backend.
         */
        public static void main(final String[] args)
        {
            use(Path.of(args[0]), Backend.valueOf(args[1]));
            System.out.println(
                "flight recorder: " + ModuleLayer.boot().findModule("jdk.jfr").isPresent() + ", events: " +
                    Events.INSTANCE.getClass().getSimpleName());
        }
    }

    /** Two fsyncs of records in segment 0, then a roll to segment 1, and a close. */
    private static void use(final Path path, final Backend backend)
    {
        try (Journal journal = Journal.builder(path)
            .backend(backend).writeWindow(0).segmentLength(SEGMENT_LENGTH).backgroundThread(false).name("ledger")
            .open())
        {
            final JournalAppender appender = journal.appender();
            for (int i = 0; i < 2; i++)
            {
                appender.append(new byte[5000]);
                journal.awaitForced(journal.lastSequence());
            }
            while (journal.counters().appendedPosition() < SEGMENT_LENGTH)
            {
                appender.append(new byte[5000]);
            }
        }
    }

    @EachBackend
    void slowOperationsAreFlightRecorderEvents(final Backend backend) throws IOException
    {
        assertNotEquals(Events.class, Events.INSTANCE.getClass());
        final Path file = temp.resolve("recording.jfr");
        try (Recording recording = new Recording())
        {
            for (final String name : List.of("Force", "Roll", "Prepare", "Recovery"))
            {
                recording.enable("io.journal." + name).withoutThreshold();
            }
            recording.start();
            use(live.path, backend);
            use(live.path, backend);
            recording.stop();
            recording.dump(file);
        }

        final List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        final List<RecordedEvent> recoveries = named(events, "Recovery");
        assertEquals(2, recoveries.size());
        assertEquals(live.path.toString(), recoveries.get(0).getString("path"));
        assertEquals(0, recoveries.get(0).getLong("lastSequence"));
        assertTrue(recoveries.get(1).getBoolean("isCleanlyClosed"));
        assertTrue(recoveries.get(1).getLong("lastSequence") > 10);
        assertEquals(0, recoveries.get(1).getLong("cutBytes"));

        final List<RecordedEvent> rolls = named(events, "Roll");
        assertEquals(segmentName(1), rolls.get(0).getString("file"));
        assertTrue(rolls.get(0).getLong("firstSequence") > 10);

        final List<RecordedEvent> prepared = named(events, "Prepare");
        assertEquals(segmentName(1), prepared.get(0).getString("file"));
        assertEquals(SEGMENT_LENGTH, prepared.get(0).getLong("bytes"));
        assertFalse(prepared.get(0).getBoolean("isRecycled"));

        final List<RecordedEvent> forces = named(events, "Force");
        assertTrue(forces.size() >= 8, () -> "forces=" + forces.size());
        long position = 0;
        for (final RecordedEvent force : forces)
        {
            assertTrue(force.getLong("position") >= position);
            assertTrue(force.getLong("bytes") > 0);
            assertEquals(0, force.getInt("waiters"));
            assertTrue(force.getDuration().toNanos() > 0);
            assertTrue(force.getString("file").endsWith(".journal"));
            position = force.getLong("position");
        }
        events.stream().filter((event) -> event.getEventType().getName().startsWith("io.journal."))
            .forEach((event) ->
            {
                assertEquals(List.of("Journal"), event.getEventType().getCategoryNames());
                assertEquals("ledger", event.getString("journal"));
            });
    }

    private static List<RecordedEvent> named(final List<RecordedEvent> events, final String name)
    {
        return events.stream().filter((event) -> event.getEventType().getName().equals("io.journal." + name)).toList();
    }

    @Test
    void noEventIsBegunWithoutARecording()
    {
        for (final Events events : List.of(new Events(), Events.INSTANCE))
        {
            for (final Events.Kind kind : Events.Kind.values())
            {
                assertNull(events.begin(kind));
            }
            events.endForce(null, null, null, 0, 0, 0);
            events.endRoll(null, null, null);
            events.endPrepare(null, null, null, false);
            events.endRecovery(null, null, null, false, 0, 0, 0);
        }
    }

    @Tag("slow")
    @EachBackend
    void journalWorksInARuntimeWithoutFlightRecorder(final Backend backend) throws Exception
    {
        final String output = run(backend, "--limit-modules", "java.base,jdk.unsupported");

        assertEquals("flight recorder: false, events: Events", output.strip());
        final Journal journal = closing(open(live, backend));
        assertTrue(journal.lastSequence() > 10);
    }

    private String run(final Backend backend, final String... options) throws Exception
    {
        final Path output = temp.resolve("output");
        final List<String> command = new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xverify:all",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(options));
        command.addAll(List.of(
            "-cp", System.getProperty("java.class.path"), User.class.getName(), live.path.toString(), backend.name()));
        final Process process = new ProcessBuilder(command)
            .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(10, TimeUnit.MINUTES));
        final String text = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), text);

        return text;
    }
}
