package io.journal.replicated;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.replicated.spi.Problems;
import io.journal.replicated.spi.Requester;
import io.journal.replicated.spi.Role;
import io.journal.replicated.spi.StateMachine;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Applies what the cluster commits to a member's journal: appends the record that is next, acknowledges again what is
 * there, refuses gaps and writers of an older epoch. The same on every member, since it depends on the messages alone:
 * the journal may be ahead of them after a restart, while the log is replayed.
 * <p>
 * One thread calls it; others may read the volatile fields.
 */
final class JournalMachine implements StateMachine
{
    private final Journal journal;
    private final JournalAppender appender;
    private final boolean isForced;
    private final ErrorHandler errorHandler;
    private final UnsafeBuffer reply = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
    private final Comparison comparison;

    private final MachineState state;
    // Receives acknowledgements; null if not known since a restart. Replies are no part of the state.
    private Requester writer;
    private boolean isGapReported;

    private volatile long lastSequence;
    private volatile long epoch;
    private volatile Role role = Role.FOLLOWER;
    // Before it no member needs the cluster's log any more.
    private volatile long logLimit;
    private volatile Snapshot newestSnapshot = new Snapshot(0, 0);

    /** On members that fsync. */
    JournalMachine(final Journal journal, final int members)
    {
        this(journal, members, true, Problems.LOGGED);
    }

    /**
     * @param isForced     whether what is committed survives a loss of power to all members. If not, their journals may
     *                     have more than the log that survives.
     * @param errorHandler called if records are replaced for this reason.
     */
    JournalMachine(final Journal journal, final int members, final boolean isForced, final ErrorHandler errorHandler)
    {
        state = new MachineState(members);
        this.journal = journal;
        this.isForced = isForced;
        this.errorHandler = Problems.guarded(errorHandler);
        appender = journal.appender();
        comparison = new Comparison(journal);
    }

    long lastSequence()
    {
        return lastSequence;
    }

    long epoch()
    {
        return epoch;
    }

    String journalPath()
    {
        return journal.path().toString();
    }

    /** Position in bytes of the log. */
    long logLimit()
    {
        return logLimit;
    }

    Snapshot newestSnapshot()
    {
        return newestSnapshot;
    }

    Role role()
    {
        return role;
    }

    @Override
    public void committed(final Requester requester, final DirectBuffer message, final int offset, final int length)
    {
        // What lies behind a short message may differ from member to member, and must not be read.
        if (length < Protocol.HEADER_LENGTH || Protocol.VERSION != Protocol.version(message, offset) ||
            length < Protocol.minLength(Protocol.type(message, offset)))
        {
            reply(requester, Protocol.UNSUPPORTED, 0, 0);
            return;
        }

        switch (Protocol.type(message, offset))
        {
            case Protocol.APPEND -> append(requester, message, offset, length);
            case Protocol.OPEN -> open(requester, message, offset);
            case Protocol.RESUME -> resume(requester, message, offset);
            case Protocol.PRUNE -> prune(requester, message, offset);
            case Protocol.CONFIRM -> confirm(requester, message, offset);
            default -> reply(requester, Protocol.UNSUPPORTED, 0, 0);
        }

        lastSequence = state.lastSequence;
        epoch = state.epoch;
    }

