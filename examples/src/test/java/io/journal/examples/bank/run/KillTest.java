// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.journal.examples.bank.BankFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills the server again and again while clients send transfers over HTTP and repeat the transfers that got no answer.
 * Then every command that was answered has one event in the journal, none has two, and no money was made or lost.
 */
@Tag("slow")
class KillTest
{
    private static final int ACCOUNTS = 20;
    private static final int DEPOSIT_CENTS = 100_000;
    private static final int CLIENTS = 64;

    @TempDir
    Path tempDir;

    @Test
    @Timeout(900)
    void everyAnsweredCommandIsThereOnceAfterAFewKills() throws Exception
    {
        killAndCheck(3, 400);
    }

    @Test
    @Tag("soak")
    @Timeout(1_800)
    void everyAnsweredCommandIsThereOnceAfterManyKills() throws Exception
    {
        killAndCheck(Integer.getInteger("bank.kills", 50), 2_000);
    }

    private void killAndCheck(final int kills, final int maxLifeMs) throws Exception
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final List<UUID> executed;
        try (Supervisor supervisor = new Supervisor("--dir=" + tempDir, "--port=0", "--snapshot-every=5000"))
        {
            final LoadClient client = new LoadClient(supervisor.awaitReady(0), ACCOUNTS, seed);
            client.openAccounts(DEPOSIT_CENTS);
            client.start(CLIENTS);
            for (int kill = 1; kill <= kills; kill++)
            {
                client.awaitAnswers(1);
                // Let the server run under load, from almost no time to enough for a snapshot.
                TimeUnit.MILLISECONDS.sleep(20 + random.nextInt(maxLifeMs));
                supervisor.kill("server");
                supervisor.awaitReady(kill);
            }
            executed = client.stop();
            assertTrue(client.repeats() > 0, "no kill hit a command in flight");
            assertEquals(kills + 1, supervisor.starts());
        }

        final String message = "kills=" + kills + " executed=" + executed.size() + " seed=" + seed;
        System.out.println(message);
        final BankFiles files = new BankFiles(tempDir);
        final History history = History.of(files.journal());
        assertTrue(history.hasAll(executed), message);
        history.assertEachOnce(message);
        assertEquals((long)ACCOUNTS * DEPOSIT_CENTS, history.cents(), message);
        history.assertSameIn(files.ledger(), executed, message);
    }
}
