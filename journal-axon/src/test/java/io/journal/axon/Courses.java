// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

import io.journal.Journal;
import io.journal.streams.EventStreams;
import org.axonframework.common.lifecycle.Phase;
import org.axonframework.eventsourcing.annotation.EventCriteriaBuilder;
import org.axonframework.eventsourcing.annotation.EventSourcedEntity;
import org.axonframework.eventsourcing.annotation.EventSourcingHandler;
import org.axonframework.eventsourcing.annotation.EventTag;
import org.axonframework.eventsourcing.annotation.reflection.EntityCreator;
import org.axonframework.eventsourcing.annotation.reflection.InjectEntityId;
import org.axonframework.eventsourcing.configuration.EventSourcedEntityModule;
import org.axonframework.eventsourcing.configuration.EventSourcingConfigurer;
import org.axonframework.messaging.commandhandling.annotation.CommandHandler;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.gateway.EventAppender;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.modelling.annotation.TargetEntityId;

/** An application of Axon: students subscribe to courses, which have a capacity. */
final class Courses
{
    static final int COURSES_OF_STUDENT = 3;

    record DefineCourse(@TargetEntityId String course, int capacity)
    {
    }

    record CourseDefined(@EventTag(key = "course") String course, int capacity)
    {
    }

    record SubscribeStudent(@TargetEntityId Subscription subscription)
    {
    }

    record StudentSubscribed(@EventTag(key = "course") String course, @EventTag(key = "student") String student)
    {
    }

    record Subscription(String course, String student)
    {
    }

    /** What defining a course rests on. */
    @EventSourcedEntity(tagKey = "course")
    static final class Course
    {
        private boolean isDefined;

        @EntityCreator
        Course()
        {
        }

        @CommandHandler
        void define(final DefineCourse command, final EventAppender events)
        {
            if (isDefined)
            {
                throw new IllegalStateException("is defined: " + command.course());
            }
            events.append(new CourseDefined(command.course(), command.capacity()));
        }

        @EventSourcingHandler
        void defined(final CourseDefined event)
        {
            isDefined = true;
        }
    }

    /** What a subscription rests on, which is more than one course or one student. */
    @EventSourcedEntity
    static final class SubscriptionState
    {
        private final Subscription subscription;
        private final Set<String> students = new HashSet<>();
        private int capacity;
        private int courses;

        @EntityCreator
        SubscriptionState(@InjectEntityId final Subscription subscription)
        {
            this.subscription = subscription;
        }

        @EventCriteriaBuilder
        static EventCriteria criteria(final Subscription subscription)
        {
            return EventCriteria.havingTags("course", subscription.course())
                .or(EventCriteria.havingTags("student", subscription.student()));
        }

        @CommandHandler
        void subscribe(final SubscribeStudent command, final EventAppender events)
        {
            if (students.size() >= capacity || courses >= COURSES_OF_STUDENT ||
                students.contains(subscription.student()))
            {
                throw new IllegalStateException("refused: " + command);
            }
            events.append(new StudentSubscribed(subscription.course(), subscription.student()));
        }

        @EventSourcingHandler
        void defined(final CourseDefined event)
        {
            capacity = event.capacity();
        }

        @EventSourcingHandler
        void subscribed(final StudentSubscribed event)
        {
            if (event.course().equals(subscription.course()))
            {
                students.add(event.student());
            }
            if (event.student().equals(subscription.student()))
            {
                courses++;
            }
        }
    }

    private Courses()
    {
    }

    /** The application, which is to be built and started. Its journal is closed when it shuts down. */
    static EventSourcingConfigurer configurer(final Path directory)
    {
        // As in docs/streams.md.
        final EventStreams streams = EventStreams.open(Journal.open(directory));
        final EventSourcingConfigurer configurer = EventSourcingConfigurer.create()
            .registerEventStorageEngine(
                (config) -> new JournalEventStorageEngine(streams, config.getComponent(EventConverter.class)))
            .lifecycleRegistry((lifecycle) -> lifecycle.onShutdown(Phase.EXTERNAL_CONNECTIONS, streams::close));

        return configurer
            .registerEntity(EventSourcedEntityModule.autodetected(String.class, Course.class))
            .registerEntity(EventSourcedEntityModule.autodetected(Subscription.class, SubscriptionState.class));
    }
}