    private void append(final Requester requester, final DirectBuffer message, final int offset, final int length)
    {
        if (isFenced(requester, message, offset))
        {
            return;
        }

        writer = requester;
        final long first = Protocol.sequence(message, offset);
        if (first > state.lastSequence + 1)
        {
            // Once: whatever else is in flight is refused for the same reason.
            if (!isGapReported)
            {
                isGapReported = true;
                reply(requester, Protocol.GAP, 0, 0);
            }
            return;
        }

        isGapReported = false;
        final int end = offset + length;
        int entry = offset + Protocol.HEADER_LENGTH;
        for (int i = 0, count = Protocol.count(message, offset); i < count; i++)
        {
            final int recordLength =
                entry > end - Protocol.ENTRY_HEADER_LENGTH ? -1 : message.getInt(entry, LITTLE_ENDIAN);
            if (recordLength < 0 || recordLength > state.maxRecordLength ||
                recordLength > end - entry - Protocol.ENTRY_HEADER_LENGTH)
            {
                // The same on every member. Ending them all would let one faulty client stop the cluster.
                reply(requester, Protocol.UNSUPPORTED, 0, 0);
                return;
            }

            if (first + i > state.lastSequence)
            {
                final long tag = message.getLong(entry + Protocol.ENTRY_TAG_OFFSET, LITTLE_ENDIAN);
                put(first + i, tag, message, entry + Protocol.ENTRY_HEADER_LENGTH, recordLength);
                state.lastSequence++;
            }

            entry += Protocol.entryLength(recordLength);
        }

        reply(requester, Protocol.ACKNOWLEDGED, 0, 0);
    }

    private void put(final long sequence, final long tag, final DirectBuffer bytes, final int offset, final int length)
    {
        if (sequence <= journal.lastSequence())
        {
            if (sequence < journal.firstSequence() || comparison.isEqual(sequence, tag, bytes, offset, length))
            {
                return;
            }
            onDifference(sequence);
        }

        final long appended = appender.append(tag, bytes, offset, length);
        if (appended != sequence)
        {
            throw new JournalException(
                "not the journal of this member: journal=" + journal.path() + ", sequence=" + appended +
                    ", expected=" + sequence);
        }
    }

    /**
     * Without fsyncs of the log, a loss of power may take the end of it and leave the journal's: what differs was lost.
     * What the log has comes again, up to its end.
     */
    private void onDifference(final long sequence)
    {
        if (isForced)
        {
            throw new JournalException(
                "the member's journal differs from the cluster's log: journal=" + journal.path() + ", sequence=" +
                    sequence + "; move the member's directory away and seed it from another member");
        }

        final long last = journal.lastSequence();
        journal.truncateAfter(sequence - 1);
        errorHandler.onError(new JournalException(
            "the cluster's log lost records with the power, they were removed from the member's journal: journal=" +
                journal.path() + ", firstSequence=" + sequence + ", lastSequence=" + last));
    }

    private void open(final Requester requester, final DirectBuffer message, final int offset)
    {
        if (!isOfWriter(message, offset))
        {
            state.epoch++;
            state.writerIdHigh = Protocol.writerIdHigh(message, offset);
            state.writerIdLow = Protocol.writerIdLow(message, offset);
            if (null != writer)
            {
                reply(writer, Protocol.FENCED, 0, 0);
            }
        }

        welcome(requester, message, offset);
    }

    private void resume(final Requester requester, final DirectBuffer message, final int offset)
    {
        // A log that has lost the opening of a writer gives its epoch to the next one.
        if (Protocol.epoch(message, offset) == state.epoch && isOfWriter(message, offset))
        {
            welcome(requester, message, offset);
        }
        else
        {
            reply(requester, Protocol.FENCED, 0, Protocol.sequence(message, offset));
        }
    }

    private boolean isOfWriter(final DirectBuffer message, final int offset)
    {
        return Protocol.writerIdHigh(message, offset) == state.writerIdHigh &&
            Protocol.writerIdLow(message, offset) == state.writerIdLow;
    }

    private void welcome(final Requester requester, final DirectBuffer message, final int offset)
    {
        writer = requester;
        isGapReported = false;
        reply(requester, Protocol.OPENED, state.maxRecordLength, Protocol.sequence(message, offset));
    }

