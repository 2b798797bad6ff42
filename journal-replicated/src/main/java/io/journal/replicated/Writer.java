// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import io.journal.JournalException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The writer's side of the protocol: numbers records, keeps them until they are acknowledged, and queries the committed
 * position whenever messages may be lost. The thread that holds the lock drives it: a thread that appends or waits, or
 * the background thread.
 */
final class Writer implements Proposer.Replies
{
    /** The next action of the writer. */
    private enum Phase
    {
        /** Asks for an epoch. */
        OPENING,
        /** Has its epoch, and has to ask for the committed position before it sends more records. */
        RESUMING,
        /** Sends records. */
        STREAMING
    }

    private static final long REPEAT_NS = TimeUnit.SECONDS.toNanos(1);
    // The session may be with a former leader that does not know yet that it lost its role.
    private static final int MAX_UNANSWERED = 5;
    private static final long NONE = 0;

    final ReentrantLock lock = new ReentrantLock();
    final WriterCounters counters = new WriterCounters();
    private final ReplicatedJournalBuilder settings;
    private final NanoClock clock;
    private final Proposer proposer;
    private final InFlight inFlight;
    private final long writerId = UUID.randomUUID().getLeastSignificantBits();
    private final UnsafeBuffer message;

    private Phase phase = Phase.OPENING;
    private long progressNs;
    private long highestSent;
    private long lastId = NONE;
    // The pending request for an epoch or for the committed position; NONE until it has a correlation id.
    private long askedId = NONE;
    private long askedNs;
    private boolean isAsked;
    private int unanswered;
    // The newest answer to a request to prune. If two arrive at once, the request of the first is repeated.
    private long prunedId;
    private long prunedSequence;

    private volatile WriterState state = WriterState.FAILING_OVER;
    private volatile JournalException failure;
    // Whether the thread has already received the failure.
    private final ThreadLocal<Boolean> isFailureReceived = ThreadLocal.withInitial(() -> false);
    private volatile long epoch;
    private volatile long acknowledged;
    private volatile long last;
    private volatile int leaderId = JournalMember.NO_LEADER;
    private volatile int maxRecordLength;

    /**
     * @param connector creates the way to the leader.
     */
    Writer(
        final Function<Proposer.Replies, Proposer> connector,
        final ReplicatedJournalBuilder settings,
        final NanoClock clock)
    {
        this.settings = settings;
        this.clock = clock;
        maxRecordLength = settings.maxRecordLength;
        inFlight = new InFlight(settings.windowRecords, settings.windowBytes, maxRecordLength);
        message = new UnsafeBuffer(new byte[Protocol.maxMessageLength(maxRecordLength)]);
        progressNs = clock.nanoTime();
        proposer = connector.apply(this);
    }

    WriterState state()
    {
        return state;
    }

    long epoch()
    {
        return epoch;
    }

    long acknowledged()
    {
        return acknowledged;
    }

    long last()
    {
        return last;
    }

    int leaderId()
    {
        return leaderId;
    }

    int maxRecordLength()
    {
        return maxRecordLength;
    }

    boolean isOpened()
    {
        return 0 != epoch;
    }

    /** {@return whether the calling thread has received the exception that ended the writer} */
    boolean isFailureReceived()
    {
        return isFailureReceived.get();
    }

    private boolean isEnded()
    {
        return null != failure || WriterState.CLOSED == state;
    }

    /**
     * Throws the exception that ended the writer. Any thread may call this.
     */
    void check()
    {
        final JournalException ex = failure;
        if (null != ex)
        {
            isFailureReceived.set(true);
            throw ex;
        }
        if (WriterState.CLOSED == state)
        {
            throw new IllegalStateException("journal is closed: lastSequence=" + last);
        }
    }

    /**
     * Proposes to drop the records below a sequence, again each second until a member answers. Takes the lock.
     *
     * @return the sequence that was pruned to.
     */
    long prune(final long sequence, final long timeoutNs, final IdleStrategy idle)
    {
        final long beginNs = System.nanoTime();
        long proposedNs = beginNs - REPEAT_NS;
        long id = NONE;
        for (long nowNs = beginNs; nowNs - beginNs < timeoutNs; nowNs = System.nanoTime())
        {
            lock.lock();
            try
            {
                check();
                if (nowNs - proposedNs >= REPEAT_NS)
                {
                    // Repeated under the same id: an answer may take longer than the time to repeat.
                    id = NONE == id ? ++lastId : id;
                    propose(Protocol.PRUNE, sequence, id);
                    proposedNs = nowNs;
                }
                drive();
                if (id == prunedId)
                {
                    return prunedSequence;
                }
            }
            finally
            {
                lock.unlock();
            }
            idle.idle(0);
        }

        throw new JournalException(
            "no answer to prune in time, it may be done nevertheless: sequence=" + sequence + ", state=" + state);
    }

    /**
     * Proposes a request other than records, which may be lost. Under the lock.
     *
     * @return whether it could be sent.
     */
    boolean propose(final byte type, final long sequence, final long extension)
    {
        Protocol.extended(message, type, 0, epoch, sequence, extension);
        return proposer.propose(message, 0, Protocol.EXTENDED_LENGTH);
    }

