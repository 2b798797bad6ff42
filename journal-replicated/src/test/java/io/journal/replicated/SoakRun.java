// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.journal.JournalException;
import io.journal.verify.JournalVerifier;
import org.agrona.CloseHelper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A writer under load while faults are injected, round by round. After each round every member must have all
 * acknowledged records; at the end all journals are checked from their beginning.
 */
final class SoakRun implements AutoCloseable
{
    private static final long PACE_NS = 200_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String name;
    private final ProcessCluster cluster;
    private final History history = new History();
    private final Thread thread = new Thread(this::append, "writer");
    private volatile boolean isEnding;
    private volatile ReplicatedJournal journal;
    private volatile Throwable writerFailure;
    private long checked = 1;
    private long pruned = 1;

    SoakRun(final String name, final ProcessCluster cluster)
    {
        this.name = name;
        this.cluster = cluster;
    }

    /** The fault of a round. At its end all members run. */
    @FunctionalInterface
    interface Fault
    {
        void inject(int round) throws Exception;
    }

    void run(final int rounds, final Fault fault)
    {
        int round = 0;
        try
        {
            journal = connect();
            thread.start();
            awaitProgress();
            for (round = 1; round <= rounds; round++)
            {
                final long beginNs = System.nanoTime();
                fault.inject(round);
                awaitProgress();
                checkNew();
                System.out.printf(
                    "%s %d/%d: %,d records; %.1f s%n", name, round, rounds, checked,
                    (System.nanoTime() - beginNs) / 1e9);
            }
            finish();
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(
                name + " failed, round " + round + " of " + rounds + ": " + ex.getMessage() + "\n" + describe(), ex);
        }
    }

    /** Enough details to understand a failure, because the test deletes the directories. */
    private String describe()
    {
        return "load of this machine: " + ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage() +
            "\nwriter: " + journal + ", " + (null == journal ? "" : journal.counters()) + "\n" + cluster.describe();
    }

    private ReplicatedJournal connect()
    {
        final AeronEngine engine = new AeronEngine().termLength(1024 * 1024).memoryDirectory(cluster.memory());
        final ReplicatedJournal opened = ReplicatedJournal.builder(cluster.addresses).engine(engine)
            .timeout(PATIENCE).deadline(PATIENCE).windowTimeout(PATIENCE).window(512, 1024 * 1024).connect();
        history.opened(opened.epoch(), opened.lastSequence());
        return opened;
    }

    private void append()
    {
        while (!isEnding)
        {
            final ReplicatedJournal writer = journal;
            final long epoch = writer.epoch();
            try
            {
                final long sequence = writer.lastSequence() + 1;
                history.appended(epoch, sequence);
                assertEquals(sequence, writer.appender().append(epoch, History.record(epoch, sequence)));
                history.acknowledged(epoch, writer.forcedSequence());
            }
            catch (final FencedException ex)
            {
                // The next writer continues.
            }
            catch (final RuntimeException | AssertionError ex)
            {
                writerFailure = ex;
                return;
            }
            LockSupport.parkNanos(PACE_NS);
        }
    }

    int leader()
    {
        await("a leader", () -> cluster.leader() >= 0);
        return cluster.leader();
    }

    /** Waits until another member leads. */
    void awaitLeaderOtherThan(final int memberId)
    {
        await("a leader other than " + memberId, () ->
        {
            for (int i = 0; i < Placement.MEMBERS; i++)
            {
                final ProcessCluster.State state = cluster.state(i);
                if (i != memberId && null != state && JournalMember.NO_LEADER != state.leaderId() &&
                    memberId != state.leaderId())
                {
                    return true;
                }
            }
            return false;
        });
    }

    /** A machine may be busy for minutes with something else. */
    private static void await(final String what, final BooleanSupplier condition)
    {
        TestCluster.await(what, PATIENCE.toNanos(), condition);
    }

