package io.journal.replicated;

import io.journal.JournalException;
import io.journal.replicated.JournalMachine.Snapshot;
import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Problems;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Role;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * What a member does beside the log, on a thread of its own: requests snapshots if it leads, reports its own to the
 * cluster, drops the part of its log that no member needs any more, and emits the events of changes of the leader.
 */
final class Maintenance implements AutoCloseable, Replies
{
    private static final long IDLE_MS = 20;
    private static final long REPEAT_NS = 1_000_000_000;
    private static final long END_MS = 10_000;
    // A session may be one with a member that leads no more, and does not know that yet.
    private static final int MAX_PROPOSALS = 10;

    private final int memberId;
    private final JournalMachine machine;
    private final Member member;
    private final long snapshotEvery;
    private final ErrorHandler errorHandler;
    private final Thread thread;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);

    private Role role = Role.FOLLOWER;
    private long roleNs = System.nanoTime();
    private int leaderId = Members.NONE;
    private long confirmedPosition;
    private long truncatedPosition;
    private long pausedUntilNs = System.nanoTime();
    private long requestedNs;
    private long proposedNs;
    private Snapshot proposed;
    private int proposals;
    private Proposer proposer;
    private volatile Throwable failure;
    private volatile boolean isClosed;

    Maintenance(
        final int memberId,
        final JournalMachine machine,
        final Member member,
        final long snapshotEvery,
        final ErrorHandler errorHandler)
    {
        this.memberId = memberId;
        this.machine = machine;
        this.member = member;
        this.snapshotEvery = snapshotEvery;
        this.errorHandler = Problems.guarded(errorHandler);
        requestedNs = System.nanoTime();
        thread = new Thread(this::run, "journal-member-" + memberId);
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    private void run()
    {
        while (!isClosed && null == member.failure())
        {
            try
            {
                if (System.nanoTime() - pausedUntilNs >= 0)
                {
                    watch();
                    requestSnapshot();
                    confirm();
                    truncateLog();
                }
                Thread.sleep(IDLE_MS);
            }
            catch (final InterruptedException ex)
            {
                break;
            }
            catch (final RuntimeException ex)
            {
                // Nothing that records depend on; it is tried again, but not at once.
                pausedUntilNs = System.nanoTime() + REPEAT_NS;
                CloseHelper.quietClose(proposer);
                proposer = null;
                errorHandler.onError(ex);
            }
            catch (final Error ex)
            {
                // A member without this thread would neither take snapshots nor drop its log.
                failure = ex;
                errorHandler.onError(
                    new JournalException("the member ends: memberId=" + memberId + "; cause=" + ex, ex));
                break;
            }
        }

        CloseHelper.quietClose(proposer);
        if (null != failure)
        {
            CloseHelper.close(errorHandler, member);
        }
        final Throwable cause = failure();
        if (null != cause)
        {
            Events.memberFailure(machine.journalPath(), memberId, cause);
        }
    }

    /** {@return why the member ended by itself, or null} */
    Throwable failure()
    {
        final Throwable ofMember = member.failure();
        return null != ofMember ? ofMember : failure;
    }

    private void watch()
    {
        final Role newRole = member.role();
        if (newRole != role)
        {
            final long nowNs = System.nanoTime();
            Events.role(machine.journalPath(), memberId, newRole, role, nowNs - roleNs);
            role = newRole;
            roleNs = nowNs;
        }

        final int newLeader = member.leaderId();
        if (newLeader != leaderId)
        {
            Events.leader(machine.journalPath(), memberId, newLeader, leaderId, machine.lastSequence());
            leaderId = newLeader;
        }
    }

    private void requestSnapshot()
    {
        final long nowNs = System.nanoTime();
        if (Role.LEADER == member.role() && nowNs - requestedNs >= REPEAT_NS &&
            machine.lastSequence() - machine.newestSnapshot().sequence() >= snapshotEvery)
        {
            requestedNs = nowNs;
            member.requestSnapshot();
        }
    }

    private void confirm()
    {
        final Snapshot newest = machine.newestSnapshot();
        if (newest.logPosition() <= confirmedPosition)
        {
            CloseHelper.quietClose(proposer);
            proposer = null;
            return;
        }

        if (null == proposer)
        {
            proposer = member.connect(this);
            proposed = null;
        }
        proposer.poll();
        final long nowNs = System.nanoTime();
        if (proposer.isConnected() && (!newest.equals(proposed) || nowNs - proposedNs >= REPEAT_NS))
        {
            Protocol.header(message, Protocol.CONFIRM, memberId, 0, newest.sequence());
            message.putLong(Protocol.EXTENSION_OFFSET, newest.logPosition(), LITTLE_ENDIAN);
            proposed = proposer.propose(message, 0, Protocol.EXTENDED_LENGTH) ? newest : null;
            proposedNs = nowNs;
            proposals += null == proposed ? 0 : 1;
            if (proposals == MAX_PROPOSALS)
            {
                proposals = 0;
                proposer.reconnect();
            }
        }
    }

    @Override
    public void onReply(final DirectBuffer reply, final int offset, final int length)
    {
        if (length >= Protocol.EXTENDED_LENGTH && Protocol.CONFIRMED == Protocol.type(reply, offset))
        {
            // It may be that of an older snapshot.
            confirmedPosition = Math.max(confirmedPosition, Protocol.extension(reply, offset));
            proposals = 0;
        }
    }

    @Override
    public void onLeader(final int newLeaderId)
    {
        proposed = null;
    }

    private void truncateLog()
    {
        final long limit = machine.logLimit();
        if (limit > truncatedPosition)
        {
            member.truncateLog(limit);
            truncatedPosition = limit;
        }
    }

    @Override
    public void close()
    {
        // Not interrupted: Aeron's clients take that for an error.
        isClosed = true;
        try
        {
            thread.join(END_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }
}
