package io.journal.replicated;

import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.replicated.spi.Engine;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The writer's side of the protocol: numbers records, keeps them until they are acknowledged, and finds out what is
 * committed whenever it may have lost something. Whoever holds the lock drives it: a thread that appends or waits, or
 * the background thread.
 */
final class Writer implements Replies
{
    /** How the writer stands to the cluster. */
    private enum Phase
    {
        /** Wants an epoch. */
        OPENING,
        /** Has its epoch, and has to ask what is committed before it sends more. */
        RESUMING,
        /** Sends. */
        STREAMING
    }

    // Asked again if no answer comes; also when acknowledgements stay away, since a reply may be lost.
    private static final long REPEAT_NS = 1_000_000_000;
    // While so many messages are in flight, records wait to share one: a message costs much more than its bytes.
    private static final int MAX_MESSAGES = 8;
    private static final int FULL_MESSAGE = 16 * 1024;

    final ReentrantLock lock = new ReentrantLock();
    final WriterCounters counters = new WriterCounters();
    private final WriterOptions options;
    private final NanoClock clock;
    private final Proposer proposer;
    private final InFlight inFlight;
    private final UnsafeBuffer message;
    private final UUID writerId = UUID.randomUUID();

    private Phase phase = Phase.OPENING;
    private boolean isAsked;
    private long correlationId;
    private long askedNs;
    private long progressNs;
    private long highestSent;
    // Last sequences of the messages that are not acknowledged.
    private final long[] messageEnds = new long[MAX_MESSAGES];
    private int oldestMessage;
    private int messageCount;

    private volatile WriterState state = WriterState.FAILING_OVER;
    private volatile JournalException failure;
    private volatile long epoch;
    private volatile long acknowledged;
    private volatile long last;
    private volatile int leaderId = -1;
    private volatile int maxRecordLength;

    Writer(final Engine engine, final WriterOptions options, final NanoClock clock)
    {
        this.options = options;
        this.clock = clock;
        maxRecordLength = options.maxRecordLength();
        inFlight = new InFlight(options.windowRecords(), options.windowBytes(), maxRecordLength);
        message = new UnsafeBuffer(new byte[Protocol.HEADER_LENGTH +
            Math.max(FULL_MESSAGE, Protocol.entryLength(maxRecordLength))]);
        progressNs = clock.nanoTime();
        proposer = engine.connect(options.members(), this);
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
        if (MAX_MESSAGES == messageCount)
        {
            proposer.poll();
        }
        send();
        return inFlight.last();
    }

    /**
     * Throws what ended the writer. Any thread.
     */
    void check()
    {
        final JournalException ex = failure;
        if (null != ex)
        {
            throw ex;
        }
        if (WriterState.CLOSED == state)
        {
            throw new IllegalStateException("journal is closed: lastSequence=" + last);
        }
    }

    /**
     * Does what there is to do. Under the lock.
     *
     * @return how much was done.
     */
    int drive()
    {
        if (null != failure || WriterState.CLOSED == state)
        {
            return 0;
        }

        int work = proposer.poll();
        if (!proposer.isConnected())
        {
            state(WriterState.FAILING_OVER);
            phase = isOpened() ? Phase.RESUMING : Phase.OPENING;
            isAsked = false;
        }
        work += Phase.STREAMING == phase ? send() : ask();
        checkProgress();
        return work;
    }

    private int ask()
    {
        final long nowNs = clock.nanoTime();
        if (!proposer.isConnected() || isAsked && nowNs - askedNs < REPEAT_NS)
        {
            return 0;
        }

        // Each question has a number of its own: the answer to an older one may say less than is committed by now.
        final boolean isOpening = Phase.OPENING == phase;
        Protocol.header(message, isOpening ? Protocol.OPEN : Protocol.RESUME, 0, epoch, ++correlationId);
        message.putLong(Protocol.EXTENSION_OFFSET, writerId.getMostSignificantBits(), LITTLE_ENDIAN);
        message.putLong(Protocol.EXTENSION_OFFSET + Long.BYTES, writerId.getLeastSignificantBits(), LITTLE_ENDIAN);
        isAsked = proposer.propose(message, 0, isOpening ? Protocol.OPEN_LENGTH : Protocol.HEADER_LENGTH);
        askedNs = nowNs;
        return isAsked ? 1 : 0;
    }

