package io.journal.examples.bank.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
import io.journal.examples.bank.journal.ClusterStatus;
import io.journal.examples.bank.journal.JournalStatus;
import io.journal.replicated.ReplicatedJournal;
import io.journal.replicated.WriterState;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;

/**
 * The journal that a cluster keeps. Appends go to the leader; durable is what a majority of the members has fsynced. It
 * is read in the local journal of a member: everything there is committed. If that member is down, another one has the
 * same events under the same sequences.
 */
final class ClusterJournal implements BankJournal
{
    // As many as can be on their way, so that an append never waits while the cluster elects a leader.
    private static final int WINDOW_BYTES = 4 << 20;
    private static final Duration PRUNE_TIMEOUT = Duration.ofSeconds(10);

    private final ReplicatedJournal writer;
    private final ClusterDirectory directory;
    private final MemberStates states;
    private final SnapshotFiles snapshots;
    private final Map<Integer, ReadOnlyJournal> copies = new ConcurrentHashMap<>();
    // Each consumer knows its own position; this is only what prune has to leave.
    private final Map<String, Long> cursors = new ConcurrentHashMap<>();

    private ClusterJournal(
        final ReplicatedJournal writer,
        final ClusterDirectory directory,
        final MemberStates states,
        final SnapshotFiles snapshots)
    {
        this.writer = writer;
        this.directory = directory;
        this.states = states;
        this.snapshots = snapshots;
    }

    static ClusterJournal connect(final ClusterDirectory directory, final String members, final MemberStates states)
        throws IOException
    {
        // Before the writer is connected, which would have to be closed if this failed.
        final SnapshotFiles snapshots = new SnapshotFiles(directory.snapshots());
        // Those of a process that was killed.
        final Path memory = directory.memory().resolve("writer");
        IoUtil.delete(memory.toFile(), true);
        return new ClusterJournal(
            ReplicatedJournal.builder(members).engine(directory.engine(memory))
                .window(CommandSide.MAX_PENDING, WINDOW_BYTES).connect(),
            directory, states, snapshots);
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
    public long firstSequence()
    {
        return newest().firstSequence();
    }

    @Override
    public boolean get(final long sequence, final RecordHandler handler)
    {
        return newest().get(sequence, handler);
    }

    @Override
    public JournalReader openReader(final long sequence)
    {
        final JournalReader reader = newest().openReader();
        try
        {
            reader.seek(sequence);
            return reader;
        }
        catch (final Throwable ex)
        {
            reader.close();
            throw ex;
        }
    }

    @Override
    public JournalReader moveOn(final JournalReader reader)
    {
        final long next = reader.nextSequence();
        if (newest().lastSequence() < next)
        {
            return reader;
        }

        // It waits, and another member has what it waits for.
        final JournalReader other = openReader(next);
        reader.close();
        return other;
    }

    /** The journal of the member that has most. */
    private ReadOnlyJournal newest()
    {
        ReadOnlyJournal newest = null;
        for (int i = 0; i < MemberStates.MEMBERS; i++)
        {
            final ReadOnlyJournal copy = copies.computeIfAbsent(i, this::open);
            if (null != copy && (null == newest || copy.lastSequence() > newest.lastSequence()))
            {
                newest = copy;
            }
        }
        if (null == newest)
        {
            throw new IllegalStateException("no member has a journal yet: " + directory);
        }
        return newest;
    }

    private ReadOnlyJournal open(final int memberId)
    {
        try
        {
            return Journal.openReadOnly(directory.journal(memberId));
        }
        catch (final JournalNotFoundException ex)
        {
            // It has not started yet.
            return null;
        }
    }

    @Override
    public long cursor(final String consumer)
    {
        return cursors.computeIfAbsent(consumer, (name) -> 0L);
    }

    @Override
    public void saveCursor(final String consumer, final long sequence)
    {
        cursors.put(consumer, sequence);
    }

    @Override
    public long loadSnapshot(final Snapshots.Reader reader)
    {
        return snapshots.load(reader);
    }

    @Override
    public void saveSnapshot(final long sequence, final Snapshots.Writer state)
    {
        // No snapshot is ahead of the journal.
        if (sequence > writer.forcedSequence())
        {
            writer.awaitForced(sequence);
        }
        snapshots.save(sequence, state);
    }

    @Override
    public long prune()
    {
        final long passed = cursors.values().stream().reduce(snapshots.common(), Math::min);
        if (passed > 0)
        {
            writer.prune(passed + 1, PRUNE_TIMEOUT);
        }
        return firstSequence();
    }

    @Override
    public JournalStatus status()
    {
        final long durable = writer.forcedSequence();
        return new JournalStatus(
            firstSequence(), writer.lastSequence(), durable, durable, writer.counters().messages(), 0, 0, 0);
    }

    @Override
    public ClusterStatus cluster()
    {
        return new ClusterStatus(
            writer.state().toString(), writer.leaderId(), writer.counters().leaderChanges(), writer.counters().resent(),
            IntStream.range(0, MemberStates.MEMBERS).mapToObj(this::member).toList());
    }

    private ClusterStatus.Member member(final int memberId)
    {
        // Its files are there also while it is down.
        final ReadOnlyJournal copy = copies.computeIfAbsent(memberId, this::open);
        final long sequence = null == copy ? 0 : copy.lastSequence();
        return new ClusterStatus.Member(
            memberId, states.role(memberId), sequence, Math.max(0, writer.forcedSequence() - sequence));
    }

    @Override
    public boolean isFailed()
    {
        return WriterState.FENCED == writer.state() || WriterState.UNCERTAIN == writer.state();
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(writer, () -> CloseHelper.closeAll(copies.values()));
    }
}
