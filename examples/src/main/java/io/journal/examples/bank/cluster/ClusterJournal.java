// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.cluster;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalNotFoundException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.Snapshots;
import io.journal.examples.bank.command.CommandSide;
import io.journal.examples.bank.journal.BankJournal;
import io.journal.examples.bank.journal.JournalStatus;
import io.journal.replicated.ReplicatedJournal;
import io.journal.replicated.WriterState;
import org.agrona.CloseHelper;

/**
 * The journal of a cluster. Appends go to the leader, and an event is durable once a majority of the members has
 * fsynced it. Events are read from the local journal of a member. If that member is down, another member has the same
 * events under the same sequences.
 */
public final class ClusterJournal implements BankJournal
{
    // As many records as commands can be in flight, so that an append never waits while the cluster elects a leader.
    private static final int WINDOW_BYTES = 4 << 20;

    private final ClusterFiles files;
    private final ReplicatedJournal writer;
    private final Map<Integer, ReadOnlyJournal> copies = new ConcurrentHashMap<>();

    /** Connects to the members at these addresses. */
    public ClusterJournal(final ClusterFiles files, final String members)
    {
        this.files = files;
        writer = ReplicatedJournal.builder(members).engine(files.engine())
            .window(CommandSide.MAX_PENDING, WINDOW_BYTES).connect();
    }

    @Override
    public JournalAppender appender()
    {
        return writer.appender();
    }

    @Override
    public void force()
    {
        writer.force();
    }

    @Override
    public void onForced(final LongConsumer listener)
    {
        writer.onForced(listener);
    }

    @Override
    public long forcedSequence()
    {
        return writer.forcedSequence();
    }

    @Override
    public boolean get(final long sequence, final RecordHandler handler)
    {
        return newest().get(sequence, handler);
    }

    @Override
    public JournalReader openReader(final long sequence)
    {
        return BankJournal.seek(newest().openReader(), sequence);
    }

    @Override
    public JournalReader moveOn(final JournalReader reader)
    {
        final long next = reader.nextSequence();
        if (newest().lastSequence() < next)
        {
            return reader;
        }

        // This reader has found nothing, but the member with the most events has the next event.
        final JournalReader other = openReader(next);
        reader.close();
        return other;
    }

    @Override
    public void consumed(final String consumer, final long sequence)
    {
        // Nothing is pruned here, so no cursor is needed to hold back a prune.
    }

    @Override
    public Snapshots snapshots()
    {
        // A member's journal belongs to the member.
        return null;
    }

    @Override
    public JournalStatus status()
    {
        return new JournalStatus(
            WriterState.FENCED == writer.state() || WriterState.UNCERTAIN == writer.state(),
            newest().firstSequence(), writer.forcedSequence(), writer.counters().messages(), 0, 0, 0,
            new JournalStatus.Cluster(
                writer.state().toString(), writer.leaderId(), IntStream.range(0, ClusterFiles.MEMBERS)
                    .mapToObj(this::member).toList()));
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(writer, () -> CloseHelper.closeAll(copies.values()));
    }

    private JournalStatus.Member member(final int memberId)
    {
        // The files of a member can be read even while it is down.
        final ReadOnlyJournal copy = copies.computeIfAbsent(memberId, this::open);
        final long sequence = null == copy ? 0 : copy.lastSequence();
        final String role = !files.isAlive(memberId) ? "DOWN" : writer.leaderId() == memberId ? "LEADER" : "FOLLOWER";
        return new JournalStatus.Member(memberId, role, sequence, Math.max(0, writer.forcedSequence() - sequence));
    }

    /** Returns the journal of the member that has the most events. */
    private ReadOnlyJournal newest()
    {
        ReadOnlyJournal newest = null;
        for (int i = 0; i < ClusterFiles.MEMBERS; i++)
        {
            final ReadOnlyJournal copy = copies.computeIfAbsent(i, this::open);
            if (null != copy && (null == newest || copy.lastSequence() > newest.lastSequence()))
            {
                newest = copy;
            }
        }
        if (null == newest)
        {
            throw new IllegalStateException("no member has a journal yet: " + files);
        }
        return newest;
    }

    private ReadOnlyJournal open(final int memberId)
    {
        try
        {
            return Journal.openReadOnly(files.journal(memberId));
        }
        catch (final JournalNotFoundException ex)
        {
            // The member has not started yet.
            return null;
        }
    }
}
