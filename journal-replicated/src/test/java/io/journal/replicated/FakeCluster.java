// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A cluster whose log is a list, and whose faults a test decides on. For one thread. */
final class FakeCluster
{
    private static final int MAX_PENDING = 64;
    private static final JournalMachine.Requester MUTE = (buffer, offset, length) ->
    {
        // Followers do not reply.
    };

    private final List<JournalMachine> machines = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final Deque<Message> pending = new ArrayDeque<>();
    private final List<Message> log = new ArrayList<>();
    private final int capacity;
    private boolean isLeading = true;
    private RuntimeException failure;

    /**
     * @param capacity of each leader.
     */
    FakeCluster(final int capacity)
    {
        this.capacity = capacity;
    }

    void add(final JournalMachine machine)
    {
        machine.term(capacity);
        machines.add(machine);
    }

    /** No member is left. */
    void clear()
    {
        machines.clear();
    }

    void replace(final JournalMachine before, final JournalMachine machine)
    {
        machines.set(machines.indexOf(before), machine);
    }

    /** A restarted member: committed messages come again. */
    void replay(final JournalMachine machine, final int first)
    {
        machine.term(capacity);
        log.subList(first, log.size()).forEach((message) -> message.apply(machine, MUTE));
    }

    int logLength()
    {
        return log.size();
    }

    int pending()
    {
        return pending.size();
    }

    void commit()
    {
        commit(pending.size());
    }

    void commit(final int count)
    {
        for (int i = 0; i < count && !pending.isEmpty(); i++)
        {
            final Message message = pending.poll();
            log.add(message);
            for (int machine = 0; machine < machines.size(); machine++)
            {
                // The first member leads, and only the leader replies.
                message.apply(machines.get(machine), 0 == machine ? message.client : MUTE);
            }
        }
    }

    /** The last proposal arrives twice. */
    void duplicateLast()
    {
        if (!pending.isEmpty())
        {
            pending.add(pending.getLast());
        }
    }

    /** Loses proposals that are not committed, either the last or the first. */
    void lose(final int count, final boolean isFirst)
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

    void loseReplies()
    {
        clients.forEach((client) -> client.inbox.clear());
    }

    /** Replies on their way to clients are lost with the leader. */
    void changeLeader()
    {
        loseReplies();
        isLeading = true;
        clients.forEach((client) -> client.isLeaderNew = true);
    }

    /** Proposals of clients are lost, until they look for the leader again. */
    void loseSessions()
    {
        clients.forEach((client) -> client.isLost = true);
    }

    /** Calls of clients throw this exception, until it is null. */
    void fail(final RuntimeException ex)
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

    void loseLeader()
    {
        isLeading = false;
    }

    Proposer connect(final Proposer.Replies replies)
    {
        final Client client = new Client(replies);
        clients.add(client);
        return client;
    }

    private record Message(JournalMachine.Requester client, byte[] bytes)
    {
        private void apply(final JournalMachine machine, final JournalMachine.Requester requester)
        {
            // Messages do not start at the beginning of the buffer, as with Aeron.
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[bytes.length + Long.BYTES]);
            buffer.putBytes(Long.BYTES, bytes);
            machine.committed(requester, buffer, Long.BYTES, bytes.length);
        }
    }

    private final class Client implements Proposer, JournalMachine.Requester
    {
        private final Proposer.Replies replies;
        private final Deque<byte[]> inbox = new ArrayDeque<>();
        private boolean isLeaderNew = true;
        private boolean isLost;

        private Client(final Proposer.Replies replies)
        {
            this.replies = replies;
        }

        @Override
        public void reply(final DirectBuffer message, final int offset, final int length)
        {
            inbox.add(copy(message, offset, length));
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
