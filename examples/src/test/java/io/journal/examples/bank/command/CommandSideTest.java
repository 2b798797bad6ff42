// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.domain.Rejection.Reason;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.store.Backend;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The journal has no background thread, so nothing becomes durable before a test invokes the background agent. */
@Timeout(900)
class CommandSideTest
{
    @TempDir
    Path tempDir;

    private final AtomicBoolean isMemoryGone = new AtomicBoolean();
    private final CountDownLatch inDecision = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final FaultStore store = new FaultStore(Backend.MAPPED);
    private Journal journal;
    private Recovery recovered;
    private CommandSide commands;

    @BeforeEach
    void open()
    {
        open(0);
    }

    @AfterEach
    void close()
    {
        CloseHelper.quietCloseAll(commands, journal);
    }

    @Test
    void commandIsAnsweredWhenItsEventIsDurable() throws Exception
    {
        final CompletableFuture<Answer> answer = submit(new Command.OpenAccount(1, "Ada"));
        awaitAppended(1);
        assertFalse(answer.isDone());

        assertEquals(new Answer(1, false, null), await(answer));
        assertEquals(1, journal.forcedSequence());
    }

    @Test
    void commandThatIsRejectedAppendsNothing() throws Exception
    {
        assertRejected(Reason.NO_ACCOUNT, new Command.Deposit(1, 5));
        execute(new Command.OpenAccount(1, "Ada"));
        assertRejected(Reason.OVERDRAFT, new Command.Withdraw(1, 5));

        assertEquals(1, journal.lastSequence());
    }

    @Test
    void rulesKnowWhatHappenedBeforeARestart() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        execute(new Command.Deposit(1, 5));

        reopen();

