package io.journal.examples.bank;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.examples.LogRecords;
import io.journal.examples.bank.command.Answer;
import io.journal.examples.bank.command.SnapshotPolicy;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.BankJournal;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.examples.bank.read.BankTotals;
import io.journal.examples.bank.read.Ledger;
import io.journal.examples.bank.read.ReadModelRunner;
import io.journal.examples.bank.read.TurnoverFollower;
import io.journal.store.Backend;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(900)
class BankApplicationTest
{
    // Longer than any test: a waiting thread is woken, or the test fails.
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    Path tempDir;

    @BeforeEach
    void createDirectory() throws IOException
    {
        Files.createDirectory(tempDir.resolve("bank"));
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

                bank.accounts().awaitSequence(sequence, LONG);

                assertEquals(100 - i, balance(bank, 1));
                assertEquals(100 + i, balance(bank, 2));
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
                bank.accounts().awaitSequence(5, LONG);
                assertEquals(i < 2 ? 0 : 5, bank.startUp().snapshotSequence());
                assertEquals(i < 2 ? 5 : 0, bank.startUp().replayedEvents());
                assertEquals(new BankTotals(5, 2, 170), bank.accounts().totals());
                assertEquals(new Account(1, "Ada", 1234, 70, 3), bank.accounts().account(1).orElseThrow());
                assertEquals(new Account(2, "Ada", 1234, 100, 2), bank.accounts().account(2).orElseThrow());
                if (1 == i)
                {
                    bank.commands().saveSnapshot().get();
                }
                assertEquals(i + 2, bank.status().starts().size());
            }
        }
    }

    @Test
    void transfersOfManyThreadsNeverChangeTheTotalThatQueriesSee() throws Exception
    {
        final long seed = System.nanoTime();
        final int accounts = 5;
        final BankTotals expected;
        final ExecutorService executor = Executors.newFixedThreadPool(5);
        try (BankApplication bank = open())
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
            bank.accounts().awaitSequence(expected.sequence(), LONG);
            assertEquals(expected, bank.accounts().totals(), "seed=" + seed);
        }
        finally
        {
            executor.shutdownNow();
        }

        try (BankApplication bank = open())
        {
            bank.accounts().awaitSequence(expected.sequence(), LONG);
            assertEquals(expected, bank.accounts().totals(), "seed=" + seed);
        }
    }

    @Test
    void readModelsAgreeAlsoWhileOneIsRebuilt() throws Exception
    {
        final AtomicBoolean isRunning = new AtomicBoolean(true);
        final ExecutorService executor = Executors.newFixedThreadPool(2);
        final BankDirectory directory = directory();
        try (BankApplication bank = open())
        {
            final Future<?> follower = executor.submit(() ->
            {
                TurnoverFollower.follow(directory.journal(), directory.turnover(), isRunning::get);
                return null;
            });
            openAccounts(bank, 3, 1_000_000);
            final Future<Integer> transfers =
                executor.submit(() -> transferAtRandom(bank, new Random(1), 3, 500));
            long rebuilt = 0;
            while (!transfers.isDone() || 0 == rebuilt)
            {
                rebuilt += bank.rebuildAccounts();
                assertEquals(3_000_000, bank.accounts().totals().balanceCents());
            }

            final long last = 6 + transfers.get();
            bank.accounts().awaitSequence(last, LONG);
            while (bank.ledger().sequence() < last || bank.status().turnover().sequence() < last)
            {
                Thread.onSpinWait();
            }
            assertEquals(new Ledger.Totals(last, last, 0, 3_000_000), bank.ledger().totals());
            assertEquals(new BankTotals(last, 3, 3_000_000), bank.accounts().totals());
            assertEquals(last, bank.status().turnover().events());
            assertEquals(3_000_000, bank.status().turnover().depositedCents());
            bank.runMaintenance();
            assertEquals(last, bank.status().models().get(2).cursor());
            isRunning.set(false);
            follower.get();
        }
        finally
        {
            executor.shutdownNow();
        }
    }

    @Test
    void readModelStaysIfItCannotBeRebuilt() throws Exception
    {
        final AtomicBoolean isBroken = new AtomicBoolean();
        final BankJournal local = openJournal();
        final BankJournal journal = proxy((method, arguments) ->
        {
            final Object result = method.invoke(local, arguments);
            // Not moveOn, which returns the reader of the model that is in use.
            final boolean isOpened = "openReader".equals(method.getName());
            if (isBroken.get() && isOpened && result instanceof final JournalReader reader)
            {
                reader.close();
            }
            return result;
        });
        try (BankApplication bank = BankApplication.open(directory(), journal, () -> 1234, SnapshotPolicy.MANUAL))
        {
            openAccounts(bank, 2, 100);
            isBroken.set(true);

            try (LogRecords log = new LogRecords(ReadModelRunner.class.getName()))
            {
                assertThrows(IllegalStateException.class, bank::rebuildAccounts);
                assertEquals(List.of("read model failed: name=accounts"), log.messages());
            }

            final long last = execute(bank, new Command.Withdraw(1, 30)).sequence();
            bank.accounts().awaitSequence(last, LONG);
            assertEquals(new BankTotals(last, 2, 170), bank.accounts().totals());
            isBroken.set(false);
            bank.rebuildAccounts();
            assertEquals(new BankTotals(last, 2, 170), bank.accounts().totals());
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
                transferAtOnce(bank, 15_000);
                bank.commands().saveSnapshot().get();
            }
            assertEquals(1, bank.prune());

            final long last = bank.durableSequence();
            TurnoverFollower.follow(
                directory().journal(), directory().turnover(), () -> bank.status().turnover().sequence() < last);
            bank.runMaintenance();
            while (bank.status().models().stream().anyMatch((model) -> model.cursor() < last))
            {
                Thread.onSpinWait();
            }
            assertTrue(bank.prune() > 1);
            bank.rebuildAccounts();
            assertEquals(2_000_000, bank.accounts().totals().balanceCents());
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
            final BankApplication bank = open();
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

        try (BankApplication bank = open())
        {
            bank.accounts().awaitSequence(2 + answered, LONG);
            // No less: they were acknowledged. No more: a submission that is refused changes nothing.
            assertEquals(100 + answered, balance(bank, 1));
        }
    }

    @Test
    void waitingClientGetsAnExceptionWhenTheBankCloses() throws Exception
    {
        final BankApplication bank = open();
        final CompletableFuture<Exception> error = new CompletableFuture<>();
        final Thread waiting = startWaiting(bank, error);
        awaitTimedWaiting(waiting);

        bank.close();

        assertInstanceOf(IllegalStateException.class, error.get());
    }

    @Test
    void clientThatWaitsCanBeInterrupted() throws Exception
    {
        try (BankApplication bank = open())
        {
            final CompletableFuture<Exception> error = new CompletableFuture<>();
            final Thread waiting = startWaiting(bank, error);
            awaitTimedWaiting(waiting);

            waiting.interrupt();

            assertInstanceOf(InterruptedException.class, error.get());
            assertEquals(new BankTotals(0, 0, 0), bank.accounts().totals());
        }
    }

    @Test
    void journalOfAnotherApplicationIsRefusedAndLeftUnlocked()
    {
        try (Journal journal = directory().journalSettings().open())
        {
            journal.appender().append(0x7777, new byte[8], 0, 8);
        }

        assertThrows(IllegalStateException.class, this::open);

        try (Journal journal = directory().journalSettings().open())
        {
            assertEquals(1, journal.lastSequence());
        }
    }

    @Test
    void journalThatCannotBeForcedIsLeftUnlocked() throws Exception
    {
        // It holds the lock.
        Files.createDirectories(directory().journal());
        final FaultStore store = new FaultStore(Backend.MAPPED);
        final Journal journal = directory().journalSettings().store(store).errorHandler((error) ->
        {
            // Failures on purpose.
        }).open();
        store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));
        journal.appender().append(1, new byte[8], 0, 8);

        assertThrows(JournalException.class, () -> new LocalJournal(journal));

        open().close();
    }

    @Test
    void bankOpensWhateverIsLeftOfTheNotesOfItsStarts() throws Exception
    {
        final Path notes = directory().path().resolve("starts.csv");
        open().close();
        // Of a line that was torn, and of one that never reached the device.
        Files.writeString(notes, "5,1\0\0\0\0\n12,3", StandardOpenOption.APPEND);

        try (BankApplication bank = open())
        {
            assertEquals(2, bank.status().starts().size());
        }

        Files.delete(notes);
        Files.createDirectory(notes);
        try (LogRecords log = new LogRecords(BankDirectory.class.getName()); BankApplication bank = open())
        {
            assertEquals(1, bank.status().starts().size());
            assertEquals(List.of("the start is not noted: file=" + notes), log.messages());
        }
    }

    @Test
    void bankThatCannotBeOpenedLeavesNoThread() throws Exception
    {
        final Set<Thread> before = Thread.getAllStackTraces().keySet();
        // Each of the steps after the recovery of the command side.
        for (final String call : List.of("openReader 2", "loadSnapshot 2", "openReader 3"))
        {
            final RuntimeException failure = new IllegalStateException(call);
            final Map<String, Integer> counts = new ConcurrentHashMap<>();
            final AtomicBoolean isClosed = new AtomicBoolean();
            final BankJournal local = openJournal();
            final BankJournal journal = proxy((method, arguments) ->
            {
                if (call.equals(method.getName() + " " + counts.merge(method.getName(), 1, Integer::sum)))
                {
                    throw failure;
                }
                if ("close".equals(method.getName()) && !isClosed.getAndSet(true))
                {
                    assertEquals(Set.of(), bankThreads(before), call);
                }
                return method.invoke(local, arguments);
            });

            assertSame(
                failure, assertThrows(
                    IllegalStateException.class,
                    () -> BankApplication.open(directory(), journal, () -> 1234, SnapshotPolicy.MANUAL)));

            assertTrue(isClosed.get());
            assertEquals(Set.of(), bankThreads(before), call);
        }
        open().close();
    }

    private static Set<Thread> bankThreads(final Set<Thread> before)
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter((thread) -> thread.getName().startsWith("bank-") && !before.contains(thread))
            .collect(Collectors.toSet());
    }

    @Test
    void callbackOfAnAnswerClosesNothing() throws Exception
    {
        final CountDownLatch hasCallback = new CountDownLatch(1);
        final BankJournal local = openJournal();
        final BankJournal journal = proxy((method, arguments) ->
        {
            if (!"onForced".equals(method.getName()))
            {
                return method.invoke(local, arguments);
            }
            local.onForced((sequence) ->
            {
                awaitUninterrupted(hasCallback);
                ((LongConsumer)arguments[0]).accept(sequence);
            });
            return null;
        });
        try (BankApplication bank = BankApplication.open(directory(), journal, () -> 1234, SnapshotPolicy.MANUAL))
        {
            final CompletableFuture<Answer> answer = bank.commands().submit(
                CommandRequest.of(UUID.randomUUID(), new Command.OpenAccount(1, "Ada")));
            final CompletableFuture<Throwable> refused =
                answer.thenApply((opened) -> assertThrows(IllegalStateException.class, bank::close));
            hasCallback.countDown();
            refused.get();

            final long last = execute(bank, new Command.Deposit(1, 5)).sequence();
            bank.accounts().awaitSequence(last, LONG);
            assertEquals(new BankTotals(last, 1, 5), bank.accounts().totals());
        }
    }

    @Test
    void opensOnlyOnceAtATimeAndClosesTwice() throws Exception
    {
        final BankApplication bank = open();
        assertThrows(JournalLockedException.class, this::open);

        bank.close();
        bank.close();

        assertThrows(IllegalStateException.class, () -> execute(bank, new Command.OpenAccount(1, "Ada")));
        assertThrows(IllegalStateException.class, () -> bank.accounts().totals());
        assertThrows(IllegalStateException.class, () -> bank.ledger().audit(List.of()));
        open().close();
    }

    private static void openAccounts(final BankApplication bank, final int accounts, final long cents)
        throws Exception
    {
        long sequence = 0;
        for (int accountId = 1; accountId <= accounts; accountId++)
        {
            execute(bank, new Command.OpenAccount(accountId, "Ada"));
            sequence = execute(bank, new Command.Deposit(accountId, cents)).sequence();
        }
        bank.accounts().awaitSequence(sequence, LONG);
    }

    /**
     * @return number of transfers that were not rejected.
     */
    private static int transferAtRandom(
        final BankApplication bank, final Random random, final int accounts, final int transfers) throws Exception
    {
        int done = 0;
        for (int i = 0; i < transfers; i++)
        {
            final int from = random.nextInt(accounts);
            final int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
            if (execute(bank, new Command.Transfer(from + 1, to + 1, 1 + random.nextInt(60))).isExecuted())
            {
                done++;
            }
        }
        return done;
    }

    private static void transferAtOnce(final BankApplication bank, final int transfers) throws Exception
    {
        final List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < transfers; i++)
        {
            answers.add(
                bank.commands().submit(CommandRequest.of(UUID.randomUUID(), new Command.Transfer(1, 2, 1))));
            if (answers.size() == 4_000)
            {
                CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get();
                answers.clear();
            }
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get();
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
            final BankTotals totals = bank.accounts().totals();
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
    private static int depositUntilClosed(final BankApplication bank, final CountDownLatch areBusy) throws Exception
    {
        int answered = 0;
        while (true)
        {
            final CompletableFuture<Answer> answer;
            try
            {
                answer = bank.commands().submit(CommandRequest.of(UUID.randomUUID(), new Command.Deposit(1, 1)));
            }
            catch (final IllegalStateException ex)
            {
                assertEquals("the bank is closed", ex.getMessage());
                return answered;
            }
            if (answer.handle((ok, error) -> null == error).get())
            {
                answered++;
                areBusy.countDown();
            }
        }
    }

    private static Thread startWaiting(final BankApplication bank, final CompletableFuture<Exception> error)
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                bank.accounts().awaitSequence(1, LONG);
            }
            catch (final Exception ex)
            {
                error.complete(ex);
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

    private static Answer execute(final BankApplication bank, final Command command) throws Exception
    {
        return bank.commands().submit(CommandRequest.of(UUID.randomUUID(), command)).get();
    }

    private static long balance(final BankApplication bank, final long accountId)
    {
        return bank.accounts().account(accountId).orElseThrow().balanceCents();
    }

    /** A call of a journal. */
    private interface Calls
    {
        Object call(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static BankJournal proxy(final Calls calls)
    {
        return (BankJournal)Proxy.newProxyInstance(
            BankJournal.class.getClassLoader(), new Class<?>[]{ BankJournal.class }, (proxy, method, arguments) ->
            {
                try
                {
                    return calls.call(method, arguments);
                }
                catch (final InvocationTargetException ex)
                {
                    throw ex.getCause();
                }
            });
    }

    private static void awaitUninterrupted(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    private BankJournal openJournal()
    {
        return new LocalJournal(directory().journalSettings().open());
    }

    private BankDirectory directory()
    {
        return new BankDirectory(tempDir.resolve("bank"));
    }

    private BankApplication open() throws IOException
    {
        return BankApplication.open(directory(), openJournal(), () -> 1234, SnapshotPolicy.MANUAL);
    }
}
