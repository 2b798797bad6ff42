package io.journal.replicated;

import java.util.concurrent.locks.ReentrantLock;

import io.journal.JournalException;
import io.journal.replicated.spi.Engine;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The writer's side of the protocol: numbers records, keeps them until they are acknowledged, and finds out what is
 * committed whenever it may have lost something. The thread that holds the lock drives it: one that appends or waits,
 * or the background thread.
 */
final class Writer implements Replies
{
    final ReentrantLock lock = new ReentrantLock();
    final WriterCounters counters = new WriterCounters();
    final Pruning pruning = new Pruning(this);
    final Standing standing;
    private final WriterOptions options;
    private final NanoClock clock;
    private final Proposer proposer;
    private final InFlight inFlight;
    private final Questions questions = new Questions();
    private final MessagesInFlight messages = new MessagesInFlight();
    private final UnsafeBuffer message;

    private WriterPhase phase = WriterPhase.OPENING;
    private long progressNs;
    private long highestSent;

    private volatile long epoch;
    private volatile long acknowledged;
    private volatile long last;
    private volatile int leaderId = -1;
    private volatile int maxRecordLength;

    Writer(final Engine engine, final WriterOptions options, final NanoClock clock)
    {
        this.options = options;
        this.clock = clock;
        standing = new Standing(options.members().toString());
        maxRecordLength = options.maxRecordLength();
        inFlight = new InFlight(options.windowRecords(), options.windowBytes(), maxRecordLength);
        message = new UnsafeBuffer(new byte[Limits.maxMessageLength(maxRecordLength)]);
        progressNs = clock.nanoTime();
        proposer = engine.connect(options.members(), message.capacity(), this);
    }

    WriterState state()
    {
        return standing.state();
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
     * Proposes a request besides records, if there is a leader; nothing keeps it from being lost. Under the lock.
     *
     * @return its correlation id.
     */
    long propose(final byte type, final long sequence)
    {
        final long correlationId = questions.nextId();
        Protocol.header(message, type, 0, epoch, sequence);
        message.putLong(Protocol.EXTENSION_OFFSET, correlationId, LITTLE_ENDIAN);
        proposer.propose(message, 0, Protocol.EXTENDED_LENGTH);
        return correlationId;
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
            if (messages.isFull())
            {
                proposer.poll();
            }
            send();
        }
        catch (final Throwable ex)
        {
            // The record is taken: its appender would append it again. What does not pass, drive() meets as well.
        }
    }

    /**
     * Throws what ended the writer. Any thread.
     */
    void check()
    {
        standing.check(last);
    }

    /**
     * Does what there is to do. Under the lock.
     *
     * @return how much was done.
     */
    int drive()
    {
        if (standing.isEnded())
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
            if (WriterPhase.STREAMING == phase)
            {
                return work + send();
            }
            return work + (proposer.isConnected() ? questions.ask(proposer, message, epoch, clock.nanoTime()) : 0);
        }
        finally
        {
            // Also if the engine throws: the deadline passes nevertheless.
            checkProgress();
        }
    }

    private int send()
    {
        int work = 0;
        while (WriterPhase.STREAMING == phase && messages.isDue(inFlight.unsentBytes()))
        {
            final int count = inFlight.compose(message, Protocol.HEADER_LENGTH, Limits.FULL_MESSAGE);
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
        messages.sent(inFlight.sent());
    }

    private void checkProgress()
    {
        if (inFlight.isEmpty() || standing.isEnded())
        {
            return;
        }

        final long nowNs = clock.nanoTime();
        if (nowNs - progressNs >= options.deadlineNs())
        {
            fail(WriterFailures.silence(options, proposer.obstacle(), inFlight.acknowledged() + 1, inFlight.last()));
        }
        else if (WriterPhase.STREAMING == phase &&
            nowNs - Math.max(progressNs, questions.askedNs()) >= Questions.REPEAT_NS)
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
        return null != standing.failure() ? standing.failure() :
            WriterFailures.noLeader(options.members(), proposer.obstacle());
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
            // All replies of members are as long: it is none, and what lies behind it must not be read.
            return;
        }

        final long replyEpoch = Protocol.epoch(reply, offset);
        final long sequence = Protocol.sequence(reply, offset);
        switch (Protocol.type(reply, offset))
        {
            case Protocol.OPENED -> onOpened(reply, offset, replyEpoch, sequence);
            case Protocol.ACKNOWLEDGED -> onAcknowledged(replyEpoch, sequence);
            case Protocol.GAP -> onGap(replyEpoch);
            case Protocol.PRUNED -> pruning.onPruned(Protocol.extension(reply, offset), sequence);
            case Protocol.FENCED -> onFenced(replyEpoch, sequence, Protocol.extension(reply, offset));
            case Protocol.UNSUPPORTED -> fail(WriterFailures.unsupported(Protocol.version(reply, offset)));
            default ->
            {
                // Of a newer member, to somebody else's question.
            }
        }
    }

    private void onOpened(final DirectBuffer reply, final int offset, final long replyEpoch, final long sequence)
    {
        if (WriterPhase.STREAMING == phase || !questions.isLast(Protocol.extension(reply, offset)))
        {
            return;
        }

        if (WriterPhase.OPENING == phase)
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
            // Whatever is sent would be a gap, for ever.
            fail(WriterFailures.recordsLost(sequence, acknowledged, options.members()));
            return;
        }
        else
        {
            acknowledge(sequence);
            inFlight.rewind();
            messages.clear();
            Events.resend(
                options.members().toString(), leaderId, acknowledged + 1, highestSent - acknowledged);
        }

        questions.reset();
        phase = WriterPhase.STREAMING;
        standing.enter(WriterState.CONNECTED, this);
        send();
    }

    private void onAcknowledged(final long replyEpoch, final long sequence)
    {
        if (replyEpoch == epoch && WriterPhase.OPENING != phase)
        {
            acknowledge(sequence);
            if (WriterPhase.STREAMING == phase)
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
            messages.acknowledged(sequence);
        }
    }

    private void onGap(final long replyEpoch)
    {
        if (replyEpoch == epoch && WriterPhase.STREAMING == phase)
        {
            WriterCounters.add(counters.gaps, 1);
            askAnew();
        }
    }

    private void askAnew()
    {
        phase = isOpened() ? WriterPhase.RESUMING : WriterPhase.OPENING;
        questions.repeat();
        standing.enter(WriterState.FAILING_OVER, this);
    }

    private void onFenced(final long newEpoch, final long sequence, final long correlationId)
    {
        // An answer to what an earlier question of this writer asked is no news.
        if (isOpened() && newEpoch > epoch)
        {
            standing.fail(WriterState.FENCED, new FencedException(epoch, newEpoch, acknowledged, last), this);
        }
        else if (WriterPhase.RESUMING == phase && questions.isLast(correlationId))
        {
            fail(sequence < acknowledged ? WriterFailures.recordsLost(sequence, acknowledged, options.members()) :
                WriterFailures.openingLost(epoch, newEpoch, acknowledged, options.members()));
        }
    }

    private void fail(final JournalException ex)
    {
        standing.fail(WriterState.UNCERTAIN, ex, this);
    }

    /**
     * Ends the writer; what is in flight stays uncertain. Takes the lock by itself.
     */
    void close()
    {
        lock.lock();
        try
        {
            if (WriterState.CLOSED != standing.state())
            {
                standing.close(
                    inFlight.isEmpty() ? null :
                        new UncertainException("the journal was closed", inFlight.acknowledged() + 1, inFlight.last()),
                    this);
                proposer.close();
            }
        }
        finally
        {
            lock.unlock();
        }
    }
}
