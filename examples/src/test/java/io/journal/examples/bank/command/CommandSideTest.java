package io.journal.examples.bank.command;

import java.io.IOException;
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
import java.util.concurrent.atomic.AtomicReference;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.examples.DiskStub;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRejectedException.Reason;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(900)
class CommandSideTest
{
    @TempDir
    Path tempDir;

    private final AtomicBoolean isHeld = new AtomicBoolean();
    private final AtomicBoolean isBroken = new AtomicBoolean();
    private final AtomicBoolean isFull = new AtomicBoolean();
    private final CountDownLatch inForce = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicBoolean isMemoryGone = new AtomicBoolean();
    private final CountDownLatch inDecision = new CountDownLatch(1);
    private Journal journal;
    private CommandSide commands;

    @AfterEach
    void close()
    {
        CloseHelper.quietCloseAll(commands, journal);
    }

    @Test
    void commandIsAnsweredWhenItsEventIsDurable() throws Exception
    {
        open(SnapshotPolicy.MANUAL);

        assertEquals(Answer.executed(1), execute(new Command.OpenAccount(1, "Ada")));
        assertTrue(journal.forcedSequence() >= 1);
        assertEquals(Answer.executed(2), execute(new Command.Deposit(1, 5)));
        assertTrue(journal.forcedSequence() >= 2);
    }

    @Test
    void commandThatIsRejectedAppendsNothing() throws Exception
    {
        open(SnapshotPolicy.MANUAL);

        assertRejected(Reason.NO_ACCOUNT, new Command.Deposit(1, 5));
        execute(new Command.OpenAccount(1, "Ada"));
        assertRejected(Reason.OVERDRAFT, new Command.Withdraw(1, 5));

        assertEquals(1, journal.lastSequence());
    }

    @Test
    void rulesKnowWhatHappenedBeforeARestart() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        execute(new Command.Deposit(1, 5));

        reopen();