    /**
     * @return the sequence that the record will have, or 0 if there is no room for it now. Under the lock.
     */
    long append(final long tag, final Object memory, final int offset, final int length)
    {
        check();
        if (inFlight.isEmpty())
        {
            progressNs = clock.nanoTime();
        }

        if (!inFlight.add(tag, memory, offset, length))
        {
            return 0;
        }

        last = inFlight.last();
        WriterCounters.add(counters.appended, 1);
        sendAppended();
        return inFlight.last();
    }

    private void sendAppended()
    {
        try
        {
            if (inFlight.isFull())
            {
                proposer.poll();
            }
            send();
        }
        catch (final Throwable ex)
        {
            // The record is already queued, so throwing here would make the caller append it twice. If sending fails,
            // drive() sees the same failure.
        }
    }

    /**
     * Does all pending work. Under the lock.
     *
     * @return how much was done.
     */
    int drive()
    {
        if (isEnded())
        {
            return 0;
        }

        try
        {
            final int work = proposer.poll();
            if (!proposer.isConnected())
            {
                askAnew();
            }
            if (Phase.STREAMING == phase)
            {
                return work + send();
            }
            return work + (proposer.isConnected() ? ask(clock.nanoTime()) : 0);
        }
        finally
        {
            // The deadline passes also while the proposer throws.
            checkProgress();
        }
    }

    /**
     * Asks for an epoch, or for the committed position, again each second, because request or answer may be lost. The
     * proposer is connected.
     *
     * @return how much was done.
     */
    private int ask(final long nowNs)
    {
        if (isAsked && nowNs - askedNs < REPEAT_NS)
        {
            return 0;
        }

        if (unanswered >= MAX_UNANSWERED)
        {
            isAsked = false;
            unanswered = 0;
            proposer.reconnect();
            return 1;
        }

        // Repeated under the same id: an answer may take longer than the time to repeat, and nothing is sent meanwhile.
        askedId = NONE == askedId ? ++lastId : askedId;
        isAsked = propose(isOpened() ? Protocol.RESUME : Protocol.OPEN, askedId, writerId);
        askedNs = nowNs;
        // A request that could not be sent is repeated at once, and says nothing of the session.
        unanswered += isAsked ? 1 : 0;
        return isAsked ? 1 : 0;
    }

    private boolean isAnswer(final long correlationId)
    {
        return NONE != correlationId && correlationId == askedId;
    }

    private int send()
    {
        int work = 0;
        while (Phase.STREAMING == phase && inFlight.isDue())
        {
            final int count = inFlight.compose(message, Protocol.HEADER_LENGTH, Protocol.FULL_MESSAGE);
            Protocol.header(message, Protocol.APPEND, count, epoch, inFlight.sent() + 1);
            if (!proposer.propose(message, 0, Protocol.HEADER_LENGTH + inFlight.composedLength()))
            {
                break;
            }

            onSent(count);
            work++;
        }

        return work;
    }

    private void onSent(final int count)
    {
        final long first = inFlight.sent() + 1;
        inFlight.sent(count);
        WriterCounters.add(counters.messages, 1);
        if (first <= highestSent)
        {
            WriterCounters.add(counters.resent, Math.min(count, highestSent - first + 1));
        }
        highestSent = Math.max(highestSent, inFlight.sent());
    }

    private void checkProgress()
    {
        if (inFlight.isEmpty() || isEnded())
        {
            return;
        }

        final long nowNs = clock.nanoTime();
        if (nowNs - progressNs >= settings.deadline.toNanos())
        {
            fail(new UncertainException(
                "nothing was acknowledged for " + settings.deadline.toMillis() + " ms; members=" + settings.members +
                    "; obstacle=" + proposer.obstacle(),
                inFlight.acknowledged() + 1, inFlight.last()));
        }
        else if (Phase.STREAMING == phase &&
            nowNs - Math.max(progressNs, askedNs) >= REPEAT_NS)
        {
            // An acknowledgement may be lost.
            askAnew();
        }
    }

    /**
     * Ends the attempt to open. Under the lock.
     */
    JournalException notOpened()
    {
        return null != failure ? failure : new JournalException(
            "no leader answers: members=" + settings.members + "; obstacle=" + proposer.obstacle() +
                "; check that a majority of the members runs, and that this host reaches their UDP ports");
    }

    @Override
    public void onLeader(final int memberId)
    {
        leaderId = memberId;
        WriterCounters.add(counters.leaderChanges, 1);
        askAnew();
    }

