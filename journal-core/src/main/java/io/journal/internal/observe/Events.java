// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.observe;

import java.util.stream.Stream;

import io.journal.internal.segment.Segment;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * Emits Flight Recorder events of operations that take time, described in {@code docs/monitoring.md}. This class is a
 * no-op, for runtimes without the module {@code jdk.jfr}.
 * <p>
 * {@link #begin} returns the started event, or null if it is not being recorded; nothing is allocated then.
 */
public class Events
{
    public static final Events INSTANCE =
        ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? Flight.create() : new Events();

    /** Operations that have events. */
    public enum Kind
    {
        FORCE,
        ROLL,
        PREPARE,
        RECOVERY
    }

    public @Nullable Object begin(final Kind kind)
    {
        return null;
    }

    public void endForce(
        final Object event, final String journal, final Segment segment, final int from, final int to,
        final int waiters)
    {
    }

    public void endRoll(final Object event, final String journal, final Segment segment)
    {
    }

    public void endPrepare(
        final Object event, final String journal, final Segment segment, final boolean isRecycled)
    {
    }

    public void endRecovery(
        final Object event, final String journal, final Object path, final boolean isCleanlyClosed,
        final long lastSequence, final long scannedBytes, final long cutBytes)
    {
    }

    /** Loaded only if the module is present. The verifier of the enclosing class would load it if that created it. */
    private static final class Flight extends Events
    {
        static Events create()
        {
            return new Flight();
        }

        /** Queried for whether an event is enabled, because a new instance would be garbage for each force. */
        private static final class Queried
        {
            static final Event[] OF_KINDS = Stream.of(Kind.values()).map(Flight::create).toArray(Event[]::new);
        }

        @Category("Journal")
        @StackTrace(false)
        abstract static class JournalEvent extends Event
        {
            @Label("Journal")
            String journal;
        }

        abstract static class FileEvent extends JournalEvent
        {
            @Label("File")
            String file;
        }

        @Name("io.journal.Force")
        @Label("Force")
        @Description("Bytes of a segment were fsynced")
        static final class Force extends FileEvent
        {
            @Label("Position")
            @Description("Position in the journal of the first byte")
            long position;
            @Label("Bytes")
            @DataAmount
            long bytes;
            @Label("Waiters")
            @Description("Threads that waited for another thread's fsync when this one ended")
            int waiters;
        }

        @Name("io.journal.Roll")
        @Label("Roll")
        @Description("Appending moved to the next segment")
        static final class Roll extends FileEvent
        {
            @Label("First Sequence")
            long firstSequence;
        }

        @Name("io.journal.Prepare")
        @Label("Prepare")
        @Description("The next segment was prepared")
        static final class Prepare extends FileEvent
        {
            @Label("Bytes")
            @DataAmount
            long bytes;
            @Label("Recycled")
            @Description("Whether the file of a pruned segment is reused")
            boolean isRecycled;
        }

        @Name("io.journal.Recovery")
        @Label("Recovery")
        @Description("A journal was recovered when it was opened")
        static final class Recover extends JournalEvent
        {
            @Label("Path")
            String path;
            @Label("Cleanly Closed")
            boolean isCleanlyClosed;
            @Label("Last Sequence")
            long lastSequence;
            @Label("Scanned Bytes")
            @DataAmount
            long scannedBytes;
            @Label("Cut Bytes")
            @DataAmount
            long cutBytes;
        }

        /** Until Flight Recorder is in use, its events are not registered, which would load half of it. */
        @Override
        public @Nullable Object begin(final Kind kind)
        {
            if (!FlightRecorder.isInitialized() || !Queried.OF_KINDS[kind.ordinal()].isEnabled())
            {
                return null;
            }

            final Event event = create(kind);
            event.begin();
            return event;
        }

        private static Event create(final Kind kind)
        {
            return switch (kind)
            {
                case FORCE -> new Force();
                case ROLL -> new Roll();
                case PREPARE -> new Prepare();
                case RECOVERY -> new Recover();
            };
        }

        @Override
        public void endForce(
            final Object event, final String journal, final Segment segment, final int from, final int to,
            final int waiters)
        {
            if (event instanceof Force force && isToCommit(force))
            {
                force.journal = journal;
                force.file = segment.name();
                force.position = segment.basePosition + from;
                force.bytes = to - from;
                force.waiters = waiters;
                force.commit();
            }
        }

        @Override
        public void endRoll(final Object event, final String journal, final Segment segment)
        {
            if (event instanceof Roll roll && isToCommit(roll))
            {
                roll.journal = journal;
                roll.file = segment.name();
                roll.firstSequence = segment.firstSequence();
                roll.commit();
            }
        }

        @Override
        public void endPrepare(
            final Object event, final String journal, final Segment segment, final boolean isRecycled)
        {
            if (event instanceof Prepare prepare && isToCommit(prepare))
            {
                prepare.journal = journal;
                prepare.file = segment.name();
                prepare.bytes = segment.length;
                prepare.isRecycled = isRecycled;
                prepare.commit();
            }
        }

        @Override
        public void endRecovery(
            final Object event, final String journal, final Object path, final boolean isCleanlyClosed,
            final long lastSequence, final long scannedBytes, final long cutBytes)
        {
            if (event instanceof Recover recovery && isToCommit(recovery))
            {
                recovery.journal = journal;
                recovery.path = path.toString();
                recovery.isCleanlyClosed = isCleanlyClosed;
                recovery.lastSequence = lastSequence;
                recovery.scannedBytes = scannedBytes;
                recovery.cutBytes = cutBytes;
                recovery.commit();
            }
        }

        private static boolean isToCommit(final Event event)
        {
            event.end();
            return event.shouldCommit();
        }
    }
}
