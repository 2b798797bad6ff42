package io.journal.replicated.support;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Requester;
import io.journal.replicated.spi.StateMachine;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An engine whose log is a list, and whose faults a test decides on. For one thread.
 */
public final class FakeCluster extends FakeEngine
{
    private static final int MAX_PENDING = 64;

    private final List<StateMachine> machines = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final Deque<Message> pending = new ArrayDeque<>();
    private final List<Message> log = new ArrayList<>();
    private final int capacity;
    private boolean isLeading = true;
    private RuntimeException failure;

    /**
     * @param capacity of each leader.
     */
    public FakeCluster(final int capacity)
    {
        this.capacity = capacity;
    }

    public void add(final StateMachine machine)
    {
        machine.term(capacity);
        machines.add(machine);
    }

    /** No member is left. */
    public void clear()
    {
        machines.clear();
    }

    public void replace(final StateMachine before, final StateMachine machine)
    {
        machines.set(machines.indexOf(before), machine);
    }

    /** A member that was restarted: what is committed comes again. */
    public void replay(final StateMachine machine, final int first)
    {
        machine.term(capacity);
        log.subList(first, log.size()).forEach((message) -> message.apply(machine, (buffer, offset, length) -> true));
    }

    public int logLength()
    {
        return log.size();
    }

    public int pending()
    {
        return pending.size();
    }

    public void commit()
    {
        commit(pending.size());
    }

    public void commit(final int count)
    {
        for (int i = 0; i < count && !pending.isEmpty(); i++)
        {
            final Message message = pending.poll();
            log.add(message);
            for (int machine = 0; machine < machines.size(); machine++)
            {
                // The first one leads: only it replies.
                message.apply(
                    machines.get(machine), 0 == machine ? message.client : (buffer, offset, length) -> true);
            }
        }
    }

    /** The last proposal arrives twice. */
    public void duplicateLast()
    {
        if (!pending.isEmpty())
        {
            pending.add(pending.getLast());
        }
    }

    /** Loses proposals that are not committed: the last ones, or the first ones. */
    public void lose(final int count, final boolean isFirst)
    {
        for (int i = 0; i < count && !pending.isEmpty(); i++)
        {
            if (isFirst)
            {
                pending.removeFirst();
            }
            else
            {
                pending.removeLast();
            }
        }
    }

    public void loseReplies()
    {
        clients.forEach((client) -> client.inbox.clear());
    }

    /** Replies on their way to clients are lost with the leader. */
    public void changeLeader()
    {
        loseReplies();
        isLeading = true;
        clients.forEach((client) -> client.isLeaderNew = true);
    }

    /** What clients propose is lost, until they look for the leader again. */
    public void loseSessions()
    {
        clients.forEach((client) -> client.isLost = true);
    }

    /** What clients call throws this, until it is null. */
    public void fail(final RuntimeException ex)
    {
        failure = ex;
    }

    private void throwFailure()
    {
        if (null != failure)
        {
            throw failure;
        }
    }

    public void loseLeader()
    {
        isLeading = false;
    }

    @Override
    public Proposer connect(final Members members, final int maxMessageLength, final Replies replies)
    {
        final Client client = new Client(replies);
        clients.add(client);
        return client;
    }

    private record Message(Requester client, byte[] bytes)
    {
        private void apply(final StateMachine machine, final Requester requester)
        {
            // Not at the beginning of the buffer, as in an engine.
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[bytes.length + Long.BYTES]);
            buffer.putBytes(Long.BYTES, bytes);
            machine.committed(requester, buffer, Long.BYTES, bytes.length);
        }
    }

    private final class Client implements Proposer, Requester
    {
        private final Replies replies;
        private final Deque<byte[]> inbox = new ArrayDeque<>();
        private boolean isLeaderNew = true;
        private boolean isLost;

        private Client(final Replies replies)
        {
            this.replies = replies;
        }

        @Override
        public boolean reply(final DirectBuffer message, final int offset, final int length)
        {
            inbox.add(copy(message, offset, length));
            return true;
        }

        @Override
        public boolean propose(final DirectBuffer message, final int offset, final int length)
        {
            throwFailure();
            return isLost || isLeading && pending.size() < MAX_PENDING &&
                pending.add(new Message(this, copy(message, offset, length)));
        }

        @Override
        public void reconnect()
        {
            isLost = false;
            isLeaderNew = true;
        }

        private byte[] copy(final DirectBuffer message, final int offset, final int length)
        {
            final byte[] bytes = new byte[length];
            message.getBytes(offset, bytes);
            return bytes;
        }

        @Override
        public int poll()
        {
            throwFailure();
            int work = 0;
            if (isLeading && isLeaderNew)
            {
                isLeaderNew = false;
                replies.onLeader(0);
                work++;
            }
            for (byte[] reply = inbox.poll(); null != reply; reply = inbox.poll())
            {
                replies.onReply(new UnsafeBuffer(reply), 0, reply.length);
                work++;
            }
            return work;
        }

        @Override
        public boolean isConnected()
        {
            return isLeading && !isLeaderNew;
        }

        @Override
        public String obstacle()
        {
            return "none";
        }

        @Override
        public void close()
        {
            clients.remove(this);
        }
    }
}
