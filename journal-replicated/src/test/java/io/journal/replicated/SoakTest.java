package io.journal.replicated;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.journal.JournalException;
import io.journal.replicated.aeron.AeronEngine;
import io.journal.replicated.support.History;
import io.journal.replicated.support.ProcessCluster;
import io.journal.replicated.support.TestCluster;
import io.journal.verify.JournalVerifier;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Members in processes of their own, which are killed, stopped and wiped under load; after each round all of them have
 * each acknowledged record once. {@code -Djournal.test.rounds=100} sets the number of rounds of each kind.
 */
@Tag("soak")
class SoakTest
{
    private static final int ROUNDS = Integer.getInteger("journal.test.rounds", 5);
    private static final long PACE_NS = 200_000;

    @TempDir
    private Path directory;
    private final History history = new History();
    private final Random random = new Random(4711);
    private volatile boolean isEnding;
    private volatile ReplicatedJournal journal;
    private volatile Throwable writerFailure;

    /** What happens to members. */
    enum Fault
    {
        /** SIGKILL. */
        KILL_LEADER,
        /** SIGKILL. */
        KILL_FOLLOWER,
        /** SIGSTOP for longer than the heartbeat timeout, then SIGCONT. */
        PAUSE_LEADER,
        /** SIGKILL of two, which leaves no majority. */
        LOSE_TWO,
        /** The disk is lost after a prune: seeded from a running member. */
        WIPE_FOLLOWER,
        /** Another writer opens; the one before has records in flight. */
        FENCE
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void acknowledgedRecordsAreOnEachMemberOnce(final Fault fault) throws Exception
    {
        try (ProcessCluster cluster = new ProcessCluster(directory, false, Duration.ofSeconds(1)))
        {
            journal = connect(cluster);
            final Thread thread = new Thread(this::append, "writer");
            thread.start();
            try
            {
                long checked = 1;
                for (int round = 1; round <= ROUNDS; round++)
                {
                    final long beginNs = System.nanoTime();
                    awaitProgress();
                    final long outageNs = run(fault, cluster);
                    final long acknowledged = journal.forcedSequence();
                    for (int i = 0; i < 3; i++)
                    {
                        awaitApplied(cluster, i, acknowledged);
                        assertEquals(
                            List.of(), history.problems(cluster.journal(i), checked, acknowledged),
                            fault + " member " + i);
                    }
                    checked = acknowledged;
                    System.out.printf("%s round %d: %d records, writer without acknowledgements for %d ms, %d ms%n",
                        fault, round, acknowledged, outageNs / 1_000_000, (System.nanoTime() - beginNs) / 1_000_000);
                }
            }
            catch (final Throwable ex)
            {
                isEnding = true;
                thread.join();
                CloseHelper.quietClose(journal);
                throw ex;
            }

            isEnding = true;
            thread.join();

            assertEquals(null, writerFailure);
            journal.force();
            history.acknowledged(journal.epoch(), journal.forcedSequence());
            final long last = journal.lastSequence();
            journal.close();
            for (int i = 0; i < 3; i++)
            {
                awaitApplied(cluster, i, last);
            }
        }

        for (int i = 0; i < 3; i++)
        {
            final Path member = directory.resolve("member-" + i).resolve("journal");
            assertEquals(List.of(), history.problems(member, 1, history.acknowledged()), fault + " member " + i);
            assertFalse(JournalVerifier.verify(member).isDamaged(), () -> "verify: " + member);
        }
    }

    private ReplicatedJournal connect(final ProcessCluster cluster)
    {
        final AeronEngine engine =
            new AeronEngine().termLength(1024 * 1024).memoryDirectory(directory.resolve("memory"))
                .errorHandler((ex) ->
                {
                });
        final ReplicatedJournal opened = ReplicatedJournal.builder(cluster.addresses).engine(engine)
            .timeout(Duration.ofMinutes(2)).deadline(Duration.ofMinutes(2)).windowTimeout(Duration.ofMinutes(2))
            .window(512, 1024 * 1024).connect();
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
                // The other writer follows.
            }
            catch (final RuntimeException | AssertionError ex)
            {
                writerFailure = ex;
                return;
            }
            LockSupport.parkNanos(PACE_NS);
        }
    }

    /** {@return the longest time without acknowledgements} */
    private long run(final Fault fault, final ProcessCluster cluster) throws Exception
    {
        TestCluster.await("a leader", () -> cluster.leader() >= 0);
        final int leader = cluster.leader();
        final int follower = (leader + 1 + random.nextInt(2)) % 3;
        final long beginNs = System.nanoTime();
        long outageNs = 0;
        switch (fault)
        {
            case KILL_LEADER, KILL_FOLLOWER ->
            {
                final int killed = Fault.KILL_LEADER == fault ? leader : follower;
                cluster.kill(killed);
                outageNs = awaitProgress();
                cluster.start(killed);
            }
            case PAUSE_LEADER ->
            {
                cluster.signal(leader, "STOP");
                outageNs = awaitProgress();
                cluster.signal(leader, "CONT");
            }
            case LOSE_TWO ->
            {
                cluster.kill(leader);
                cluster.kill(follower);
                cluster.start(leader);
                cluster.start(follower);
                awaitProgress();
                outageNs = System.nanoTime() - beginNs;
            }
            case WIPE_FOLLOWER ->
            {
                cluster.kill(follower);
                IoUtil.delete(cluster.directory(follower).toFile(), false);
                journal.prune(journal.forcedSequence(), Duration.ofMinutes(1));
                MemberSeed.copy(cluster.directory(leader), cluster.directory(follower), follower);
                cluster.start(follower);
            }
            default ->
            {
                final ReplicatedJournal old = journal;
                journal = connect(cluster);
                assertNotEquals(old.epoch(), journal.epoch());
                TestCluster.await("the old writer to be fenced", () -> WriterState.FENCED == old.state());
                history.acknowledged(old.epoch(), old.forcedSequence());
                closeFenced(old);
            }
        }
        awaitProgress();
        return outageNs;
    }

    private static void closeFenced(final ReplicatedJournal old)
    {
        try
        {
            old.close();
        }
        catch (final JournalException ex)
        {
            assertTrue(ex instanceof FencedException, ex::toString);
        }
    }

    /** Waits until some more records are acknowledged than were in flight. */
    private long awaitProgress()
    {
        final long beginNs = System.nanoTime();
        final long before = journal.lastSequence();
        TestCluster.await(
            "records to be acknowledged: " + journal,
            () -> null != writerFailure || journal.forcedSequence() > before);
        assertEquals(null, writerFailure);
        return System.nanoTime() - beginNs;
    }

    private static void awaitApplied(final ProcessCluster cluster, final int memberId, final long sequence)
    {
        TestCluster.await("member " + memberId + " to apply " + sequence, () ->
        {
            assertTrue(cluster.isAlive(memberId), () -> "member " + memberId + " ended, see " + cluster.log(memberId));
            final ProcessCluster.State state = cluster.state(memberId);
            return null != state && state.lastSequence() >= sequence;
        });
    }
}
