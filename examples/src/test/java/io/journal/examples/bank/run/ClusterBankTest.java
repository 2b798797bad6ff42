// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.journal.examples.bank.BankFiles;
import io.journal.examples.bank.cluster.ClusterFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills the leader, and the bank's server, while clients send transfers over HTTP. Then every command that was answered
 * has one event in the journals of the members, none has two, and no money was made or lost.
 */
class ClusterBankTest
{
    private static final int ACCOUNTS = 20;
    private static final int DEPOSIT_CENTS = 100_000;
    private static final int CLIENTS = 32;

    @TempDir
    Path tempDir;

    @Test
    @Tag("soak")
    @Timeout(1_800)
    void everyAnsweredCommandIsThereOnceAfterTheLossOfLeadersAndServers() throws Exception
    {
        final int kills = Integer.getInteger("bank.kills", 10);
        final long seed = System.nanoTime();
        final List<UUID> executed;
        try (Supervisor supervisor = new Supervisor("--dir=" + tempDir, "--port=0", "--cluster=true"))
        {
            final LoadClient client = new LoadClient(supervisor.awaitReady(0), ACCOUNTS, seed);
            client.openAccounts(DEPOSIT_CENTS);
            client.start(CLIENTS);
            for (int i = 0; i < kills; i++)
            {
                // Before the next kill, the new leader or the new process must have answered.
                client.awaitAnswers(2 * CLIENTS);
                if (0 == i % 2)
                {
                    assertEquals(202, client.send("/api/kill-leader").statusCode());
                }
                else
                {
                    supervisor.kill("server");
                    supervisor.awaitReady(1 + i / 2);
                }
            }
            client.awaitAnswers(2 * CLIENTS);
            executed = client.stop();
            assertTrue(client.repeats() > 0, "no kill hit a command in flight");
        }

        final String message = "kills=" + kills + " executed=" + executed.size() + " seed=" + seed;
        System.out.println(message);
        final Path directory = tempDir.resolve("cluster");
        final List<History> histories = IntStream.range(0, ClusterFiles.MEMBERS)
            .mapToObj((member) -> History.of(new ClusterFiles(directory).journal(member))).toList();
        histories.forEach((history) -> history.assertEachOnce(message));
        histories.forEach(
            (history) -> assertEquals((long)ACCOUNTS * DEPOSIT_CENTS, history.cents(), message));
        // The member that was killed last may not have caught up yet, so only a majority must have all events.
        final List<History> complete = histories.stream().filter((history) -> history.hasAll(executed)).toList();
        assertTrue(complete.size() > ClusterFiles.MEMBERS / 2, message);
        complete.stream().max((a, b) -> Integer.compare(a.events().size(), b.events().size())).orElseThrow()
            .assertSameIn(new BankFiles(directory).ledger(), executed, message);
    }

    @Test
    @Timeout(900)
    void membersThatCannotBeStartedLeaveNoProcess() throws Exception
    {
        final Set<ProcessHandle> before = children();
        final Path cluster = Files.createDirectories(tempDir.resolve("cluster"));
        // The log file of the third member is a directory. So the first two members start, and the third cannot.
        Files.createDirectory(new ClusterFiles(cluster).log(ClusterFiles.MEMBERS - 1));

        assertThrows(
            CannotStartException.class, () -> new Supervisor("--dir=" + tempDir, "--port=0", "--cluster=true"));

        assertEquals(before, children());
    }

    private static Set<ProcessHandle> children()
    {
        return ProcessHandle.current().children().collect(Collectors.toSet());
    }
}
