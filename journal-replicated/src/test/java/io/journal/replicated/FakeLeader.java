// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A leader that answers the threads of one writer at once, or never. */
final class FakeLeader implements Proposer
{
    private static final long EPOCH = 1;

    private final Queue<UnsafeBuffer> inbox = new ConcurrentLinkedQueue<>();
    private final Queue<Error> errors = new ConcurrentLinkedQueue<>();
    private Replies replies;
    private boolean isKnown;
    private volatile boolean isLeading = true;
    private volatile boolean isAcknowledging = true;
    private volatile boolean isClosed;

    void loseLeader()
    {
        isLeading = false;
    }

    void acknowledgeNothing()
    {
        isAcknowledging = false;
    }

    /** Another writer has opened the journal. */
    void fence()
    {
        reply(Protocol.FENCED, 0, EPOCH + 1, 0, 0);
    }

    /** Thrown by the next poll. */
    void fail(final Error error)
    {
        errors.add(error);
    }

    boolean isClosed()
    {
        return isClosed;
    }

    private void reply(
        final byte type, final int count, final long epoch, final long sequence, final long correlationId)
    {
        final UnsafeBuffer reply = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
        Protocol.extended(reply, type, count, epoch, sequence, correlationId);
        inbox.add(reply);
    }

    @Override
    public boolean propose(final DirectBuffer message, final int offset, final int length)
    {
        final long sequence = Protocol.sequence(message, offset);
        final int count = Protocol.count(message, offset);
        if (Protocol.OPEN == Protocol.type(message, offset))
        {
            reply(Protocol.OPENED, Protocol.MAX_RECORD_LENGTH, EPOCH, 0, sequence);
        }
        else if (Protocol.APPEND == Protocol.type(message, offset) && isAcknowledging)
        {
            reply(Protocol.ACKNOWLEDGED, 0, EPOCH, sequence + count - 1, 0);
        }
        return true;
    }

    @Override
    public int poll()
    {
        final Error error = errors.poll();
        if (null != error)
        {
            throw error;
        }

        if (isLeading && !isKnown)
        {
            isKnown = true;
            replies.onLeader(0);
        }
        int work = 0;
        for (UnsafeBuffer reply = inbox.poll(); null != reply; reply = inbox.poll())
        {
            replies.onReply(reply, 0, reply.capacity());
            work++;
        }
        return work;
    }

    @Override
    public boolean isConnected()
    {
        return isLeading;
    }

    @Override
    public void reconnect()
    {
        isKnown = false;
    }

    @Override
    public String obstacle()
    {
        return "none";
    }

    @Override
    public void close()
    {
        isClosed = true;
    }

    Proposer connect(final Replies newReplies)
    {
        replies = newReplies;
        return this;
    }
}
