// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.Journal;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.examples.LogRecords;
import io.journal.examples.bank.command.Answer;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.BankJournal;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.examples.bank.read.AccountsView;
import io.journal.examples.bank.read.LedgerQueries;
import io.journal.examples.bank.read.ReadModelRunner;
import io.journal.examples.bank.read.Turnover;
import io.journal.examples.bank.read.TurnoverFollower;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
@Timeout(900)
class BankApplicationTest
{
    // Longer than any test, so a wait ends only by success or by the timeout of the test.
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    Path tempDir;

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void shutDown()
    {
        executor.shutdownNow();
    }

    @Test
    void clientReadsWhatItWroteOnceItWaitedForIt() throws Exception
    {
        try (BankApplication bank = open())
        {
            openAccounts(bank, 2, 100);
            for (int i = 1; i <= 50; i++)
            {
                final long sequence = execute(bank, new Command.Transfer(1, 2, 1)).sequence();

                final List<Account> accounts = bank.accounts().await(sequence, LONG).accounts(2);

                assertEquals(100 - i, accounts.get(0).cents());
                assertEquals(100 + i, accounts.get(1).cents());
            }
        }
    }

    @Test
    void queriesKnowAllOfItAfterARestartFromHistoryAndFromASnapshot() throws Exception
    {
        try (BankApplication bank = open())
        {
            openAccounts(bank, 2, 100);
            execute(bank, new Command.Withdraw(1, 30));
        }

        for (int i = 0; i < 3; i++)
        {
            try (BankApplication bank = open())
            {
                final AccountsView view = bank.accounts().await(5, LONG);
                assertEquals(new AccountsView.Totals(5, 2, 170), view.totals());
                assertEquals(
                    List.of(new Account(1, "Ada", 1234, 70, 3), new Account(2, "Ada", 1234, 100, 2)),
                    view.accounts(2));
                assertEquals(i < 2 ? 0 : 5, bank.status().start().snapshot());
                assertEquals(5, bank.status().start().events());
                if (1 == i)
                {
                    bank.commands().saveSnapshot().get();
                }
            }
        }
    }

    @Test
    void transfersOfManyThreadsNeverChangeTheTotalThatQueriesSee() throws Exception
    {
        final long seed = 1;
        try (BankApplication bank = open())
        {
            openAccounts(bank, 5, 100);
            final List<Future<Integer>> transfers = new ArrayList<>();
            for (int i = 0; i < 3; i++)
            {
                final Random random = new Random(seed + i);
                transfers.add(executor.submit(() -> transferAtRandom(bank, random, 5, 400)));
            }
            long queries = 0;
            while (0 == queries || transfers.stream().anyMatch((transfer) -> !transfer.isDone()))
            {
                final AccountsView.Totals totals = bank.accounts().await(10, LONG).totals();
                assertEquals(new AccountsView.Totals(totals.sequence(), 5, 500), totals, "seed=" + seed);
                queries++;
            }

            long last = 10;
            for (final Future<Integer> transfer : transfers)
            {
                last += transfer.get();
            }
            assertEquals(
                new AccountsView.Totals(last, 5, 500), bank.accounts().await(last, LONG).totals(), "seed=" + seed);
        }
    }

    @Test
    void readModelsAgreeAlsoWhileOneIsRebuilt() throws Exception
    {
        final AtomicBoolean isRunning = new AtomicBoolean(true);
        try (BankApplication bank = open())
        {
            final Future<?> follower = executor.submit(() ->
            {
                TurnoverFollower.follow(files().journal(), files().turnover(), isRunning::get);
                return null;
            });
            openAccounts(bank, 3, 1_000_000);
            final Future<Integer> transfers = executor.submit(() -> transferAtRandom(bank, new Random(1), 3, 500));
            long rebuilt = 0;
            while (!transfers.isDone() || 0 == rebuilt)
            {
                rebuilt += bank.rebuildAccounts();
                assertEquals(3_000_000, bank.accounts().await(6, LONG).totals().cents());
            }

            final long last = 6 + transfers.get();
            assertEquals(
                new AccountsView.Totals(last, 3, 3_000_000), bank.accounts().await(last, LONG).totals());
            assertEquals(
                new LedgerQueries.Totals(last, 0, 3_000_000), bank.ledger().await(last, LONG).queries().totals());
            while (lagOfTurnover(bank) > 0)
            {
                Thread.onSpinWait();
            }
            final Turnover turnover = Turnover.read(files().turnover());
            assertEquals(last, turnover.events());
            assertEquals(3_000_000, turnover.depositedCents());
            isRunning.set(false);
            follower.get();
        }
    }

