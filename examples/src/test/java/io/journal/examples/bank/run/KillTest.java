package io.journal.examples.bank.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.StoredEvent;
import io.journal.examples.bank.domain.Accounts;
import io.journal.examples.bank.read.Ledger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills the server again and again while clients send transfers over HTTP, and repeat those that got no answer. Then
 * every command that was answered has one event in the journal, none has two, and the money is what it was.
 */
class KillTest
{
    private static final int ACCOUNTS = 20;
    private static final int DEPOSIT_CENTS = 100_000;
    private static final int CONNECTIONS = 64;

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
        final BankDirectory directory = new BankDirectory(tempDir.resolve("bank"));
        final List<UUID> executed;
        try (Supervisor supervisor = Supervisor.start(directory.path(), 0, List.of("--snapshot-every=5000")))
        {
            final int port = supervisor.awaitReady(0);
            LoadRun.openAccounts(port, ACCOUNTS, DEPOSIT_CENTS);
            try (LoadClient client = new LoadClient(port, CONNECTIONS, ACCOUNTS, seed))
            {
                killUnderLoad(supervisor, client, kills, maxLifeMs, new Random(seed));
                assertTrue(client.repeatedSends() > 0, "no kill met a command on its way");
                executed = client.executed();
            }
            assertEquals(kills + 1, supervisor.starts());
        }

        System.out.println("kills=" + kills + " executed=" + executed.size() + " seed=" + seed);
        assertHolds(directory, executed, "seed=" + seed);
    }

    /** The client runs on this thread; another one kills. */
    private static void killUnderLoad(
        final Supervisor supervisor, final LoadClient client, final int kills, final int maxLifeMs, final Random random)
        throws Exception
    {
        final List<Throwable> failures = new ArrayList<>();
        final Thread killer = new Thread(() ->
        {
            try
            {
                for (int kill = 1; kill <= kills; kill++)
                {
                    final long answered = client.answered();
                    while (answered == client.answered())
                    {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                    // Some time under load, from almost none to enough for a snapshot.
                    TimeUnit.MILLISECONDS.sleep(20 + random.nextInt(maxLifeMs));
                    supervisor.kill();
                    supervisor.awaitReady(kill);
                }
            }
            catch (final InterruptedException ex)
            {
                failures.add(ex);
            }
        });
        killer.start();
        do
        {
            client.run(TimeUnit.MILLISECONDS.toNanos(300));
        }
        while (killer.isAlive());
        killer.join();
        assertEquals(List.of(), failures);
    }

    private static void assertHolds(final BankDirectory directory, final List<UUID> executed, final String message)
    {
        final Map<UUID, Integer> events = new HashMap<>();
        final Accounts accounts = new Accounts();
        final EventCodec codec = new EventCodec();
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory.journal());
            JournalReader reader = journal.openReader(JournalReader.Limit.FORCED))
        {
            while (reader.poll((buffer, offset, length, header) ->
            {
                final StoredEvent stored = codec.decode(buffer, offset, length);
                stored.event().accept(accounts);
                events.merge(stored.commandId(), 1, Integer::sum);
            }, Integer.MAX_VALUE) > 0)
            {
                // Repeat until there are no more events.
            }
        }

        executed.forEach((id) -> assertEquals(1, events.get(id), message));
        events.forEach((id, count) -> assertEquals(1, count, message));
        assertEquals((long)ACCOUNTS * DEPOSIT_CENTS, accounts.totalCents(), message);
        try (Ledger ledger = Ledger.open(directory.ledger()))
        {
            assertEquals(executed.size(), ledger.audit(executed).once(), message);
            assertEquals(
                new Ledger.Totals(events.size(), events.size(), 0, accounts.totalCents()), ledger.totals(), message);
        }
    }
}