        assertRejected(Reason.ACCOUNT_EXISTS, new Command.OpenAccount(1, "Ada"));
        assertRejected(Reason.OVERDRAFT, new Command.Withdraw(1, 6));
        assertEquals(new Answer(3, false, null), execute(new Command.Withdraw(1, 5)));
    }

    @Test
    void repeatedCommandIsAnsweredAgainAndExecutedOnce() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        final CommandRequest deposit = CommandRequest.of(UUID.randomUUID(), new Command.Deposit(1, 5));

        assertEquals(new Answer(2, false, null), await(commands.submit(deposit)));
        assertEquals(new Answer(2, true, null), await(commands.submit(deposit)));
        reopen();
        assertEquals(new Answer(2, true, null), await(commands.submit(deposit)));
        commands.saveSnapshot().get();
        reopen();
        assertEquals(2, recovered.snapshot());
        assertEquals(new Answer(2, true, null), await(commands.submit(deposit)));

        assertEquals(2, journal.lastSequence());
    }

    @Test
    void commandThatExpectsAnotherVersionIsRejected() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        execute(new Command.Deposit(1, 5));

        final Command withdraw = new Command.Withdraw(1, 5);
        final Answer early = await(commands.submit(new CommandRequest(UUID.randomUUID(), withdraw, 1L)));
        assertEquals(Reason.VERSION_CONFLICT, early.rejection().reason());
        assertTrue(await(commands.submit(new CommandRequest(UUID.randomUUID(), withdraw, 2L))).isExecuted());
    }

    @Test
    void commandsShareAnFsync() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = submitDeposits(1_000);
        awaitAppended(1_001);
        assertEquals(0, answers.stream().filter(CompletableFuture::isDone).count());
        final long forces = journal.counters().forces();

        for (final CompletableFuture<Answer> answer : answers)
        {
            assertTrue(await(answer).isExecuted());
        }

        // All commands share one fsync. The other fsyncs are those of segments that are being prepared.
        assertTrue(journal.counters().forces() - forces < 10, journal.counters()::toString);
    }

    @Test
    void rejectionWaitsUntilWhatItDependsOnIsDurable() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        execute(new Command.Deposit(1, 5));

        final CompletableFuture<Answer> first = submit(new Command.Withdraw(1, 5));
        final CompletableFuture<Answer> second = submit(new Command.Withdraw(1, 5));
        submit(new Command.Deposit(1, 1));
        awaitAppended(4);
        assertFalse(first.isDone());
        assertFalse(second.isDone());

        assertTrue(await(first).isExecuted());
        assertEquals(Reason.OVERDRAFT, await(second).rejection().reason());
    }

    @Test
    void commandsOnTheirWayAreAnsweredWhenTheBankCloses() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = submitDeposits(100);

        commands.close();

        assertTrue(answers.stream().allMatch(CompletableFuture::isDone));
        assertThrows(IllegalStateException.class, () -> submit(new Command.Deposit(1, 1)));
        commands.close();
        reopen();
        assertTrue(execute(new Command.Withdraw(1, 100)).isExecuted());
    }

    @Test
    void tooManyCommandsAtATimeAreTurnedAway() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = submitDeposits(CommandSide.MAX_PENDING);

        assertThrows(BankBusyException.class, () -> submit(new Command.Deposit(1, 1)));
        assertEquals(CommandSide.MAX_PENDING, commands.pending());

        for (final CompletableFuture<Answer> answer : answers)
        {
            assertTrue(await(answer).isExecuted());
        }
        assertTrue(execute(new Command.Withdraw(1, answers.size())).isExecuted());
    }

    @Test
    void failedFsyncAnswersNothingAndEndsTheBank() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));

        final CompletableFuture<Answer> answer = submit(new Command.Deposit(1, 5));
        awaitAppended(2);
        while (!journal.counters().isFailed())
        {
            journal.backgroundAgent().doWork();
        }
        assertFalse(answer.isDone());
        commands.fail(new IllegalStateException("storage failed"));

        assertThrows(ExecutionException.class, answer::get);
        assertThrows(IllegalStateException.class, () -> submit(new Command.Deposit(1, 5)));
        store.faults(FaultPlan.none());
        CloseHelper.quietCloseAll(commands, journal);
        open(0);
        assertRejected(Reason.ACCOUNT_EXISTS, new Command.OpenAccount(1, "Ada"));
    }

    @Test
    void errorAnswersAllCommandsAndSavesNoSnapshot() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        isMemoryGone.set(true);
        final CompletableFuture<Answer> failing = submit(new Command.OpenAccount(2, "Bob"));
        await(inDecision);
        final CompletableFuture<Answer> next = submit(new Command.Deposit(1, 5));
        final CompletableFuture<Long> snapshot = commands.saveSnapshot();

        release.countDown();

        assertInstanceOf(OutOfMemoryError.class, assertThrows(ExecutionException.class, failing::get).getCause());
        final Throwable refused = assertThrows(ExecutionException.class, next::get).getCause();
        assertEquals("the bank has failed", refused.getMessage());
        assertInstanceOf(OutOfMemoryError.class, refused.getCause());
        assertThrows(ExecutionException.class, snapshot::get);
        assertThrows(IllegalStateException.class, () -> submit(new Command.Deposit(1, 5)));
        commands.close();
        assertEquals(1, journal.lastSequence());
        isMemoryGone.set(false);
        reopen();
        assertEquals(0, recovered.snapshot());
    }

    @Test
    void fullDiskChangesNothingAndTheSameCommandWorksOnceThereIsSpace() throws Exception
    {
        execute(new Command.OpenAccount(1, "Ada"));
        store.capacity(store.usedBytes());
        Throwable refusal = null;
        while (null == refusal)
        {
            final CompletableFuture<Answer> deposit = submit(new Command.Deposit(1, 1));
            while (!deposit.isDone())
            {
                journal.backgroundAgent().doWork();
            }
            refusal = deposit.handle((answer, error) -> error).get();
        }
        assertInstanceOf(BankBusyException.class, refusal);
        final long last = journal.lastSequence();

        store.capacity(Long.MAX_VALUE);

        assertEquals(new Answer(last + 1, false, null), execute(new Command.Withdraw(1, last - 1)));
    }

    @Test
    void recordThatIsNoEventIsRefused()
    {
        journal.appender().append(77, new byte[8]);
        commands.close();
        journal.close();

        assertThrows(IllegalStateException.class, this::open);
    }

    @Test
    void snapshotsAreSavedAfterSoManyEventsAndHistoryIsPruned() throws Exception
    {
        commands.close();
        journal.close();
        open(1_000);
        execute(new Command.OpenAccount(1, "Ada"));
        while (1 == journal.firstSequence())
        {
            for (final CompletableFuture<Answer> answer : submitDeposits(500))
            {
                await(answer);
            }
        }

        final long last = journal.lastSequence();
        reopen();

        assertTrue(recovered.snapshot() > 1_000, recovered::toString);
        assertTrue(execute(new Command.Withdraw(1, last - 1)).isExecuted());
    }

    private List<CompletableFuture<Answer>> submitDeposits(final int count) throws Exception
    {
        final List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            answers.add(submit(new Command.Deposit(1, 1)));
        }
        return answers;
    }

    private void assertRejected(final Reason reason, final Command command) throws Exception
    {
        assertEquals(reason, execute(command).rejection().reason());
    }

    private CompletableFuture<Answer> submit(final Command command) throws BankBusyException
    {
        return commands.submit(CommandRequest.of(UUID.randomUUID(), command));
    }

    private Answer execute(final Command command) throws Exception
    {
        return await(submit(command));
    }

    /** Does the work of the background agent until there is an answer. */
    private Answer await(final CompletableFuture<Answer> answer) throws Exception
    {
        while (!answer.isDone())
        {
            journal.backgroundAgent().doWork();
        }
        return answer.get();
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(10, TimeUnit.MINUTES), "not reached in ten minutes");
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    private void awaitAppended(final long sequence)
    {
        while (journal.lastSequence() < sequence)
        {
            Thread.onSpinWait();
        }
    }

    private void reopen()
    {
        commands.close();
        journal.close();
        open();
    }

    private void open(final long snapshotEvery)
    {
        journal = Journal.builder(tempDir).store(store).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .force(ForcePolicy.every(Duration.ZERO)).backgroundThread(false).errorHandler((error) ->
            {
                // The test causes these failures, so do not log them.
            }).open();
        final LocalJournal local = new LocalJournal(journal);
        recovered = Recovery.of(local, this::timeMs);
        commands = new CommandSide(local, recovered, snapshotEvery);
    }

    /** Returns the opening time of accounts. */
    private long timeMs()
    {
        if (isMemoryGone.get())
        {
            inDecision.countDown();
            await(release);
            throw new OutOfMemoryError("on purpose");
        }
        return 1234;
    }
}
