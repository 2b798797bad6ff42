// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

import org.agrona.IoUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults under load for members in processes of their own, round by round; after each round all members have each
 * acknowledged record once. {@code -Djournal.test.rounds=100} sets the number of rounds of each test.
 */
@Tag("soak")
class SoakTest
{
    private static final int ROUNDS = Integer.getInteger("journal.test.rounds", 5);
    private static final int SEGMENT_LENGTH = 1024 * 1024;
    // On a machine that is busy with other things, 1 s may elect a leader for no reason.
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofMillis(Long.getLong("journal.test.heartbeat", 1_000));
    private static final int PAUSE_MS = 3_000;
    // Longer than Aeron's own limits, and shorter than the limits of a member.
    private static final int LONG_PAUSE_MS = 30_000;
    private static final int HANG_MS = 12_000;

    @TempDir
    private Path directory;
    private final Random random = new Random(4711);

    /** One kind of fault. */
    @FunctionalInterface
    private interface Scenario
    {
        void inject(ProcessCluster cluster, SoakRun soak, int round) throws Exception;
    }

    @Test
    void leaderIsKilled() throws Exception
    {
        soak("SIGKILL of the leader", settings(), (cluster, soak, round) ->
        {
            final int leader = soak.leader();
            cluster.kill(leader);
            soak.awaitProgress();
            cluster.start(leader);
        });
    }

    @Test
    void followerIsKilled() throws Exception
    {
        soak("SIGKILL of a follower", settings(), (cluster, soak, round) ->
        {
            final int follower = follower(soak.leader());
            cluster.kill(follower);
            soak.awaitProgress();
            cluster.start(follower);
        });
    }

    @Test
    void leaderIsPaused() throws Exception
    {
        soak("pause of the leader", settings(), (cluster, soak, round) ->
        {
            final int leader = soak.leader();
            cluster.signal(leader, "STOP");
            soak.awaitProgress();
            Thread.sleep(isLong(round) ? LONG_PAUSE_MS : 0);
            cluster.signal(leader, "CONT");
            soak.awaitCaughtUp(leader);
        });
    }

    @Test
    void followerIsPaused() throws Exception
    {
        soak("pause of a follower", settings(), (cluster, soak, round) ->
        {
            final int follower = follower(soak.leader());
            cluster.signal(follower, "STOP");
            // A pause for longer than the leader waits for a follower.
            Thread.sleep(isLong(round) ? LONG_PAUSE_MS : PAUSE_MS);
            cluster.signal(follower, "CONT");
            soak.awaitCaughtUp(follower);
        });
    }

    private static boolean isLong(final int round)
    {
        return 1 == round % 10;
    }

    @Test
    void twoOfThreeAreKilled() throws Exception
    {
        soak("SIGKILL of two of three", settings(), (cluster, soak, round) ->
        {
            final int leader = soak.leader();
            final int follower = follower(leader);
            cluster.kill(leader);
            cluster.kill(follower);
            cluster.start(leader);
            cluster.start(follower);
        });
    }

    @Test
    void allAreKilledAtOnce() throws Exception
    {
        final MemberProcess.Settings forced =
            new MemberProcess.Settings(true, HEARTBEAT_TIMEOUT, 20_000, SEGMENT_LENGTH);
        soak("SIGKILL of all", forced, (cluster, soak, round) ->
        {
            for (int i = 0; i < Placement.MEMBERS; i++)
            {
                cluster.kill(i);
            }
            for (int i = 0; i < Placement.MEMBERS; i++)
            {
                cluster.start(i);
            }
        });
    }

    @Test
    void followerIsWipedAndSeededAfterAPrune() throws Exception
    {
        final MemberProcess.Settings snapshots =
            new MemberProcess.Settings(false, HEARTBEAT_TIMEOUT, 1_000, SEGMENT_LENGTH);
        soak("wiped disk of a follower", snapshots, (cluster, soak, round) ->
        {
            soak.prune();
            final int leader = soak.leader();
            final int follower = follower(leader);
            cluster.kill(follower);
            IoUtil.delete(cluster.directory(follower).toFile(), false);
            MemberSeed.copy(cluster.directory(leader), cluster.directory(follower), follower);
            cluster.start(follower);
        });
    }

