package io.journal.examples.bank.cluster;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.StoredEvent;
import io.journal.examples.bank.domain.Accounts;
import io.journal.examples.bank.read.Ledger;
import io.journal.examples.bank.run.LoadClient;
import io.journal.examples.bank.run.LoadRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills the leader, and the bank's server, while clients send transfers over HTTP. Then every command that was answered
 * has one event in the journals of the members, none has two, and the money is what it was.
 */
class ClusterBankTest
{
    private static final int ACCOUNTS = 20;
    private static final int DEPOSIT_CENTS = 100_000;
    private static final int CONNECTIONS = 32;
    private static final long LOAD_NS = TimeUnit.MILLISECONDS.toNanos(300);

    @TempDir
    Path tempDir;

    @Test
    @Tag("soak")
    @Timeout(1_800)
    void everyAnsweredCommandIsThereOnceAfterTheLossOfLeadersAndServers() throws Exception
    {
        final int kills = Integer.getInteger("bank.kills", 10);
        final long seed = System.nanoTime();
        final ClusterDirectory directory = new ClusterDirectory(tempDir.resolve("bank"));
        final List<UUID> executed;
        try (ClusterSupervisor supervisor = ClusterSupervisor.start(directory.path(), 0, List.of()))
        {
            final int port = supervisor.bank().awaitReady(0);
            assertTrue(port > 0, "the bank does not start");
            LoadRun.openAccounts(port, ACCOUNTS, DEPOSIT_CENTS);
            try (LoadClient client = new LoadClient(port, CONNECTIONS, ACCOUNTS, seed))
            {
                killUnderLoad(supervisor, client, kills, port);
                assertTrue(client.repeatedSends() > 0, "no kill met a command on its way");
                executed = client.executed();
            }
        }

        System.out.println("kills=" + kills + " executed=" + executed.size() + " seed=" + seed);
        assertHolds(directory, executed, "seed=" + seed);
    }

    /** The client runs on this thread; another one kills. */
    private static void killUnderLoad(
        final ClusterSupervisor supervisor, final LoadClient client, final int kills, final int port) throws Exception
    {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread killer = new Thread(() ->
        {
            try
            {
                for (int i = 0; i < kills; i++)
                {
                    // Each kill is followed by answers, of another leader or process.
                    final long answered = client.answered();
                    while (client.answered() < answered + 2 * CONNECTIONS)
                    {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                    if (0 == i % 2)
                    {
                        killLeader(port);
                    }
                    else
                    {
                        supervisor.bank().kill();
                    }
                }
            }
            catch (final Throwable ex)
            {
                failure.set(ex);
            }
        });
        killer.start();
        do
        {
            client.run(LOAD_NS);
        }
        while (killer.isAlive());
        assertNull(failure.get());
    }

    private static void killLeader(final int port) throws Exception
    {
        final HttpResponse<String> response = HttpClient.newHttpClient().send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/kill-leader"))
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString("{}")).build(),
            HttpResponse.BodyHandlers.ofString());
        assertEquals(202, response.statusCode(), response.body());
    }

    private static void assertHolds(final ClusterDirectory directory, final List<UUID> executed, final String message)
    {
        final Map<UUID, Integer> events = new HashMap<>();
        final EventCodec codec = new EventCodec();
        int complete = 0;
        for (int member = 0; member < MemberStates.MEMBERS; member++)
        {
            final Map<UUID, Integer> found = new HashMap<>();
            final Accounts state = new Accounts();
            try (ReadOnlyJournal journal = Journal.openReadOnly(directory.journal(member));
                JournalReader reader = journal.openReader())
            {
                while (reader.poll((buffer, offset, length, header) ->
                {
                    final StoredEvent stored = codec.decode(buffer, offset, length);
                    stored.event().accept(state);
                    found.merge(stored.commandId(), 1, Integer::sum);
                }, Integer.MAX_VALUE) > 0)
                {
                    // Repeat until there are no more events.
                }
            }

            found.forEach((id, count) -> assertEquals(1, count, message));
            assertEquals((long)ACCOUNTS * DEPOSIT_CENTS, state.totalCents(), message);
            // The one that was killed last may not have come back yet.
            complete += found.keySet().containsAll(executed) ? 1 : 0;
            events.putAll(found);
        }

        assertTrue(complete > MemberStates.MEMBERS / 2, message);
        try (Ledger ledger = Ledger.open(new BankDirectory(directory.path()).ledger()))
        {
            assertEquals(executed.size(), ledger.audit(executed).once(), message);
            assertEquals(
                new Ledger.Totals(events.size(), events.size(), 0, (long)ACCOUNTS * DEPOSIT_CENTS), ledger.totals(),
                message);
        }
    }
}
