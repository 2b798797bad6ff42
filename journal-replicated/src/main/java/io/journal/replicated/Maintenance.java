// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import io.journal.replicated.JournalMachine.Snapshot;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The work of a member outside the log, on a thread of its own: requests snapshots if the member leads, reports its own
 * snapshots to the cluster, and drops the part of its log that no member needs any more.
 */
final class Maintenance implements AutoCloseable, Proposer.Replies
{
    private static final long IDLE_MS = 20;
    private static final long REPEAT_NS = 1_000_000_000;
    private static final long END_MS = 10_000;
    // The session may be with a former leader that does not know yet that it lost its role.
    private static final int MAX_PROPOSALS = 10;

    private final int memberId;
    private final JournalMachine machine;
    private final Member member;
    private final long snapshotEvery;
    private final ErrorHandler errorHandler;
    private final Thread thread;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);

    private long confirmedPosition;
    private long truncatedPosition;
    private long pausedUntilNs = System.nanoTime();
    private long requestedNs;
    private long proposedNs;
    private Snapshot proposed;
    private int proposals;
    private Proposer proposer;
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
        this.errorHandler = ErrorHandlers.guarded(errorHandler);
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
                // No record depends on this work: it is repeated after a pause.
                pausedUntilNs = System.nanoTime() + REPEAT_NS;
                CloseHelper.quietClose(proposer);
                proposer = null;
                errorHandler.onError(ex);
            }
            catch (final Error ex)
            {
                // A member without this thread would neither take snapshots nor drop its log.
                CloseHelper.quietClose(proposer);
                member.fail(ex);
                break;
            }
        }

        CloseHelper.quietClose(proposer);
    }

    private void requestSnapshot()
    {
        final long nowNs = System.nanoTime();
        if (member.isLeader() && nowNs - requestedNs >= REPEAT_NS &&
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
            Protocol.extended(message, Protocol.CONFIRM, memberId, 0, newest.sequence(), newest.logPosition());
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
            // The reply may confirm an older snapshot.
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
        // The thread is not interrupted, because Aeron's clients take an interrupt for an error.
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