    @Test
    void membersAreRestartedOneByOne() throws Exception
    {
        soak("rolling restart", settings(), (cluster, soak, round) ->
        {
            final int leader = soak.leader();
            for (int i = 1; i <= Placement.MEMBERS; i++)
            {
                // Restart the leader last.
                final int memberId = (leader + i) % Placement.MEMBERS;
                cluster.stop(memberId);
                cluster.start(memberId);
                soak.awaitCaughtUp(memberId);
            }
        });
    }

    @Test
    void writerIsReplaced() throws Exception
    {
        soak("second writer", settings(), (cluster, soak, round) -> soak.replaceWriter());
    }

    @Test
    void leaderIsIsolated() throws Exception
    {
        try (Namespaces network = Namespaces.create())
        {
            soak("partition", network.placement(directory), settings(), (cluster, soak, round) ->
            {
                final int leader = soak.leader();
                isolate(network, leader, Partition.values()[round % Partition.values().length]);
                soak.awaitLeaderOtherThan(leader);
                soak.awaitProgress();
                network.heal();
            });
        }
    }

    /** Packets that are dropped. */
    private enum Partition
    {
        /** All packets from and to the leader. */
        ALL,
        /** All packets between the leader and other members: the writer still reaches the leader. */
        MEMBERS,
        /** Packets from the leader to other members: it still hears from them. */
        FROM_LEADER,
        /** Packets from other members to the leader: they still hear from it. */
        TO_LEADER
    }

    private static void isolate(final Namespaces network, final int leader, final Partition partition)
        throws IOException
    {
        for (int i = 0; i < (Partition.ALL == partition ? Namespaces.WRITER + 1 : Placement.MEMBERS); i++)
        {
            if (i != leader && Partition.TO_LEADER != partition)
            {
                network.drop(leader, i);
            }
            if (i != leader && Partition.FROM_LEADER != partition)
            {
                network.drop(i, leader);
            }
        }
    }

    @Test
    void diskOfAMemberIsFull() throws Exception
    {
        final int memberId = 1;
        final Path mount = Files.createDirectories(directory.resolve("disk"));
        try (SmallDisk disk = SmallDisk.mount(mount, 512))
        {
            final Placement placement = Placement.loopback(directory).with(memberId, disk.path.resolve("member"));
            soak("full disk of a member", placement, settings(), (cluster, soak, round) ->
            {
                disk.fill();
                TestCluster.await("the member to end", () -> !cluster.isAlive(memberId));
                soak.awaitProgress();
                disk.free();
                cluster.start(memberId);
            });
        }
    }

    @Test
    void diskOfAMemberHangs() throws Exception
    {
        final int memberId = 1;
        final Path mount = Files.createDirectories(directory.resolve("disk"));
        try (SmallDisk disk = SmallDisk.mount(mount, 512))
        {
            final Placement placement = Placement.loopback(directory).with(memberId, disk.path.resolve("member"));
            soak("hanging disk of a member", placement, settings(), (cluster, soak, round) ->
            {
                disk.suspend();
                try
                {
                    soak.awaitProgress();
                    Thread.sleep(HANG_MS);
                    soak.awaitProgress();
                }
                finally
                {
                    disk.resume();
                }
                startUnlessAlive(cluster, soak, memberId);
            });
        }
    }

    /** A member whose disk hung for longer than 10 s ends by itself, or continues. */
    private static void startUnlessAlive(final ProcessCluster cluster, final SoakRun soak, final int memberId)
    {
        if (!soak.isCaughtUpUnlessEnded(memberId))
        {
            cluster.start(memberId);
        }
    }

    private static MemberProcess.Settings settings()
    {
        return new MemberProcess.Settings(false, HEARTBEAT_TIMEOUT, 20_000, SEGMENT_LENGTH);
    }

    private int follower(final int leader)
    {
        return (leader + 1 + random.nextInt(Placement.MEMBERS - 1)) % Placement.MEMBERS;
    }

    private void soak(final String name, final MemberProcess.Settings settings, final Scenario scenario)
        throws Exception
    {
        soak(name, Placement.loopback(directory), settings, scenario);
    }

    private void soak(
        final String name, final Placement placement, final MemberProcess.Settings settings, final Scenario scenario)
        throws Exception
    {
        try (ProcessCluster cluster = new ProcessCluster(directory, placement, settings);
            SoakRun run = new SoakRun(name, cluster))
        {
            run.run(ROUNDS, (round) -> scenario.inject(cluster, run, round));
        }
    }
}