    @Override
    public void onReply(final DirectBuffer reply, final int offset, final int length)
    {
        if (length < Protocol.EXTENDED_LENGTH)
        {
            // Shorter than any reply: reading on would read bytes of something else.
            return;
        }

        final long replyEpoch = Protocol.epoch(reply, offset);
        final long sequence = Protocol.sequence(reply, offset);
        switch (Protocol.type(reply, offset))
        {
            case Protocol.OPENED -> onOpened(reply, offset, replyEpoch, sequence);
            case Protocol.ACKNOWLEDGED -> onAcknowledged(replyEpoch, sequence);
            case Protocol.GAP -> onGap(replyEpoch);
            case Protocol.PRUNED ->
            {
                prunedId = Protocol.extension(reply, offset);
                prunedSequence = sequence;
            }
            case Protocol.FENCED -> onFenced(replyEpoch, sequence, Protocol.extension(reply, offset));
            case Protocol.UNSUPPORTED -> onUnsupported(Protocol.version(reply, offset));
            default ->
            {
                // The reply of a newer member, to a request that this version does not make.
            }
        }
    }

    private void onOpened(final DirectBuffer reply, final int offset, final long replyEpoch, final long sequence)
    {
        if (Phase.STREAMING == phase || !isAnswer(Protocol.extension(reply, offset)))
        {
            return;
        }

        if (Phase.OPENING == phase)
        {
            maxRecordLength = Math.min(maxRecordLength, Protocol.count(reply, offset));
            inFlight.begin(sequence);
            last = sequence;
            acknowledged = sequence;
            highestSent = sequence;
            epoch = replyEpoch;
        }
        else if (sequence < acknowledged)
        {
            // The cluster lost acknowledged records. Sending more would leave a permanent gap.
            failLost(sequence, replyEpoch);
            return;
        }
        else
        {
            acknowledge(sequence);
            inFlight.rewind();
        }

        isAsked = false;
        unanswered = 0;
        phase = Phase.STREAMING;
        enter(WriterState.CONNECTED);
        send();
    }

    private void onAcknowledged(final long replyEpoch, final long sequence)
    {
        if (replyEpoch == epoch && Phase.OPENING != phase)
        {
            acknowledge(sequence);
            if (Phase.STREAMING == phase)
            {
                send();
            }
        }
    }

    private void acknowledge(final long sequence)
    {
        if (sequence > inFlight.acknowledged())
        {
            inFlight.acknowledge(Math.min(sequence, inFlight.last()));
            acknowledged = inFlight.acknowledged();
            progressNs = clock.nanoTime();
        }
    }

    private void onGap(final long replyEpoch)
    {
        if (replyEpoch == epoch && Phase.STREAMING == phase)
        {
            WriterCounters.add(counters.gaps, 1);
            askAnew();
        }
    }

    private void askAnew()
    {
        phase = isOpened() ? Phase.RESUMING : Phase.OPENING;
        // An answer to an earlier request does not contain the current committed position.
        isAsked = false;
        askedId = NONE;
        enter(WriterState.FAILING_OVER);
    }

    private void onFenced(final long newEpoch, final long sequence, final long correlationId)
    {
        // Anything else answers an earlier request of this writer.
        if (isOpened() && newEpoch > epoch)
        {
            fail(WriterState.FENCED, new FencedException(epoch, newEpoch, acknowledged, last));
        }
        else if (Phase.RESUMING == phase && isAnswer(correlationId))
        {
            // The epoch of the members is not newer than this writer's, and yet they do not know this writer.
            failLost(sequence, newEpoch);
        }
    }

    /** The cluster has lost records, or the opening of this writer, and will take no more records from it. */
    private void failLost(final long committed, final long epochOfMembers)
    {
        final String lost = committed < acknowledged ?
            "records that it had acknowledged: firstSequence=" + (committed + 1) + ", lastSequence=" + acknowledged :
            "the opening of this writer, and with it records that it may have acknowledged: epoch=" + epoch +
                ", ofMembers=" + epochOfMembers + ", acknowledged=" + acknowledged;
        fail(new JournalException(
            "the cluster has lost " + lost + ", members=" + settings.members +
                "; no record that follows will be committed: connect again; a member may have been started without " +
                "its files, or lost power with forced(false)"));
    }

    private void onUnsupported(final byte memberVersion)
    {
        fail(new JournalException(
            (Protocol.VERSION != memberVersion ? "the members speak another version of the protocol" :
                "the members refused a message of this writer as malformed: their build of the library differs, or " +
                    "this is a bug") +
                ": version=" + Protocol.VERSION + ", members=" + memberVersion +
                "; run the same version of the library everywhere"));
    }

    private void fail(final JournalException ex)
    {
        fail(WriterState.UNCERTAIN, ex);
    }

    /** Ends the writer, unless it has ended: the first cause stays. */
    private void fail(final WriterState end, final JournalException ex)
    {
        if (!isEnded())
        {
            failure = ex;
            state = end;
        }
    }

    /** Enters a state of the connection, unless the writer has ended. */
    private void enter(final WriterState next)
    {
        if (!isEnded())
        {
            state = next;
        }
    }

    /**
     * Ends the writer; records in flight stay uncertain. Takes the lock.
     */
    void close()
    {
        lock.lock();
        try
        {
            if (WriterState.CLOSED != state)
            {
                if (null == failure && !inFlight.isEmpty())
                {
                    failure =
                        new UncertainException("the journal was closed", inFlight.acknowledged() + 1, inFlight.last());
                }
                state = WriterState.CLOSED;
                proposer.close();
            }
        }
        finally
        {
            lock.unlock();
        }
    }
}