    private int send()
    {
        int work = 0;
        while (Phase.STREAMING == phase && inFlight.sent() < inFlight.last() && isMessageDue())
        {
            final int count = inFlight.compose(message, Protocol.HEADER_LENGTH, FULL_MESSAGE);
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

    private boolean isMessageDue()
    {
        return messageCount < MAX_MESSAGES || inFlight.unsentBytes() >= FULL_MESSAGE;
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
        if (MAX_MESSAGES == messageCount)
        {
            // A full one beyond the limit: it counts as part of the newest.
            messageCount--;
        }
        messageEnds[(oldestMessage + messageCount) & (MAX_MESSAGES - 1)] = inFlight.sent();
        messageCount++;
    }

    private void checkProgress()
    {
        if (inFlight.isEmpty())
        {
            return;
        }

        final long nowNs = clock.nanoTime();
        if (nowNs - progressNs >= options.deadlineNs())
        {
            fail(WriterState.UNCERTAIN, new UncertainException(
                "nothing was acknowledged for " + options.deadlineNs() / 1_000_000 + " ms; members=" +
                    options.members() + obstacle(),
                inFlight.acknowledged() + 1, inFlight.last()));
        }
        else if (Phase.STREAMING == phase && nowNs - Math.max(progressNs, askedNs) >= REPEAT_NS)
        {
            resume();
        }
    }

    private String obstacle()
    {
        final String obstacle = proposer.obstacle();
        return null == obstacle ? "" : "; " + obstacle;
    }

    /**
     * Ends the attempt to open. Under the lock.
     */
    JournalException notOpened()
    {
        final JournalException ex = failure;
        return null != ex ? ex : new JournalException(
            "no leader answers: members=" + options.members() + obstacle() +
                "; check that a majority of the members runs, and that this host reaches their UDP ports");
    }

    @Override
    public void onLeader(final int memberId)
    {
        leaderId = memberId;
        WriterCounters.add(counters.leaderChanges, 1);
        if (isOpened())
        {
            resume();
        }
        else
        {
            isAsked = false;
        }
    }

    @Override
    public void onReply(final DirectBuffer reply, final int offset, final int length)
    {
        final long replyEpoch = Protocol.epoch(reply, offset);
        final long sequence = Protocol.sequence(reply, offset);
        switch (Protocol.type(reply, offset))
        {
            case Protocol.OPENED -> onOpened(reply, offset, replyEpoch, sequence);
            case Protocol.ACKNOWLEDGED -> onAcknowledged(replyEpoch, sequence);
            case Protocol.GAP -> onGap(replyEpoch);
            case Protocol.FENCED -> onFenced(replyEpoch);
            case Protocol.UNSUPPORTED -> fail(WriterState.UNCERTAIN, new JournalException(
                "the members speak another version of the protocol: version=" + Protocol.VERSION + ", members=" +
                    Protocol.version(reply, offset) + "; run the same version of the library everywhere"));
            default ->
            {
                // Of a newer member, to somebody else's question.
            }
        }
    }

    private void onOpened(final DirectBuffer reply, final int offset, final long replyEpoch, final long sequence)
    {
        if (Phase.STREAMING == phase || Protocol.extension(reply, offset) != correlationId)
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
        else
        {
            acknowledge(sequence);
            inFlight.rewind();
            messageCount = 0;
        }

        phase = Phase.STREAMING;
        state(WriterState.CONNECTED);
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
            while (messageCount > 0 && messageEnds[oldestMessage] <= sequence)
            {
                oldestMessage = (oldestMessage + 1) & (MAX_MESSAGES - 1);
                messageCount--;
            }
        }
    }

    private void onGap(final long replyEpoch)
    {
        if (replyEpoch == epoch && Phase.STREAMING == phase)
        {
            WriterCounters.add(counters.gaps, 1);
            resume();
        }
    }

    private void resume()
    {
        phase = Phase.RESUMING;
        isAsked = false;
        state(WriterState.FAILING_OVER);
    }

    private void onFenced(final long newEpoch)
    {
        // An answer to what an earlier question of this writer asked is no news.
        if (isOpened() && newEpoch > epoch)
        {
            fail(WriterState.FENCED, new FencedException(epoch, newEpoch, acknowledged, last));
        }
    }

    private void fail(final WriterState newState, final JournalException ex)
    {
        failure = ex;
        state = newState;
    }

    private void state(final WriterState newState)
    {
        if (state != newState)
        {
            state = newState;
        }
    }

    /**
     * @return what an append throws that found no room in time.
     */
    JournalFullException windowFull()
    {
        return new JournalFullException(
            "window full: nothing was appended, try again later: inFlight=" + (last - acknowledged) +
                ", acknowledged=" + acknowledged + ", state=" + state);
    }

    /**
     * Ends the writer; what is in flight stays uncertain. Under the lock.
     */
    void close()
    {
        if (null == failure && !inFlight.isEmpty())
        {
            failure = new UncertainException("the journal was closed", inFlight.acknowledged() + 1, inFlight.last());
        }
        if (WriterState.CLOSED != state)
        {
            state = WriterState.CLOSED;
            proposer.close();
        }
    }
}