    @Test
    void readModelStaysIfItCannotBeRebuilt() throws Exception
    {
        final AtomicBoolean isBroken = new AtomicBoolean();
        final BankJournal local = openJournal();
        final BankJournal journal = (BankJournal)Proxy.newProxyInstance(
            BankJournal.class.getClassLoader(), new Class<?>[]{ BankJournal.class }, (proxy, method, arguments) ->
            {
                final Object result = method.invoke(local, arguments);
                if (isBroken.get() && "openReader".equals(method.getName()))
                {
                    ((JournalReader)result).close();
                }
                return result;
            });
        try (BankApplication bank = new BankApplication(files(), journal, () -> 1234, 0))
        {
            openAccounts(bank, 2, 100);
            isBroken.set(true);

            try (LogRecords log = new LogRecords(ReadModelRunner.class.getName()))
            {
                assertThrows(IllegalStateException.class, bank::rebuildAccounts);
                assertEquals(List.of("read model failed: name=accounts"), log.messages());
            }

            final long last = execute(bank, new Command.Withdraw(1, 30)).sequence();
            assertEquals(new AccountsView.Totals(last, 2, 170), bank.accounts().await(last, LONG).totals());
            isBroken.set(false);
            bank.rebuildAccounts();
            assertEquals(new AccountsView.Totals(last, 2, 170), bank.accounts().model().totals());
        }
    }

    @Test
    void historyIsPrunedOnlyWhenTheFollowerHasSeenIt() throws Exception
    {
        try (BankApplication bank = open())
        {
            openAccounts(bank, 2, 1_000_000);
            for (int i = 0; i < 2; i++)
            {
                transferAtOnce(bank, 20_000);
                bank.commands().saveSnapshot().get();
            }
            assertEquals(1, bank.journal().snapshots().prune());

            TurnoverFollower.follow(
                files().journal(), files().turnover(), () -> lagOfTurnover(bank) > 0);
            bank.runMaintenance();
            while (1 == bank.journal().snapshots().prune())
            {
                // Repeat until the cursors of the other models are saved: they hold back prune.
                Thread.onSpinWait();
            }
            bank.rebuildAccounts();
            assertEquals(2_000_000, bank.accounts().model().totals().cents());
        }
    }

    @Test
    void everyCommandThatWasAnsweredBeforeTheBankClosedIsThere() throws Exception
    {
        final BankApplication bank = open();
        openAccounts(bank, 1, 100);
        final CountDownLatch areBusy = new CountDownLatch(3);
        final List<Future<Integer>> deposits = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            deposits.add(executor.submit(() -> depositUntilClosed(bank, areBusy)));
        }
        areBusy.await();

        bank.close();
        bank.close();

        int answered = 0;
        for (final Future<Integer> deposit : deposits)
        {
            answered += deposit.get();
        }
        try (BankApplication again = open())
        {
            // All acknowledged deposits are there, and no others: a refused submission changes nothing.
            assertEquals(100 + answered, again.accounts().await(2 + answered, LONG).totals().cents());
        }
    }

    @Test
    void journalOfAnotherApplicationIsRefusedAndLeftUnlocked() throws IOException
    {
        try (Journal journal = LocalJournal.settings(files().journal()).open())
        {
            journal.appender().append(77, new byte[8]);
        }

        assertThrows(IllegalStateException.class, this::open);

        try (BankJournal journal = openJournal())
        {
            assertEquals(1, journal.forcedSequence());
            assertThrows(JournalLockedException.class, this::open);
        }
    }

    private BankFiles files()
    {
        return new BankFiles(tempDir);
    }

    private BankJournal openJournal()
    {
        return new LocalJournal(LocalJournal.settings(files().journal()).open());
    }

    private BankApplication open() throws IOException
    {
        return new BankApplication(files(), openJournal(), () -> 1234, 0);
    }

    private static long lagOfTurnover(final BankApplication bank)
    {
        try
        {
            return bank.status().models().get(2).lag();
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
    }

    private static void openAccounts(final BankApplication bank, final int accounts, final long cents)
        throws Exception
    {
        for (int account = 1; account <= accounts; account++)
        {
            execute(bank, new Command.OpenAccount(account, "Ada"));
            execute(bank, new Command.Deposit(account, cents));
        }
    }

    private static Answer execute(final BankApplication bank, final Command command) throws Exception
    {
        return bank.commands().submit(CommandRequest.of(UUID.randomUUID(), command)).get();
    }

    private static int transferAtRandom(
        final BankApplication bank, final Random random, final int accounts, final int count) throws Exception
    {
        int done = 0;
        for (int i = 0; i < count; i++)
        {
            final int from = random.nextInt(accounts);
            final int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
            final Answer answer = execute(bank, new Command.Transfer(from + 1, to + 1, 1 + random.nextInt(50)));
            done += answer.isExecuted() ? 1 : 0;
        }
        return done;
    }

    private static void transferAtOnce(final BankApplication bank, final int count) throws Exception
    {
        final List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            answers.add(bank.commands().submit(
                CommandRequest.of(UUID.randomUUID(), new Command.Transfer(1 + i % 2, 2 - i % 2, 1))));
            if (0 == i % 1_000)
            {
                answers.get(i).get();
            }
        }
        for (final CompletableFuture<Answer> answer : answers)
        {
            assertTrue(answer.get().isExecuted());
        }
    }

    private static int depositUntilClosed(final BankApplication bank, final CountDownLatch areBusy) throws Exception
    {
        for (int answered = 0;; answered++)
        {
            try
            {
                assertTrue(execute(bank, new Command.Deposit(1, 1)).isExecuted());
            }
            catch (final IllegalStateException ex)
            {
                return answered;
            }
            if (10 == answered)
            {
                areBusy.countDown();
            }
        }
    }
}
