package io.journal.replicated.aeron;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.aeron.Aeron;
import io.aeron.archive.client.ArchiveException;
import io.aeron.cluster.ClusterControl;
import io.aeron.cluster.client.ClusterException;
import io.aeron.cluster.service.Cluster;
import io.aeron.exceptions.AeronException;
import io.journal.JournalException;
import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.MemberOptions;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Role;
import io.journal.replicated.spi.StateMachine;
import org.agrona.CloseHelper;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * A member: its parts of Aeron, all in this process. They end together, also if one of them fails.
 */
final class AeronMember implements Member
{
    // Aeron gives them no code of their own. Others pass, or say nothing of this member's files: nobody listens to the
    // replay, or another member asks for one that begins in the middle of a frame.
    private static final List<String> DAMAGES = List.of(
        "CRC checksum mismatch", "unexpected end of recording", "recording segment not found",
        "recording segment file not created", "is less than recording start position");

    private final AeronEngine engine;
    private final MemberOptions options;
    private final AeronService service;
    private final AeronParts parts;
    // Held to start and to end the parts: a failure while they start ends them once all are there, and a second close
    // waits for the first.
    private final Object lifecycle = new Object();
    // Held to read counters, and to forbid that before their memory is unmapped.
    private final Object counters = new Object();
    private boolean areCountersMapped = true;
    private volatile Throwable lastError;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean isClosed;

    AeronMember(final AeronEngine engine, final MemberOptions options, final StateMachine machine)
    {
        this.engine = engine;
        this.options = options;
        service = new AeronService(machine, this::onFailure);
        parts = new AeronParts(
            engine, options, new AeronParts.Failures(this::onError, this::onEnd), this::onCountersUnmapped);
        synchronized (lifecycle)
        {
            try
            {
                parts.start(service);
            }
            catch (final JournalException ex)
            {
                isClosed = true;
                CloseHelper.quietClose(parts);
                throw ex;
            }
            catch (final Throwable ex)
            {
                isClosed = true;
                CloseHelper.quietClose(parts);
                throw new JournalException(
                    "cannot start the member: memberId=" + options.memberId() + ", directory=" + options.directory() +
                        "; cause=" + ex.getMessage(),
                    ex);
            }
        }
    }

    /**
     * Errors that leave a part of Aeron running, but not as a member: it would neither take part nor be missed.
     */
    private void onError(final Throwable ex)
    {
        if (ex instanceof ClusterException && String.valueOf(ex.getMessage()).contains("incompatible version"))
        {
            onFailure(new JournalException(
                "the other members, or the cluster's log, are of another version of the protocol: version=" +
                    options.version() + "; run the same version of the library everywhere; cause=" + ex.getMessage(),
                ex));
        }
        else if (isOfStorage(ex))
        {
            onFailure(ex);
        }
        else if (isOfDamage(ex))
        {
            onFailure(new JournalException(
                "the member's log or snapshot is damaged, or the others have pruned what follows it: directory=" +
                    options.directory() + "; move the member's directory away and seed it from another member; cause=" +
                    ex.getMessage(),
                ex));
        }
        else
        {
            if (!(ex instanceof AeronException warning) || AeronException.Category.WARN != warning.category())
            {
                lastError = ex;
            }
            engine.errorHandler.onError(ex);
        }
    }

    private static boolean isOfStorage(final Throwable ex)
    {
        // Mapped files fail with an InternalError.
        return ex instanceof InternalError || ex instanceof IOException ||
            ex instanceof ArchiveException failed && ArchiveException.STORAGE_SPACE == failed.errorCode() ||
            null != ex.getCause() && isOfStorage(ex.getCause());
    }

    /** Whether an election or a start would meet it again, each time. */
    static boolean isOfDamage(final Throwable ex)
    {
        return ex instanceof ArchiveException && DAMAGES.stream().anyMatch(String.valueOf(ex.getMessage())::contains);
    }

    private void onEnd(final String part)
    {
        final Throwable error = lastError;
        onFailure(new JournalException("Aeron's " + part + " ended: last error=" + error, error));
    }

    /**
     * The memory of the counters is unmapped after this, also if Aeron's client ends by itself. Reading one then would
     * end the JVM.
     */
    private void onCountersUnmapped()
    {
        synchronized (counters)
        {
            areCountersMapped = false;
        }
    }

    /**
     * The first failure ends the member: a thread of Aeron's cannot close what it belongs to.
     */
    private void onFailure(final Throwable ex)
    {
        if (!isClosed && failure.compareAndSet(null, ex))
        {
            engine.errorHandler.onError(
                new JournalException("the member ends: memberId=" + options.memberId() + "; cause=" + ex, ex));
            new Thread(this::close, "journal-member-end").start();
        }
    }

    @Override
    public Role role()
    {
        return read(
            () -> AeronService.role(Cluster.Role.get(parts.consensus().clusterNodeRoleCounter())), Role.FOLLOWER);
    }

    private <T> T read(final Supplier<T> counter, final T whenClosed)
    {
        synchronized (counters)
        {
            return areCountersMapped ? counter.get() : whenClosed;
        }
    }

    @Override
    public int leaderId()
    {
        return isClosed ? Members.NONE : service.leaderId();
    }

    @Override
    public long commitPosition()
    {
        return read(() -> Math.max(0, parts.consensus().commitPositionCounter().get()), 0L);
    }

    @Override
    public boolean requestSnapshot()
    {
        return Role.LEADER == role() && read(this::toggleSnapshot, false);
    }

    private boolean toggleSnapshot()
    {
        final AtomicCounter toggle = ClusterControl.findControlToggle(
            parts.consensus().aeron().countersReader(), parts.consensus().clusterId());
        return null != toggle && ClusterControl.ToggleState.SNAPSHOT.toggle(toggle);
    }

    @Override
    public void truncateLog(final long logPosition)
    {
        if (!isClosed)
        {
            try (Aeron client = newClient())
            {
                ClusterLog.truncate(
                    parts.archiveClient().aeron(client).ownsAeronClient(false).errorHandler(this::onError),
                    options.directory(), logPosition);
            }
        }
    }

    Aeron newClient()
    {
        return parts.newClient();
    }

    @Override
    public Proposer connect(final Replies replies)
    {
        return new AeronProposer(
            engine, options.members(), engine.termFor(options.maxMessageLength()), replies, parts.aeronDirectory());
    }

    @Override
    public Throwable failure()
    {
        return failure.get();
    }

    @Override
    public void close()
    {
        synchronized (lifecycle)
        {
            if (!isClosed)
            {
                isClosed = true;
                parts.close();
            }
        }
    }
}
