// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.cluster.codecs.CloseReason;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.logbuffer.Header;
import io.journal.JournalException;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The state machine as Aeron's service. Only the service's thread calls it, and no call follows the first exception of
 * the machine.
 */
final class AeronService implements ClusteredService
{
    private static final int REPLY_ATTEMPTS = 3;

    private final JournalMachine machine;
    private final Consumer<Throwable> failed;
    private final Long2ObjectHashMap<Session> sessions = new Long2ObjectHashMap<>();
    private Cluster cluster;
    private boolean isFailed;
    private volatile int leaderId = JournalMember.NO_LEADER;

    AeronService(final JournalMachine machine, final Consumer<Throwable> failed)
    {
        this.machine = machine;
        this.failed = failed;
    }

    int leaderId()
    {
        return leaderId;
    }

    @Override
    public void onStart(final Cluster newCluster, final Image snapshotImage)
    {
        cluster = newCluster;
        if (null != snapshotImage)
        {
            run(() -> machine.restore(read(snapshotImage, cluster.idleStrategy())));
        }
    }

    @Override
    public void onSessionOpen(final ClientSession session, final long timestamp)
    {
        // The first message of the session makes it known.
    }

    @Override
    public void onSessionClose(final ClientSession session, final long timestamp, final CloseReason closeReason)
    {
        sessions.remove(session.id());
    }

    @Override
    public void onSessionMessage(
        final ClientSession session,
        final long timestamp,
        final DirectBuffer buffer,
        final int offset,
        final int length,
        final Header header)
    {
        if (isFailed)
        {
            throw new AgentTerminationException();
        }

        try
        {
            machine.committed(requester(session), buffer, offset, length);
        }
        catch (final Throwable ex)
        {
            throw fail(ex);
        }
    }

    private Session requester(final ClientSession session)
    {
        Session known = sessions.get(session.id());
        if (null == known)
        {
            known = new Session(session);
            sessions.put(session.id(), known);
        }

        return known;
    }

    @Override
    public void onTimerEvent(final long correlationId, final long timestamp)
    {
        // No timer is scheduled.
    }

    @Override
    public void onTakeSnapshot(final ExclusivePublication snapshotPublication)
    {
        run(() ->
        {
            final UnsafeBuffer snapshot = new UnsafeBuffer(machine.snapshot(cluster.logPosition()));
            final IdleStrategy idle = cluster.idleStrategy();
            idle.reset();
            while (!isSent(snapshotPublication.offer(snapshot, 0, snapshot.capacity())))
            {
                idle.idle();
            }
        });
    }

    /**
     * Throws if the recording has ended: otherwise the snapshot would be offered forever, and no message be applied.
     */
    private static boolean isSent(final long result)
    {
        if (Publication.NOT_CONNECTED == result || Publication.CLOSED == result ||
            Publication.MAX_POSITION_EXCEEDED == result)
        {
            throw new JournalException(
                "the archive does not record the snapshot any more: result=" + Publication.errorString(result));
        }

        return result > 0;
    }

    private static byte[] read(final Image image, final IdleStrategy idle)
    {
        final byte[][] found = new byte[1][];
        idle.reset();
        while (null == found[0])
        {
            final int fragments = image.poll(
                (buffer, offset, length, header) ->
                {
                    found[0] = new byte[length];
                    buffer.getBytes(offset, found[0]);
                }, 1);
            if (0 == fragments && image.isClosed())
            {
                throw new JournalException(
                    "the snapshot is incomplete: position=" + image.position() +
                        "; move the member's directory away and seed it from another member");
            }
            idle.idle(fragments);
        }

        return found[0];
    }

    @Override
    public void onRoleChange(final Cluster.Role newRole)
    {
        // The member reads its role from Aeron's counter.
    }

    @Override
    public void onNewLeadershipTermEvent(
        final long leadershipTermId,
        final long logPosition,
        final long timestamp,
        final long termBaseLogPosition,
        final int leaderMemberId,
        final int logSessionId,
        final TimeUnit timeUnit,
        final int appVersion)
    {
        leaderId = leaderMemberId;
        run(() -> machine.term(AeronEngine.capacity(appVersion)));
    }

    @Override
    public void onTerminate(final Cluster terminated)
    {
        // The member closes what it opened.
    }

    private void run(final Runnable task)
    {
        if (isFailed)
        {
            throw new AgentTerminationException();
        }

        try
        {
            task.run();
        }
        catch (final Throwable ex)
        {
            throw fail(ex);
        }
    }

    private AgentTerminationException fail(final Throwable ex)
    {
        // Without this, Aeron would report the exception and continue with the next message.
        isFailed = true;
        failed.accept(ex);
        return new AgentTerminationException(ex);
    }

    /** A client's session; made once for each, so that a message allocates nothing. */
    private static final class Session implements JournalMachine.Requester
    {
        private final ClientSession session;

        private Session(final ClientSession session)
        {
            this.session = session;
        }

        @Override
        public void reply(final DirectBuffer message, final int offset, final int length)
        {
            // Only a few attempts: a client that does not read must not delay the log. The client repeats its request.
            for (int i = 0; i < REPLY_ATTEMPTS && !session.isClosing(); i++)
            {
                if (session.offer(message, offset, length) > 0)
                {
                    return;
                }
                Thread.onSpinWait();
            }
        }
    }
}
