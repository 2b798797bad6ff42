// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.journal.Journal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The example of dcb.events: a course has a capacity, a student subscribes to a few courses at most. No aggregate holds
 * both rules; one append does.
 */
class CourseSubscriptionTest
{
    private static final String DEFINED = "CourseDefined";
    private static final String CAPACITY_CHANGED = "CourseCapacityChanged";
    private static final String SUBSCRIBED = "StudentSubscribedToCourse";
    private static final int COURSES_OF_STUDENT = 5;

    @TempDir
    private Path directory;

    /** The application: commands, each a decision on what a query returns. */
    private static final class Courses
    {
        private final EventStreams streams;

        Courses(final EventStreams streams)
        {
            this.streams = streams;
        }

        void define(final String course, final int capacity)
        {
            final Event defined = new Event(DEFINED, Set.of("course:" + course), bytes(capacity));
            streams.append(List.of(defined),
                new Condition(Query.of(Set.of(DEFINED), Set.of("course:" + course)), 0));
        }

        void changeCapacity(final String course, final int capacity)
        {
            streams.append(List.of(new Event(CAPACITY_CHANGED, Set.of("course:" + course), bytes(capacity))));
        }

        /** Decides again until nothing that matters has happened meanwhile; returns once the decision is durable. */
        void subscribe(final String student, final String course)
        {
            while (true)
            {
                try
                {
                    streams.durable(trySubscribe(student, course)).join();
                    return;
                }
                catch (final ConflictException ex)
                {
                    // Someone was faster.
                }
            }
        }

        private long trySubscribe(final String student, final String course)
        {
            final String courseTag = "course:" + course;
            final String studentTag = "student:" + student;
            final Query query = Query.of(Set.of(DEFINED, CAPACITY_CHANGED, SUBSCRIBED), Set.of(courseTag))
                .or(Query.of(Set.of(SUBSCRIBED), Set.of(studentTag)));
            final int[] capacity = { -1 };
            final int[] students = new int[1];
            final int[] courses = new int[1];
            final boolean[] isSubscribed = new boolean[1];
            final long seen = streams.read(query, Range.ALL, (event) ->
            {
                if (SUBSCRIBED.equals(event.type()))
                {
                    final boolean isOfCourse = event.tags().contains(courseTag);
                    final boolean isOfStudent = event.tags().contains(studentTag);
                    students[0] += isOfCourse ? 1 : 0;
                    courses[0] += isOfStudent ? 1 : 0;
                    isSubscribed[0] |= isOfCourse && isOfStudent;
                }
                else
                {
                    capacity[0] = ByteBuffer.wrap(event.data()).getInt();
                }
            });
            check(capacity[0] >= 0, "no such course");
            check(students[0] < capacity[0], "course is full");
            check(courses[0] < COURSES_OF_STUDENT, "student has enough courses");
            check(!isSubscribed[0], "subscribed already");

            final Event subscribed = new Event(SUBSCRIBED, Set.of(courseTag, studentTag), new byte[0]);
            return streams.append(List.of(subscribed), new Condition(query, seen)).last();
        }

        private static void check(final boolean holds, final String rule)
        {
            if (!holds)
            {
                throw new IllegalStateException(rule);
            }
        }

        private static byte[] bytes(final int number)
        {
            return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
        }
    }

    @Test
    void rulesHold()
    {
        try (EventStreams streams = EventStreams.open(Journal.open(directory)))
        {
            final Courses courses = new Courses(streams);
            courses.define("chess", 1);
            assertThrows(ConflictException.class, () -> courses.define("chess", 2));
            courses.subscribe("ann", "chess");
            assertRefused("course is full", () -> courses.subscribe("bob", "chess"));
            courses.changeCapacity("chess", 3);
            courses.subscribe("bob", "chess");
            assertRefused("subscribed already", () -> courses.subscribe("bob", "chess"));
            assertRefused("no such course", () -> courses.subscribe("bob", "go"));
            for (int i = 0; i < COURSES_OF_STUDENT; i++)
            {
                courses.define("c" + i, 10);
            }
            IntStream.range(0, COURSES_OF_STUDENT - 1).forEach((i) -> courses.subscribe("ann", "c" + i));
            assertRefused("student has enough courses", () -> courses.subscribe("ann", "c4"));
        }
    }

    @Test
    void rulesHoldUnderRaces() throws Exception
    {
        final int capacity = 7;
        final ExecutorService clients = Executors.newFixedThreadPool(4);
        try (EventStreams streams = EventStreams.open(Journal.open(directory)))
        {
            final Courses courses = new Courses(streams);
            IntStream.range(0, 8).forEach((i) -> courses.define("c" + i, capacity));
            final List<Future<?>> races = IntStream.range(0, 4).<Future<?>>mapToObj((client) -> clients.submit(() ->
            {
                for (int i = 0; i < 160; i++)
                {
                    final int number = (client * 37 + i * 13) % 128;
                    try
                    {
                        courses.subscribe("s" + number % 16, "c" + number / 16);
                    }
                    catch (final IllegalStateException ex)
                    {
                        // A rule.
                    }
                }
            })).toList();
            for (final Future<?> race : races)
            {
                race.get();
            }

            assertTrue(count(streams, Query.types(SUBSCRIBED)) > 40);
            for (int i = 0; i < 8; i++)
            {
                assertTrue(count(streams, Query.of(Set.of(SUBSCRIBED), Set.of("course:c" + i))) <= capacity);
            }
            for (int i = 0; i < 16; i++)
            {
                assertTrue(
                    count(streams, Query.of(Set.of(SUBSCRIBED), Set.of("student:s" + i))) <= COURSES_OF_STUDENT);
            }
        }
        finally
        {
            clients.shutdown();
        }
    }

    private static long count(final EventStreams streams, final Query query)
    {
        final long[] count = new long[1];
        streams.read(query, Range.ALL, (event) -> count[0]++);
        return count[0];
    }

    private static void assertRefused(final String rule, final Runnable command)
    {
        assertEquals(rule, assertThrows(IllegalStateException.class, command::run).getMessage());
    }
}
