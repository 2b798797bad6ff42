package io.journal.examples.cqrs;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.Journal;
import io.journal.JournalLockedException;
import io.journal.examples.CrashImage;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(30)
class BankApplicationTest
{
    // Longer than any test: who waits is woken, or the test fails.
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    Path tempDir;

    @Test
    void clientReadsWhatItWroteOnceItWaitedForIt() throws Exception
    {
        try (BankApplication bank = open(directory()))
        {
            openAccounts(bank, 2, 100);
            for (int i = 1; i <= 50; i++)
            {
                final long sequence = bank.commands().handle(new Command.Transfer(1, 2, 1));

                bank.queries().awaitSequence(sequence, LONG);

                assertEquals(100 - i, balance(bank, 1));
                assertEquals(100 + i, balance(bank, 2));
            }
        }
    }

    @Test
    void queriesKnowAllOfItRightAfterARestart() throws Exception
    {
        try (BankApplication bank = open(directory()))
        {
            openAccounts(bank, 2, 100);
            bank.commands().handle(new Command.Withdraw(1, 30));
        }

        for (int i = 0; i < 2; i++)
        {
            try (BankApplication bank = open(directory()))
            {
                assertEquals(new BankTotals(5, 2, 170), bank.queries().totals());
                assertEquals(new AccountSummary(1, 1234, 70, 2), bank.queries().account(1).orElseThrow());
                assertEquals(new AccountSummary(2, 1234, 100, 1), bank.queries().account(2).orElseThrow());
            }
        }
    }

    @Test
    void whatWasAnsweredSurvivesACrash() throws Exception
    {
        final Path crashed;
        try (BankApplication bank = open(directory()))
        {
            openAccounts(bank, 2, 100);
            bank.commands().handle(new Command.Transfer(1, 2, 30));
            crashed = CrashImage.copy(directory(), tempDir.resolve("crashed"));
        }

        try (BankApplication bank = open(crashed))
        {
            assertEquals(new BankTotals(5, 2, 200), bank.queries().totals());
            assertEquals(70, balance(bank, 1));
            assertEquals(130, balance(bank, 2));
            assertThrows(
                CommandRejectedException.class, () -> bank.commands().handle(new Command.Withdraw(1, 71)));
        }
    }

    @Test
    void transfersOfManyThreadsNeverChangeTheTotalThatQueriesSee() throws Exception
    {
        final long seed = System.nanoTime();
        final int accounts = 5;
        final BankTotals expected;
        final ExecutorService executor = Executors.newFixedThreadPool(5);
        try (BankApplication bank = open(directory()))
        {
            openAccounts(bank, accounts, 100);
            final List<Future<Integer>> transfers = new ArrayList<>();
            for (int i = 0; i < 3; i++)
            {
                final Random random = new Random(seed + i);
                transfers.add(executor.submit(() -> transferAtRandom(bank, random, accounts, 400)));
            }
            final CountDownLatch isOver = new CountDownLatch(1);
            final List<Future<Integer>> queries = new ArrayList<>();
            for (int i = 0; i < 2; i++)
            {
                queries.add(executor.submit(() -> checkTotals(bank, isOver, accounts, 100)));
            }

            int done = 0;
            for (final Future<Integer> transfer : transfers)
            {
                done += transfer.get();
            }
            isOver.countDown();
            for (final Future<Integer> query : queries)
            {
                assertTrue(query.get() > 0);
            }

            expected = new BankTotals(2L * accounts + done, accounts, 100L * accounts);
            bank.queries().awaitSequence(expected.sequence(), LONG);
            assertEquals(expected, bank.queries().totals(), "seed=" + seed);
        }
        finally
        {
            executor.shutdownNow();
        }

        try (BankApplication bank = open(directory()))
        {
            assertEquals(expected, bank.queries().totals(), "seed=" + seed);
        }
    }

    @Test
    void everyCommandThatWasAnsweredBeforeTheBankClosedIsThere() throws Exception
    {
        final int threads = 3;
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        int answered = 0;
        try
        {
            final BankApplication bank = open(directory());
            openAccounts(bank, 1, 100);
            final CountDownLatch areBusy = new CountDownLatch(threads);
            final List<Future<Integer>> deposits = new ArrayList<>();
            for (int i = 0; i < threads; i++)
            {
                deposits.add(executor.submit(() -> depositUntilClosed(bank, areBusy)));
            }
            areBusy.await();

            bank.close();

            for (final Future<Integer> deposit : deposits)
            {
                answered += deposit.get();
            }
        }
        finally
        {
            executor.shutdownNow();
        }

        try (BankApplication bank = open(directory()))
        {
            // No less: they were acknowledged. No more: who was refused was told that nothing has changed.
            assertEquals(100 + answered, balance(bank, 1));
        }
    }