    /**
     * Records that a member could have to be replayed are kept, and so is the cluster's log: both are there from the
     * oldest of the newest snapshots on. Each member that never took one keeps everything.
     */
    private void prune(final Requester requester, final DirectBuffer message, final int offset)
    {
        if (isFenced(requester, message, offset))
        {
            return;
        }

        final long limit = MachineState.min(state.confirmedSequences) + 1;
        final long sequence = Math.min(Protocol.sequence(message, offset), limit);
        state.prunedSequence = Math.max(state.prunedSequence, sequence);
        if (sequence >= journal.firstSequence() && sequence <= journal.lastSequence() + 1)
        {
            final Object event = Events.beginPrune();
            journal.prune(sequence);
            Events.endPrune(event, journal.path(), sequence, journal.firstSequence());
        }

        logLimit = MachineState.min(state.confirmedPositions);
        Protocol.header(reply, Protocol.PRUNED, 0, state.epoch, sequence);
        reply.putLong(Protocol.EXTENSION_OFFSET, Protocol.extension(message, offset), LITTLE_ENDIAN);
        requester.reply(reply, 0, Protocol.EXTENDED_LENGTH);
    }

    private void confirm(final Requester requester, final DirectBuffer message, final int offset)
    {
        final int memberId = Protocol.count(message, offset);
        if (memberId < 0 || memberId >= state.confirmedSequences.length)
        {
            reply(requester, Protocol.UNSUPPORTED, 0, 0);
            return;
        }

        state.confirmedSequences[memberId] =
            Math.max(state.confirmedSequences[memberId], Protocol.sequence(message, offset));
        state.confirmedPositions[memberId] =
            Math.max(state.confirmedPositions[memberId], Protocol.extension(message, offset));
        reply(requester, Protocol.CONFIRMED, memberId, Protocol.extension(message, offset));
    }

    private boolean isFenced(final Requester requester, final DirectBuffer message, final int offset)
    {
        final boolean isFenced = Protocol.epoch(message, offset) != state.epoch;
        if (isFenced)
        {
            reply(requester, Protocol.FENCED, 0, 0);
        }

        return isFenced;
    }

    private void reply(final Requester requester, final byte type, final int count, final long extension)
    {
        Protocol.header(reply, type, count, state.epoch, state.lastSequence);
        reply.putLong(Protocol.EXTENSION_OFFSET, extension, LITTLE_ENDIAN);
        requester.reply(reply, 0, Protocol.EXTENDED_LENGTH);
    }

    @Override
    public byte[] snapshot(final long logPosition)
    {
        // What the snapshot counts on must be there after a loss of power: it will not be replayed.
        final Object event = Events.beginSnapshot();
        journal.force();
        Events.endSnapshot(event, journal.path(), state.lastSequence, logPosition);
        state.logPosition = logPosition;
        newestSnapshot = new Snapshot(state.lastSequence, logPosition);
        return state.encode();
    }

    @Override
    public void restore(final byte[] snapshot)
    {
        state.decode(snapshot);
        lastSequence = state.lastSequence;
        epoch = state.epoch;
        newestSnapshot = new Snapshot(state.lastSequence, state.logPosition);
        if (journal.lastSequence() < state.lastSequence)
        {
            throw new JournalException(
                "the member's journal ends before its snapshot: journal=" + journal.path() + ", lastSequence=" +
                    journal.lastSequence() + ", snapshot=" + state.lastSequence +
                    "; move the member's directory away and seed it from another member");
        }
        checkMaxRecordLength();
    }

    @Override
    public void term(final int capacity)
    {
        // Before a record of this length can come: a limit that fails on the record itself would stop all members.
        state.maxRecordLength = Limits.maxRecordLength(capacity);
        checkMaxRecordLength();
    }

    private void checkMaxRecordLength()
    {
        if (appender.maxRecordLength() < state.maxRecordLength)
        {
            throw new JournalException(
                "the member's maxRecordLength is less than the leader's, or that of the cluster's log: " +
                    "maxRecordLength=" + appender.maxRecordLength() + ", expected=" + state.maxRecordLength +
                    "; start it again with that, or more");
        }
    }

    @Override
    public void role(final Role newRole)
    {
        role = newRole;
    }

    @Override
    public int work()
    {
        return 0;
    }

    /**
     * What a snapshot goes up to.
     */
    record Snapshot(long sequence, long logPosition)
    {
    }
}
