// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.journal.axon.Courses.CourseDefined;
import io.journal.axon.Courses.DefineCourse;
import io.journal.axon.Courses.StudentSubscribed;
import io.journal.axon.Courses.SubscribeStudent;
import io.journal.axon.Courses.Subscription;
import org.awaitility.Awaitility;
import org.axonframework.common.configuration.AxonConfiguration;
import org.axonframework.messaging.commandhandling.gateway.CommandGateway;
import org.axonframework.messaging.eventhandling.annotation.EventHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An application with Axon's own configuration: entities, commands, and an event processor. */
class ApplicationTest
{
    @TempDir
    private Path directory;

    private final Queue<String> projected = new ConcurrentLinkedQueue<>();
    private AxonConfiguration application;

    /** Sees the events that the application streams. */
    final class Projection
    {
        @EventHandler
        void on(final CourseDefined event)
        {
            projected.add(event.course());
        }

        @EventHandler
        void on(final StudentSubscribed event)
        {
            projected.add(event.student());
        }
    }

    @BeforeEach
    void start()
    {
        application = Courses.configurer(directory)
            .messaging((messaging) -> messaging.eventProcessing((processing) -> processing.pooledStreaming(
                (pooled) -> pooled.processor("projection", (processor) -> processor
                    .eventHandlingComponents((components) -> components.autodetected((config) -> new Projection()))
                    .notCustomized()))))
            .build();
        application.start();
    }

    @AfterEach
    void shutDown()
    {
        application.shutdown();
    }

    @Test
    void commandsAreDecidedOnEventsFromBeforeReopening()
    {
        send(new DefineCourse("algebra", 2));
        send(subscribe("algebra", "Ada"));
        assertThrows(IllegalStateException.class, () -> send(new DefineCourse("algebra", 9)));
        awaitProjected("algebra", "Ada");

        shutDown();
        projected.clear();
        start();
        // With its token in memory, the processor begins again.
        awaitProjected("algebra", "Ada");

        assertThrows(IllegalStateException.class, () -> send(subscribe("algebra", "Ada")));
        send(subscribe("algebra", "Bea"));
        assertThrows(IllegalStateException.class, () -> send(subscribe("algebra", "Cem")));
        for (int course = 0; course < Courses.COURSES_OF_STUDENT; course++)
        {
            send(new DefineCourse("course-" + course, 100));
            send(subscribe("course-" + course, "Cem"));
        }
        send(new DefineCourse("logic", 100));
        assertThrows(IllegalStateException.class, () -> send(subscribe("logic", "Cem")));
        awaitProjected("algebra", "Ada", "Bea", "course-0", "Cem", "course-1", "Cem", "course-2", "Cem", "logic");
    }

    @Test
    void raceForTheLastPlacesIsWonByAsManyAsThereAre() throws Exception
    {
        send(new DefineCourse("algebra", 5));
        final ExecutorService threads = Executors.newFixedThreadPool(8);
        final List<Future<?>> attempts = IntStream.range(0, 40)
            .<Future<?>>mapToObj((i) -> threads.submit(() -> send(subscribe("algebra", "student-" + i)))).toList();
        threads.shutdown();

        int successes = 0;
        for (final Future<?> attempt : attempts)
        {
            try
            {
                attempt.get();
                successes++;
            }
            catch (final ExecutionException ex)
            {
                // Refused, or someone was faster.
            }
        }
        for (int i = successes; i < 5; i++)
        {
            final String student = "late-" + i;
            assertDoesNotThrow(() -> send(subscribe("algebra", student)));
        }

        assertThrows(IllegalStateException.class, () -> send(subscribe("algebra", "too late")));
    }

    @Test
    void documentedConfigurationIsThatOfTheApplication() throws Exception
    {
        final Path project = Path.of(System.getProperty("basedir", "."));
        final String page = Files.readString(project.resolve("../docs/streams.md"));
        final String section = page.substring(page.indexOf("## Axon Framework"));
        final String shown = section.substring(section.indexOf("```java") + 7, section.indexOf("\n```\n"));
        final String source = Files.readString(project.resolve("src/test/java/io/journal/axon/Courses.java"));

        assertTrue(source.replace("final ", "").replaceAll("\\s+", " ").contains(shown.replaceAll("\\s+", " ")),
            "copy these lines from Courses.java into docs/streams.md");
    }

    private static SubscribeStudent subscribe(final String course, final String student)
    {
        return new SubscribeStudent(new Subscription(course, student));
    }

    private void send(final Object command)
    {
        application.getComponent(CommandGateway.class).sendAndWait(command);
    }

    private void awaitProjected(final String... names)
    {
        Awaitility.await().untilAsserted(
            () -> assertEquals(List.of(names), List.copyOf(projected)));
    }
}
