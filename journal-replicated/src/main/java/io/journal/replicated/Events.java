package io.journal.replicated;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

import io.journal.replicated.spi.Role;

/**
 * Emits the Flight Recorder events of members and writers, described in {@code docs/monitoring.md}. Until Flight
 * Recorder is in use, and in runtimes without the module {@code jdk.jfr}, nothing is loaded or allocated.
 */
final class Events
{
    private static final boolean IS_PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private Events()
    {
    }

    @Name("io.journal.replicated.Role")
    @Label("Role")
    @Category({ "Journal", "Replicated" })
    @Description("A member became leader, candidate or follower")
    @StackTrace(false)
    static final class RoleEvent extends Event
    {
        @Label("Journal")
        String journal;
        @Label("Member")
        int memberId;
        @Label("Role")
        String role;
        @Label("Previous Role")
        String previousRole;
        @Label("Duration of the Previous Role")
        @Timespan
        long previousDuration;
    }

    @Name("io.journal.replicated.Leader")
    @Label("Leader")
    @Category({ "Journal", "Replicated" })
    @Description("A member learned of another leader, after an election")
    @StackTrace(false)
    static final class LeaderEvent extends Event
    {
        @Label("Journal")
        String journal;
        @Label("Member")
        int memberId;
        @Label("Leader")
        int leaderId;
        @Label("Previous Leader")
        @Description("-1 if there was none")
        int previousLeaderId;
        @Label("Last Sequence")
        long lastSequence;
    }

    @Name("io.journal.replicated.Snapshot")
    @Label("Snapshot")
    @Category({ "Journal", "Replicated" })
    @Description("A member took a snapshot, with an fsync of its journal")
    @StackTrace(false)
    static final class SnapshotEvent extends Event
    {
        @Label("Journal")
        String journal;
        @Label("Sequence")
        long sequence;
        @Label("Log Position")
        long logPosition;
    }

    @Name("io.journal.replicated.Prune")
    @Label("Prune")
    @Category({ "Journal", "Replicated" })
    @Description("A member dropped old records")
    @StackTrace(false)
    static final class PruneEvent extends Event
    {
        @Label("Journal")
        String journal;
        @Label("Sequence")
        @Description("First record still needed")
        long sequence;
        @Label("First Sequence")
        @Description("First record that is left")
        long firstSequence;
    }

    @Name("io.journal.replicated.MemberFailure")
    @Label("Member Failure")
    @Category({ "Journal", "Replicated" })
    @Description("A member ended by itself")
    @StackTrace(false)
    static final class MemberFailureEvent extends Event
    {
        @Label("Journal")
        String journal;
        @Label("Member")
        int memberId;
        @Label("Cause")
        String cause;
    }

    @Name("io.journal.replicated.WriterState")
    @Label("Writer State")
    @Category({ "Journal", "Replicated" })
    @Description("A writer was connected, fails over, was fenced, became uncertain, or was closed")
    @StackTrace(false)
    static final class WriterStateEvent extends Event
    {
        @Label("Members")
        String members;
        @Label("State")
        String state;
        @Label("Previous State")
        String previousState;
        @Label("Duration of the Previous State")
        @Timespan
        long previousDuration;
        @Label("Leader")
        int leaderId;
        @Label("Epoch")
        long epoch;
        @Label("Forced Sequence")
        @Description("Newest record that is known to be committed")
        long forcedSequence;
        @Label("Last Sequence")
        long lastSequence;
    }

    @Name("io.journal.replicated.Resend")
    @Label("Resend")
    @Category({ "Journal", "Replicated" })
    @Description("A writer begins to send records again that might have been lost")
    @StackTrace(false)
    static final class ResendEvent extends Event
    {
        @Label("Members")
        String members;
        @Label("Leader")
        int leaderId;
        @Label("First Sequence")
        long firstSequence;
        @Label("Records")
        long records;
    }

    static void role(
        final String journal, final int memberId, final Role role, final Role previous, final long previousNs)
    {
        if (isRecording())
        {
            final RoleEvent event = new RoleEvent();
            event.journal = journal;
            event.memberId = memberId;
            event.role = role.toString();
            event.previousRole = previous.toString();
            event.previousDuration = previousNs;
            event.commit();
        }
    }

    static void leader(
        final String journal, final int memberId, final int leaderId, final int previousId, final long lastSequence)
    {
        if (isRecording())
        {
            final LeaderEvent event = new LeaderEvent();
            event.journal = journal;
            event.memberId = memberId;
            event.leaderId = leaderId;
            event.previousLeaderId = previousId;
            event.lastSequence = lastSequence;
            event.commit();
        }
    }

    /** Returns the started event, or null if it is not recorded. */
    static Object beginSnapshot()
    {
        if (!isRecording())
        {
            return null;
        }

        final SnapshotEvent event = new SnapshotEvent();
        event.begin();
        return event;
    }

    static void endSnapshot(final Object begun, final Object journal, final long sequence, final long logPosition)
    {
        if (begun instanceof final SnapshotEvent event)
        {
            event.journal = journal.toString();
            event.sequence = sequence;
            event.logPosition = logPosition;
            event.commit();
        }
    }

    /** Returns the started event, or null if it is not recorded. */
    static Object beginPrune()
    {
        if (!isRecording())
        {
            return null;
        }

        final PruneEvent event = new PruneEvent();
        event.begin();
        return event;
    }

    static void endPrune(final Object begun, final Object journal, final long sequence, final long firstSequence)
    {
        if (begun instanceof final PruneEvent event)
        {
            event.journal = journal.toString();
            event.sequence = sequence;
            event.firstSequence = firstSequence;
            event.commit();
        }
    }

    static void memberFailure(final String journal, final int memberId, final Throwable cause)
    {
        if (isRecording())
        {
            final MemberFailureEvent event = new MemberFailureEvent();
            event.journal = journal;
            event.memberId = memberId;
            event.cause = cause.toString();
            event.commit();
        }
    }

    static void writerState(
        final String members, final Writer writer, final WriterState previous, final long previousNs)
    {
        if (isRecording())
        {
            final WriterStateEvent event = new WriterStateEvent();
            event.members = members;
            event.state = writer.state().toString();
            event.previousState = previous.toString();
            event.previousDuration = previousNs;
            event.leaderId = writer.leaderId();
            event.epoch = writer.epoch();
            event.forcedSequence = writer.acknowledged();
            event.lastSequence = writer.last();
            event.commit();
        }
    }

    static void resend(final String members, final int leaderId, final long firstSequence, final long records)
    {
        if (records > 0 && isRecording())
        {
            final ResendEvent event = new ResendEvent();
            event.members = members;
            event.leaderId = leaderId;
            event.firstSequence = firstSequence;
            event.records = records;
            event.commit();
        }
    }

    private static boolean isRecording()
    {
        return IS_PRESENT && FlightRecorder.isInitialized();
    }
}