    /** Waits until some more records are acknowledged than were in flight. */
    void awaitProgress()
    {
        final ReplicatedJournal writer = journal;
        final long before = writer.lastSequence();
        await(
            "records to be acknowledged beyond " + before,
            () -> null != writerFailure || writer.forcedSequence() > before);
        assertEquals(null, writerFailure);
    }

    /** Waits until a member has all records that are acknowledged now. */
    void awaitCaughtUp(final int memberId)
    {
        awaitApplied(memberId, journal.forcedSequence());
    }

    /** Waits until a member has all records that are acknowledged now, or ends by itself. */
    boolean isCaughtUpUnlessEnded(final int memberId)
    {
        final long sequence = journal.forcedSequence();
        await(
            "member " + memberId + " to apply " + sequence + " or end",
            () -> !cluster.isAlive(memberId) || isApplied(memberId, sequence));
        return cluster.isAlive(memberId);
    }

    private void awaitApplied(final int memberId, final long sequence)
    {
        await("member " + memberId + " to apply " + sequence, () ->
        {
            assertTrue(cluster.isAlive(memberId), () -> "member " + memberId + " ended");
            return isApplied(memberId, sequence);
        });
    }

    private boolean isApplied(final int memberId, final long sequence)
    {
        final ProcessCluster.State state = cluster.state(memberId);
        return null != state && state.lastSequence() >= sequence;
    }

    /** Prunes, once each member has a new snapshot. */
    void prune()
    {
        final long before = pruned;
        await("snapshots to prune to", () ->
        {
            // Check records before the prune, because pruned records cannot be checked any more.
            checkNew();
            pruned = journal.prune(checked, PATIENCE);
            return pruned > before;
        });
    }

    /** Opens another writer, which fences the previous writer. */
    void replaceWriter()
    {
        final ReplicatedJournal old = journal;
        journal = connect();
        await("the old writer to be fenced", () -> WriterState.FENCED == old.state());
        history.acknowledged(old.epoch(), old.forcedSequence());
        try
        {
            old.close();
        }
        catch (final JournalException ex)
        {
            assertTrue(ex instanceof FencedException, ex::toString);
        }
    }

    private void checkNew()
    {
        final long acknowledged = journal.forcedSequence();
        for (int i = 0; i < Placement.MEMBERS; i++)
        {
            awaitApplied(i, acknowledged);
            assertEquals(List.of(), history.problems(cluster.journal(i), checked, acknowledged), "member " + i);
        }
        checked = acknowledged;
    }

    private void finish() throws InterruptedException
    {
        end();
        assertEquals(null, writerFailure);
        journal.force();
        history.acknowledged(journal.epoch(), journal.forcedSequence());
        final long last = journal.lastSequence();
        journal.close();

        long first = 1;
        final Set<Long> checksums = new HashSet<>();
        for (int i = 0; i < Placement.MEMBERS; i++)
        {
            awaitApplied(i, last);
            first = Math.max(first, History.firstSequence(cluster.journal(i)));
        }
        cluster.close();
        for (int i = 0; i < Placement.MEMBERS; i++)
        {
            final Path directory = cluster.journal(i);
            assertEquals(List.of(), history.problems(directory, 1, history.acknowledged()), "member " + i);
            assertFalse(JournalVerifier.verify(directory).isDamaged(), () -> "verify: " + directory);
            checksums.add(History.checksum(directory, first, last));
        }
        assertEquals(1, checksums.size(), "members differ");
        System.out.printf(
            "%s: passed; %,d records; all journals verified, crc32c of %,d to %,d: %08x%n",
            name, last, first, last, checksums.iterator().next());
    }

    private void end() throws InterruptedException
    {
        isEnding = true;
        thread.join();
    }

    @Override
    public void close()
    {
        // Quietly, because records may be in flight, and the failure of the run must be reported. The thread ends with
        // the writer.
        isEnding = true;
        if (null != journal)
        {
            CloseHelper.quietClose(journal);
        }
    }
}
