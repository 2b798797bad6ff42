// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.axon.Courses.DefineCourse;
import io.journal.axon.Courses.SubscribeStudent;
import io.journal.axon.Courses.Subscription;
import io.journal.streams.EventStreams;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.axonframework.common.configuration.AxonConfiguration;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.messaging.commandhandling.gateway.CommandGateway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An application is killed while threads send commands: what it acknowledged or refused holds in what is left. */
@Tag("slow")
class KillTest
{
    private static final int ROUNDS = 3;
    private static final int THREADS = 4;
    private static final int COURSES = 200;
    private static final int CAPACITY = 4;
    private static final int STUDENTS = 300;
    private static final int ENOUGH_OUTPUT = 2000;

    @TempDir
    private Path directory;

    /** What is in the journal: its subscriptions, as the application wrote them to its output. */
    private static final class Contents
    {
        private final Set<String> subscriptions = new HashSet<>();
        private final Map<String, Integer> counts = new HashMap<>();

        Contents(final Path directory)
        {
            try (EventStreams streams = EventStreams.open(Journal.open(directory)))
            {
                streams.read(Query.types(Courses.StudentSubscribed.class.getName()), Range.ALL, (event) ->
                {
                    final Map<String, String> tags = new HashMap<>();
                    event.tags().stream().map(EventFormat::decode).forEach((tag) -> tags.put(tag.key(), tag.value()));
                    final String line = tags.get("course") + ' ' + tags.get("student");
                    assertTrue(subscriptions.add(line), () -> "twice: " + line);
                    event.tags().forEach((tag) -> counts.merge(tag, 1, Integer::sum));
                });
            }
            counts.forEach((tag, count) -> assertTrue(
                count <= (tag.startsWith("course") ? CAPACITY : Courses.COURSES_OF_STUDENT), () -> tag + ": " + count));
        }

        boolean isRefusalRight(final String line)
        {
            final String[] names = line.split(" ");
            return subscriptions.contains(line) || counts.getOrDefault("course=" + names[0], 0) == CAPACITY ||
                counts.getOrDefault("student=" + names[1], 0) == Courses.COURSES_OF_STUDENT;
        }
    }

    /** The program: sends commands until it is killed, and prints what became of each. */
    static final class Application
    {
        private Application()
        {
        }

        public static void main(final String[] args)
        {
            final AxonConfiguration application = Courses.configurer(Path.of(args[0])).build();
            application.start();
            final CommandGateway gateway = application.getComponent(CommandGateway.class);
            final SplittableRandom random = new SplittableRandom(Long.parseLong(args[1]));
            for (int i = 0; i < COURSES && 0 == Long.parseLong(args[1]); i++)
            {
                gateway.sendAndWait(new DefineCourse("course-" + i, CAPACITY));
            }
            for (int i = 0; i < THREADS; i++)
            {
                final SplittableRandom own = random.split();
                new Thread(() -> run(gateway, own)).start();
            }
        }

        private static void run(final CommandGateway gateway, final SplittableRandom random)
        {
            while (true)
            {
                final Subscription subscription = new Subscription(
                    "course-" + random.nextInt(COURSES), "student-" + random.nextInt(STUDENTS));
                String outcome = "subscribed";
                try
                {
                    gateway.sendAndWait(new SubscribeStudent(subscription));
                }
                catch (final AppendEventsTransactionRejectedException ex)
                {
                    outcome = "conflict";
                }
                catch (final RuntimeException ex)
                {
                    outcome = ex.getMessage().startsWith("refused: ") ? "refused" : ex.toString();
                }
                System.out.print(outcome + ' ' + subscription.course() + ' ' + subscription.student() + '\n');
                System.out.flush();
            }
        }
    }

    @Test
    void acknowledgedCommandsAndRefusalsSurviveAKilledApplication() throws Exception
    {
        final Path data = directory.resolve("journal");
        final Set<String> promised = new HashSet<>();
        int acknowledged = 0;
        for (int round = 0; round < ROUNDS; round++)
        {
            final List<String> refused = new ArrayList<>();
            for (final String line : runAndKill(data, round))
            {
                final String[] words = line.split(" ", 2);
                switch (words[0])
                {
                    case "subscribed" ->
                    {
                        promised.add(words[1]);
                        acknowledged++;
                    }
                    case "refused" -> refused.add(words[1]);
                    default -> assertEquals("conflict", words[0], line);
                }
            }

            final Contents contents = new Contents(data);
            final int killed = round;
            promised.forEach((line) -> assertTrue(
                contents.subscriptions.contains(line), () -> "round " + killed + ", lost: " + line));
            refused.forEach((line) -> assertTrue(
                contents.isRefusalRight(line), () -> "round " + killed + ", refused without reason: " + line));
            // What was found once is there from now on.
            promised.addAll(contents.subscriptions);
        }

        assertTrue(acknowledged > 50, "acknowledged: " + acknowledged);
    }

    /** Returns the whole lines that the application has printed. */
    private List<String> runAndKill(final Path data, final int round) throws IOException, InterruptedException
    {
        final Path output = directory.resolve("output-" + round);
        final Path errors = directory.resolve("errors-" + round);
        final Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java",
            "-Daxoniq.update-checker.disabled=true", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
            System.getProperty("java.class.path"), Application.class.getName(), data.toString(),
            Integer.toString(round)).redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
        try
        {
            final long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (Files.size(output) < ENOUGH_OUTPUT)
            {
                assertTrue(process.isAlive() && System.nanoTime() < deadlineNs, () -> read(errors));
                Thread.sleep(5);
            }
            Thread.sleep(new SplittableRandom(round).nextLong(100));
        }
        finally
        {
            process.destroyForcibly().waitFor();
        }
        final String text = read(output);
        return Stream.of(text.substring(0, text.lastIndexOf('\n') + 1).split("\n")).toList();
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (final IOException ex)
        {
            return ex.toString();
        }
    }
}