    @Test
    void clientThatWaitsIsToldWhenTheBankCloses() throws Exception
    {
        final BankApplication bank = open(directory());
        final AtomicReference<Exception> error = new AtomicReference<>();
        final Thread waiting = startWaiting(bank, error);
        awaitTimedWaiting(waiting);

        bank.close();
        waiting.join();

        assertInstanceOf(IllegalStateException.class, error.get());
    }

    @Test
    void clientThatWaitsCanBeInterrupted() throws Exception
    {
        try (BankApplication bank = open(directory()))
        {
            final AtomicReference<Exception> error = new AtomicReference<>();
            final Thread waiting = startWaiting(bank, error);
            awaitTimedWaiting(waiting);

            waiting.interrupt();
            waiting.join();

            assertInstanceOf(InterruptedException.class, error.get());
            assertEquals(new BankTotals(0, 0, 0), bank.queries().totals());
        }
    }

    @Test
    void journalOfAnotherApplicationIsRefusedAndLeftUnlocked()
    {
        try (Journal journal = CrashImage.settings(directory()).open())
        {
            journal.appender().append(0x7777, new byte[8], 0, 8);
        }

        assertThrows(IllegalStateException.class, () -> open(directory()));

        try (Journal journal = CrashImage.settings(directory()).open())
        {
            assertEquals(1, journal.lastSequence());
        }
    }

    @Test
    void opensOnlyOnceAtATimeAndClosesTwice()
    {
        final BankApplication bank = open(directory());
        assertThrows(JournalLockedException.class, () -> open(directory()));

        bank.close();
        bank.close();

        assertThrows(IllegalStateException.class, () -> bank.commands().handle(new Command.OpenAccount(1)));
        assertThrows(IllegalStateException.class, () -> bank.queries().totals());
        open(directory()).close();
    }

    private static void openAccounts(final BankApplication bank, final int accounts, final long cents)
        throws CommandRejectedException, InterruptedException, TimeoutException
    {
        long sequence = 0;
        for (int accountId = 1; accountId <= accounts; accountId++)
        {
            bank.commands().handle(new Command.OpenAccount(accountId));
            sequence = bank.commands().handle(new Command.Deposit(accountId, cents));
        }
        bank.queries().awaitSequence(sequence, LONG);
    }

    /**
     * @return number of transfers that were not refused.
     */
    private static int transferAtRandom(
        final BankApplication bank, final Random random, final int accounts, final int transfers)
    {
        int done = 0;
        for (int i = 0; i < transfers; i++)
        {
            final int from = random.nextInt(accounts);
            final int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
            try
            {
                bank.commands().handle(new Command.Transfer(from + 1, to + 1, 1 + random.nextInt(60)));
                done++;
            }
            catch (final CommandRejectedException ignore)
            {
                // Not enough money, which is the rule.
            }
        }
        return done;
    }

    /**
     * @return number of queries.
     */
    private static int checkTotals(
        final BankApplication bank, final CountDownLatch isOver, final int accounts, final long cents)
    {
        int count = 0;
        long sequence = 0;
        do
        {
            final BankTotals totals = bank.queries().totals();
            assertEquals(accounts * cents, totals.balanceCents());
            assertTrue(totals.sequence() >= sequence, "went back: " + totals + ", before: sequence=" + sequence);
            sequence = totals.sequence();
            for (int accountId = 1; accountId <= accounts; accountId++)
            {
                assertTrue(balance(bank, accountId) >= 0);
            }
            count++;
        }
        while (isOver.getCount() > 0);
        return count;
    }

    /**
     * @return number of deposits that were answered.
     */
    private static int depositUntilClosed(final BankApplication bank, final CountDownLatch areBusy)
        throws CommandRejectedException
    {
        int answered = 0;
        while (true)
        {
            try
            {
                bank.commands().handle(new Command.Deposit(1, 1));
            }
            catch (final IllegalStateException ex)
            {
                assertEquals("the bank is closed", ex.getMessage());
                return answered;
            }
            answered++;
            areBusy.countDown();
        }
    }

    private static Thread startWaiting(final BankApplication bank, final AtomicReference<Exception> error)
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                bank.queries().awaitSequence(1, LONG);
            }
            catch (final Exception ex)
            {
                error.set(ex);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void awaitTimedWaiting(final Thread thread) throws InterruptedException
    {
        while (Thread.State.TIMED_WAITING != thread.getState())
        {
            if (Thread.interrupted())
            {
                throw new InterruptedException("thread does not wait: " + thread.getState());
            }
            Thread.onSpinWait();
        }
    }

    private static long balance(final BankApplication bank, final long accountId)
    {
        return bank.queries().account(accountId).orElseThrow().balanceCents();
    }

    private Path directory()
    {
        return tempDir.resolve("bank");
    }

    private static BankApplication open(final Path directory)
    {
        return BankApplication.open(
            CrashImage.settings(directory), () -> 1234, new BackoffIdleStrategy(1, 1, 1_000, 1_000_000));
    }
}