        assertRejected(Reason.ACCOUNT_EXISTS, new Command.OpenAccount(1, "Ada"));
        assertRejected(Reason.OVERDRAFT, new Command.Withdraw(1, 6));
        assertEquals(Answer.executed(3), execute(new Command.Withdraw(1, 5)));
    }

    @Test
    void repeatedCommandIsAnsweredAgainAndExecutedOnce() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        final CommandRequest deposit = request(new Command.Deposit(1, 5));
        final CommandRequest other = CommandRequest.of(deposit.id(), new Command.Deposit(1, 6));

        assertEquals(Answer.executed(2), execute(deposit));
        assertEquals(Answer.repeated(2), execute(deposit));
        assertEquals(Reason.ID_REUSED, execute(other).rejection().reason());
        reopen();
        assertEquals(Answer.repeated(2), execute(deposit));
        commands.saveSnapshot().get();
        reopen();
        assertEquals(new StartUp(2, 0, 0).snapshotSequence(), commands.snapshotSequence());
        assertEquals(Answer.repeated(2), execute(deposit));
        assertEquals(Reason.ID_REUSED, execute(other).rejection().reason());

        assertEquals(2, journal.lastSequence());
    }

    @Test
    void commandThatExpectsAnotherVersionIsRejected() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        execute(new Command.Deposit(1, 5));

        final Command withdraw = new Command.Withdraw(1, 5);
        assertEquals(
            Reason.VERSION_CONFLICT,
            execute(new CommandRequest(UUID.randomUUID(), withdraw, 1)).rejection().reason());
        assertTrue(execute(new CommandRequest(UUID.randomUUID(), withdraw, 2)).isExecuted());
    }

    @Test
    void commandsThatArriveDuringAnFsyncShareTheNextOne() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = holdForces();
        for (int i = 0; i < 1_000; i++)
        {
            answers.add(commands.submit(request(new Command.Deposit(1, 1))));
        }
        awaitSequence(1_002);
        final long forces = journal.counters().forces();
        assertEquals(0, answers.stream().filter(CompletableFuture::isDone).count());

        release.countDown();
        for (final CompletableFuture<Answer> answer : answers)
        {
            assertTrue(answer.get().isExecuted());
        }

        // The one that was held, one for all that came meanwhile, and those of segments prepared beside.
        assertTrue(journal.counters().forces() - forces < 10, journal.counters()::toString);
    }

    @Test
    void rejectionWaitsUntilWhatItDependsOnIsDurable() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        execute(new Command.Deposit(1, 5));
        isHeld.set(true);
        final CompletableFuture<Answer> first = commands.submit(request(new Command.Withdraw(1, 5)));
        await(inForce);

        final CompletableFuture<Answer> second = commands.submit(request(new Command.Withdraw(1, 5)));
        commands.submit(request(new Command.Deposit(1, 1)));
        awaitSequence(4);
        assertFalse(first.isDone());
        assertFalse(second.isDone());
        release.countDown();

        assertTrue(first.get().isExecuted());
        assertEquals(Reason.OVERDRAFT, second.get().rejection().reason());
    }

    @Test
    void commandsOnTheirWayAreAnsweredWhenTheBankCloses() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = holdForces();
        for (int i = 0; i < 100; i++)
        {
            answers.add(commands.submit(request(new Command.Deposit(1, 1))));
        }

        release.countDown();
        commands.close();

        assertTrue(answers.stream().allMatch(CompletableFuture::isDone));
        assertThrows(IllegalStateException.class, () -> commands.submit(request(new Command.Deposit(1, 1))));
        commands.close();
        reopen();
        assertTrue(execute(new Command.Withdraw(1, answers.size())).isExecuted());
    }

    @Test
    void tooManyCommandsAtATimeAreTurnedAway() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = holdForces();
        while (answers.size() < CommandSide.MAX_PENDING)
        {
            answers.add(commands.submit(request(new Command.Deposit(1, 1))));
        }

        assertThrows(BankBusyException.class, () -> commands.submit(request(new Command.Deposit(1, 1))));
        assertEquals(CommandSide.MAX_PENDING, commands.pending());

        release.countDown();
        for (final CompletableFuture<Answer> answer : answers)
        {
            assertTrue(answer.get().isExecuted());
        }
        assertTrue(execute(new Command.Withdraw(1, answers.size())).isExecuted());
    }

    @Test
    void closingWaitsForAnswersThatAreBeingGiven() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = holdForces();
        final CountDownLatch inCallback = new CountDownLatch(1);
        final CountDownLatch closing = new CountDownLatch(1);
        final AtomicReference<Throwable> refused = new AtomicReference<>();
        answers.get(0).thenRun(() ->
        {
            inCallback.countDown();
            refused.set(assertThrows(IllegalStateException.class, commands::close));
            await(closing);
        });
        final CompletableFuture<Answer> last = commands.submit(request(new Command.Deposit(1, 1)));
        release.countDown();
        await(inCallback);

        final Thread closer = new Thread(commands::close);
        closer.start();
        closer.join(50);
        final boolean isWaiting = closer.isAlive();
        closing.countDown();
        closer.join();

        assertTrue(isWaiting);
        assertTrue(last.isDone());
        assertTrue(refused.get().getMessage().contains("must not close the bank"), refused.get()::toString);
    }

    @Test
    void failedFsyncAnswersNothingAndEndsTheBank() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        isBroken.set(true);

        final CompletableFuture<Answer> answer = commands.submit(request(new Command.Deposit(1, 5)));
        while (!journal.counters().isFailed())
        {
            Thread.onSpinWait();
        }
        commands.fail(new IllegalStateException("storage failed"));

        assertThrows(ExecutionException.class, answer::get);
        assertThrows(IllegalStateException.class, () -> commands.submit(request(new Command.Deposit(1, 5))));
        isBroken.set(false);
        CloseHelper.quietCloseAll(commands, journal);
        open(SnapshotPolicy.MANUAL);
        assertRejected(Reason.ACCOUNT_EXISTS, new Command.OpenAccount(1, "Ada"));
    }

    @Test
    void errorAnswersAllCommandsAndSavesNoSnapshot() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        isMemoryGone.set(true);
        final CompletableFuture<Answer> failing = commands.submit(request(new Command.OpenAccount(2, "Bob")));
        await(inDecision);
        final CompletableFuture<Answer> next = commands.submit(request(new Command.Deposit(1, 5)));
        final CompletableFuture<Long> snapshot = commands.saveSnapshot();

        release.countDown();

        assertInstanceOf(OutOfMemoryError.class, assertThrows(ExecutionException.class, failing::get).getCause());
        final Throwable refused = assertThrows(ExecutionException.class, next::get).getCause();
        assertEquals("the bank has failed", refused.getMessage());
        assertInstanceOf(OutOfMemoryError.class, refused.getCause());
        assertThrows(ExecutionException.class, snapshot::get);
        assertThrows(IllegalStateException.class, () -> commands.submit(request(new Command.Deposit(1, 5))));
        commands.close();
        assertEquals(0, commands.snapshotSequence());
        assertEquals(1, journal.lastSequence());
    }

    @Test
    void fullDiskChangesNothingAndTheSameCommandWorksOnceThereIsSpace() throws Exception
    {
        open(SnapshotPolicy.MANUAL);
        execute(new Command.OpenAccount(1, "Ada"));
        isFull.set(true);
        int deposits = 0;
        CommandRequest refused = null;
        while (null == refused)
        {
            final CommandRequest deposit = request(new Command.Deposit(1, 1));
            final CompletableFuture<Answer> answer = commands.submit(deposit);
            try
            {
                answer.get();
                deposits++;
            }
            catch (final ExecutionException ex)
            {
                assertInstanceOf(BankBusyException.class, ex.getCause());
                refused = deposit;
            }
        }
        assertEquals(1 + deposits, journal.lastSequence());
        assertRejected(Reason.OVERDRAFT, new Command.Withdraw(1, deposits + 1L));

        isFull.set(false);

        assertEquals(Answer.executed(2L + deposits), execute(refused));
    }

    @Test
    void stateThatIsNotTheJournalsIsNotUsed() throws Exception
    {
        try (Journal other = settings().open())
        {
            other.appender().append(0x7777, new byte[8]);
        }

        assertThrows(IllegalStateException.class, () -> open(SnapshotPolicy.MANUAL));
        journal.close();

        journal = settings().open();
        assertEquals(1, journal.lastSequence());
    }

    @Test
    void snapshotsAreSavedAfterSoManyEventsAndHistoryIsPruned() throws Exception
    {
        open(new SnapshotPolicy(1_000, true));
        execute(new Command.OpenAccount(1, "Ada"));
        final List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 5_000; i++)
        {
            answers.add(commands.submit(request(new Command.Deposit(1, 1))));
        }
        for (final CompletableFuture<Answer> answer : answers)
        {
            answer.get();
        }
        while (1 == journal.firstSequence())
        {
            // However many snapshots there were: the next command finds another one due.
            execute(new Command.Deposit(1, 1));
        }

        final long last = journal.lastSequence();
        reopen();

        assertTrue(commands.snapshotSequence() > 1_000, () -> "snapshot=" + commands.snapshotSequence());
        assertTrue(execute(new Command.Withdraw(1, last - 1)).isExecuted());
    }

    /** All forces wait from now on; returns the answer that the first of them is to bring. */
    private List<CompletableFuture<Answer>> holdForces() throws Exception
    {
        final List<CompletableFuture<Answer>> answers = new ArrayList<>();
        isHeld.set(true);
        answers.add(commands.submit(request(new Command.Deposit(1, 1))));
        await(inForce);
        return answers;
    }

    private void assertRejected(final Reason reason, final Command command) throws Exception
    {
        assertEquals(reason, execute(command).rejection().reason());
    }

    private Answer execute(final Command command) throws Exception
    {
        return execute(request(command));
    }

    private Answer execute(final CommandRequest request) throws Exception
    {
        return commands.submit(request).get();
    }

    private static CommandRequest request(final Command command)
    {
        return CommandRequest.of(UUID.randomUUID(), command);
    }

    private void awaitSequence(final long sequence)
    {
        while (journal.lastSequence() < sequence)
        {
            Thread.onSpinWait();
        }
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

    private void reopen() throws JournalException
    {
        commands.close();
        journal.close();
        open(SnapshotPolicy.MANUAL);
    }

    private void open(final SnapshotPolicy policy)
    {
        journal = settings().open();
        final LocalJournal local = new LocalJournal(journal);
        commands = CommandSide.start(local, Recovery.of(local, this::timeMs), policy);
    }

    /** The time at which an account is opened. */
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

    private JournalBuilder settings()
    {
        final Path directory = tempDir.resolve("bank");
        return Journal.builder(directory)
            .segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .force(ForcePolicy.every(Duration.ZERO))
            .errorHandler((error) ->
            {
                // Failures on purpose.
            })
            .store(DiskStub.wrap(Backend.FILE_CHANNEL.store(directory), this::beforeOperation));
    }

    private void beforeOperation(final String operation) throws IOException
    {
        if ("file.force".equals(operation))
        {
            if (isBroken.get())
            {
                throw new IOException("broken on purpose");
            }
            if (isHeld.get())
            {
                inForce.countDown();
                await(release);
            }
        }
        if (operation.startsWith("create") && isFull.get())
        {
            throw new NoSpaceException("full on purpose", null);
        }
    }
}
