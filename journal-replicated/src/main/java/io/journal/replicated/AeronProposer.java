// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.concurrent.TimeUnit;

import io.aeron.Aeron;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.cluster.client.EgressListener;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.Header;
import io.journal.JournalException;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;

/**
 * A session with the cluster, which is opened again whenever it ends.
 */
final class AeronProposer implements Proposer, EgressListener
{
    // A member in an election answers nobody: ask another member soon, unless the cluster seems to be slow.
    private static final long QUICK_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SLOW_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int QUICK_ATTEMPTS = 10;
    private static final long KEEP_ALIVE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long REOPEN_NS = TimeUnit.SECONDS.toNanos(1);

    private final AeronEngine engine;
    private final Members members;
    private final int termLength;
    private final ErrorHandler errorHandler;
    private final Replies replies;
    private final String memberDirectory;
    private AeronDirectories.OfWriter directory;
    private MediaDriver driver;
    private Aeron aeron;
    private AeronCluster.AsyncConnect connecting;
    private AeronCluster cluster;
    private int failedAttempts;
    private long openedNs;
    private long keepAliveNs;
    private String obstacle = "none";
    private boolean isClosed;

    /**
     * @param termLength      of what is sent to the leader: eight times the longest message, or more.
     * @param memberDirectory of the buffers of a member in this process, or null for a media driver of its own.
     */
    AeronProposer(
        final AeronEngine engine,
        final Members members,
        final int termLength,
        final ErrorHandler errorHandler,
        final Replies replies,
        final String memberDirectory)
    {
        this.engine = engine;
        this.members = members;
        this.termLength = termLength;
        this.errorHandler = errorHandler;
        this.replies = replies;
        this.memberDirectory = memberDirectory;
        open();
    }

    private void open()
    {
        openedNs = System.nanoTime();
        try
        {
            if (null == memberDirectory)
            {
                directory = AeronDirectories.lockForWriter(engine);
                driver = MediaDriver.launch(driver());
            }
            aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(null == driver ? memberDirectory : driver.aeronDirectoryName())
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(AeronParts.PAUSE_NS))
                .errorHandler(errorHandler));
        }
        catch (final Throwable ex)
        {
            disconnect();
            throw new JournalException("cannot start Aeron: cause=" + ex.getMessage(), ex);
        }
    }

    private MediaDriver.Context driver()
    {
        return new MediaDriver.Context()
            .aeronDirectoryName(directory.name())
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .threadingMode(ThreadingMode.SHARED)
            .sharedIdleStrategy(engine.idleStrategies.get())
            .termBufferSparseFile(true)
            .clientLivenessTimeoutNs(AeronParts.PAUSE_NS)
            .publicationUnblockTimeoutNs(AeronParts.PAUSE_NS + 1)
            .errorHandler(errorHandler);
    }

    @Override
    public boolean propose(final DirectBuffer message, final int offset, final int length)
    {
        try
        {
            return null != cluster && !cluster.isClosed() && cluster.offer(message, offset, length) > 0;
        }
        catch (final RuntimeException ex)
        {
            checkOpen(ex);
            return false;
        }
    }

    @Override
    public int poll()
    {
        if (isClosed)
        {
            return 0;
        }

        if (null == aeron || aeron.isClosed())
        {
            return reopen();
        }

        try
        {
            return null == cluster ? connect() : pollSession();
        }
        catch (final RuntimeException ex)
        {
            checkOpen(ex);
            return 0;
        }
    }

    /** Throws the exception, unless it follows from the end of Aeron's client, which {@link #poll()} replaces. */
    private void checkOpen(final RuntimeException ex)
    {
        if (!aeron.isClosed())
        {
            throw ex;
        }
    }

    /**
     * Aeron's client ends by itself, for good, if its process stood still for too long, or the media driver did.
     */
    private int reopen()
    {
        if (System.nanoTime() - openedNs < REOPEN_NS)
        {
            return 0;
        }

        disconnect();
        obstacle = "Aeron's client had ended";
        try
        {
            open();
        }
        catch (final JournalException ex)
        {
            obstacle = ex.getMessage();
        }
        return 1;
    }

    private int pollSession()
    {
        int work = cluster.pollEgress();
        if (cluster.isClosed())
        {
            obstacle = "the session with the leader ended";
            cluster = null;
            return 1;
        }

        final long nowNs = System.nanoTime();
        if (nowNs - keepAliveNs >= KEEP_ALIVE_NS)
        {
            keepAliveNs = nowNs;
            cluster.sendKeepAlive();
            work++;
        }

        return work;
    }

    private int connect()
    {
        try
        {
            if (null == connecting)
            {
                connecting = AeronCluster.asyncConnect(new AeronCluster.Context()
                    .aeron(aeron)
                    .ownsAeronClient(false)
                    .messageTimeoutNs(failedAttempts < QUICK_ATTEMPTS ? QUICK_TIMEOUT_NS : SLOW_TIMEOUT_NS)
                    .ingressChannel(Channels.udp(termLength))
                    .ingressEndpoints(Channels.ingressEndpoints(members))
                    .egressChannel(Channels.anyPort(Channels.localHost(members, failedAttempts)))
                    .egressListener(this)
                    .errorHandler(errorHandler));
            }

            cluster = connecting.poll();
        }
        catch (final RuntimeException ex)
        {
            obstacle = ex.getMessage();
            CloseHelper.quietClose(connecting);
            connecting = null;
            failedAttempts++;
            return 0;
        }

        if (null == cluster)
        {
            return 0;
        }

        connecting = null;
        failedAttempts = 0;
        obstacle = "none";
        replies.onLeader(cluster.leaderMemberId());
        return 1;
    }

    @Override
    public boolean isConnected()
    {
        // Without this connection, the session waits for another leader.
        return null != cluster && !cluster.isClosed() && cluster.ingressPublication().isConnected();
    }

    @Override
    public void reconnect()
    {
        CloseHelper.close(errorHandler, cluster);
        cluster = null;
        obstacle = "the session with the leader had no replies";
    }

    /** For tests. */
    Aeron client()
    {
        return aeron;
    }

    @Override
    public String obstacle()
    {
        return obstacle;
    }

    @Override
    public void onMessage(
        final long clusterSessionId,
        final long timestamp,
        final DirectBuffer buffer,
        final int offset,
        final int length,
        final Header header)
    {
        replies.onReply(buffer, offset, length);
    }

    @Override
    public void onNewLeader(
        final long clusterSessionId, final long leadershipTermId, final int leaderMemberId, final String endpoints)
    {
        replies.onLeader(leaderMemberId);
    }

    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            disconnect();
        }
    }

    private void disconnect()
    {
        CloseHelper.closeAll(errorHandler, connecting, cluster, aeron, driver, directory);
        connecting = null;
        cluster = null;
        aeron = null;
        driver = null;
        directory = null;
    }
}
