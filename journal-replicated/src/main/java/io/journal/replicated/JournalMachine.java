// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.stream.LongStream;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Applies committed messages to a member's journal: appends the record that is next, acknowledges existing records
 * again, and refuses gaps and writers of an older epoch. It is deterministic, because it depends on the messages alone.
 * After a restart, while the log is replayed, the journal may be ahead of the messages.
 * <p>
 * One thread calls it; others may read the volatile fields.
 */
final class JournalMachine
{
    /** The client from which a message comes. */
    @FunctionalInterface
    interface Requester
    {
        /** Replies, if this member leads. The reply may get lost. */
        void reply(DirectBuffer message, int offset, int length);
    }

    /** The last record and the place in the log, in bytes, that a snapshot goes up to. */
    record Snapshot(long sequence, long logPosition)
    {
    }

    private final Journal journal;
    private final JournalAppender appender;
    private final boolean isForced;
    private final ErrorHandler errorHandler;
    private final UnsafeBuffer reply = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
    // Result of the comparison with a replayed record.
    private boolean isEqual;

    private final MachineState state;
    // Receives acknowledgements; null if not known since a restart. Replies are no part of the state.
    private Requester writer;
    private boolean isGapReported;

    private volatile long lastSequence;
    private volatile long epoch;
    // The position below which no member needs the cluster's log.
    private volatile long logLimit;
    private volatile Snapshot newestSnapshot = new Snapshot(0, 0);

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
        this.errorHandler = ErrorHandlers.guarded(errorHandler);
        appender = journal.appender();
    }

    long lastSequence()
    {
        return lastSequence;
    }

    long epoch()
    {
        return epoch;
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

    /**
     * Applies a message of the log. After a restart the messages after the newest snapshot come again. An exception
     * ends the member: a machine that skipped a message would no longer equal the others.
     *
     * @param requester client that proposed the message, whose bytes are valid during the call.
     */
    void committed(final Requester requester, final DirectBuffer message, final int offset, final int length)
    {
        // The bytes after a short message may differ from member to member, so they must not be read.
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
            // Reported once: all other messages in flight are refused for the same reason.
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
                // Every member refuses the message. If they ended instead, a faulty client could stop the cluster.
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
            if (sequence < journal.firstSequence() || isEqual(sequence, tag, bytes, offset, length))
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

    private boolean isEqual(
        final long sequence, final long tag, final DirectBuffer bytes, final int offset, final int length)
    {
        isEqual = false;
        journal.get(sequence, (record, recordOffset, recordLength, header) ->
        {
            boolean isSame = header.tag() == tag && recordLength == length;
            for (int i = 0; isSame && i < length; i++)
            {
                isSame = bytes.getByte(offset + i) == record.getByte(recordOffset + i);
            }
            isEqual = isSame;
        });
        return isEqual;
    }

    /**
     * Reports a record that differs from the log. Without fsyncs of the log, a power loss may truncate the log but not
     * the journal. The cluster has lost the records that differ; the log replays its own records, up to its end.
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
            "the cluster's log lost records in a power failure; the same records were truncated from this member's " +
                "journal: journal=" + journal.path() + ", firstSequence=" + sequence + ", lastSequence=" + last));
    }

    private void open(final Requester requester, final DirectBuffer message, final int offset)
    {
        if (!isOfWriter(message, offset))
        {
            state.epoch++;
            state.writerId = Protocol.extension(message, offset);
            if (null != writer)
            {
                reply(writer, Protocol.FENCED, 0, 0);
            }
        }

        welcome(requester, message, offset);
    }

    private void resume(final Requester requester, final DirectBuffer message, final int offset)
    {
        // The id is compared as well: if the log has lost the opening of a writer, the next writer gets the same epoch.
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
        return state.epoch > 0 && Protocol.extension(message, offset) == state.writerId;
    }

    private void welcome(final Requester requester, final DirectBuffer message, final int offset)
    {
        writer = requester;
        isGapReported = false;
        reply(requester, Protocol.OPENED, state.maxRecordLength, Protocol.sequence(message, offset));
    }

    /**
     * Keeps the records and the log that a restart of any member may replay: both from the oldest of the members'
     * newest snapshots on. A member without a snapshot holds back everything.
     */
    private void prune(final Requester requester, final DirectBuffer message, final int offset)
    {
        if (isFenced(requester, message, offset))
        {
            return;
        }

        final long limit = LongStream.of(state.confirmedSequences).min().getAsLong() + 1;
        final long sequence = Math.min(Protocol.sequence(message, offset), limit);
        state.prunedSequence = Math.max(state.prunedSequence, sequence);
        if (sequence >= journal.firstSequence() && sequence <= journal.lastSequence() + 1)
        {
            journal.prune(sequence);
        }

        logLimit = LongStream.of(state.confirmedPositions).min().getAsLong();
        Protocol.extended(reply, Protocol.PRUNED, 0, state.epoch, sequence, Protocol.extension(message, offset));
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
        Protocol.extended(reply, type, count, state.epoch, state.lastSequence, extension);
        requester.reply(reply, 0, Protocol.EXTENDED_LENGTH);
    }

    /** {@return the state, for {@link #restore}} The state relies on the journal, so that is fsynced first. */
    byte[] snapshot(final long logPosition)
    {
        journal.force();
        state.logPosition = logPosition;
        newestSnapshot = new Snapshot(state.lastSequence, logPosition);
        return state.encode();
    }

    /** Restores the state of a snapshot, before any message. */
    void restore(final byte[] snapshot)
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

    /**
     * The term of a leader begins, which has declared its {@link Protocol#capacity}. It is part of the log, and so
     * comes before a record of this length: a limit that failed on the record itself would end all members.
     */
    void term(final int capacity)
    {
        state.maxRecordLength = Protocol.maxRecordLength(capacity);
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
}
