package io.journal.examples.cqrs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.examples.CrashImage;
import io.journal.examples.DiskStub;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NoSpaceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class CommandHandlerTest
{
    @TempDir
    Path tempDir;

    @Test
    void commandThatIsCarriedOutIsForced() throws CommandRejectedException
    {
        try (Journal journal = open((operation) ->
        {
        }); CommandHandler commands = handlerOf(journal))
        {
            assertEquals(1, commands.handle(new Command.OpenAccount(1)));
            assertEquals(1, journal.forcedSequence());

            assertEquals(2, commands.handle(new Command.Deposit(1, 5)));
            assertEquals(2, journal.forcedSequence());
        }
    }

    @Test
    void commandThatIsRefusedAppendsNothing() throws CommandRejectedException
    {
        try (Journal journal = open((operation) ->
        {
        }); CommandHandler commands = handlerOf(journal))
        {
            assertThrows(CommandRejectedException.class, () -> commands.handle(new Command.Deposit(1, 5)));
            commands.handle(new Command.OpenAccount(1));
            assertThrows(CommandRejectedException.class, () -> commands.handle(new Command.Withdraw(1, 5)));

            assertEquals(1, journal.lastSequence());
        }
    }

    @Test
    void rulesKnowWhatHappenedBeforeARestart() throws CommandRejectedException
    {
        try (Journal journal = open((operation) ->
        {
        }); CommandHandler commands = handlerOf(journal))
        {
            commands.handle(new Command.OpenAccount(1));
            commands.handle(new Command.Deposit(1, 5));
        }

        try (Journal journal = open((operation) ->
        {
        }); CommandHandler commands = handlerOf(journal))
        {
            assertThrows(CommandRejectedException.class, () -> commands.handle(new Command.OpenAccount(1)));
            assertThrows(CommandRejectedException.class, () -> commands.handle(new Command.Withdraw(1, 6)));
            assertEquals(3, commands.handle(new Command.Withdraw(1, 5)));
        }
    }

    @Test
    void refusalWaitsUntilWhatItRestsOnIsForced() throws CommandRejectedException, InterruptedException
    {
        final AtomicBoolean isHeld = new AtomicBoolean();
        final CountDownLatch inForce = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final DiskStub.Hook hook = (operation) ->
        {
            if ("file.force".equals(operation) && isHeld.get())
            {
                inForce.countDown();
                awaitLatch(release);
            }
        };

        try (Journal journal = open(hook); CommandHandler commands = handlerOf(journal))
        {
            commands.handle(new Command.OpenAccount(1));
            commands.handle(new Command.Deposit(1, 5));
            isHeld.set(true);
            final Thread first = start(() -> commands.handle(new Command.Withdraw(1, 5)), new AtomicReference<>());
            awaitLatch(inForce);

            final AtomicLong forcedWhenRefused = new AtomicLong();
            final AtomicReference<Exception> refusal = new AtomicReference<>();
            final Thread second = start(
                () ->
                {
                    try
                    {
                        commands.handle(new Command.Withdraw(1, 5));
                    }
                    finally
                    {
                        forcedWhenRefused.set(journal.forcedSequence());
                    }
                },
                refusal);
            awaitWaitingOrEnded(second);
            release.countDown();
            first.join();
            second.join();

            assertInstanceOf(CommandRejectedException.class, refusal.get());
            assertEquals(3, forcedWhenRefused.get());
        }
    }

    @Test
    void commandThatWaitsWhileTheBankIsClosedGetsItsAnswer() throws CommandRejectedException, InterruptedException
    {
        final AtomicBoolean isHeld = new AtomicBoolean();
        final CountDownLatch inForce = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicReference<Exception> error = new AtomicReference<>();
        final DiskStub.Hook hook = (operation) ->
        {
            if ("file.force".equals(operation) && isHeld.get())
            {
                inForce.countDown();
                awaitLatch(release);
            }
        };
        final Journal journal = open(hook);
        final CommandHandler commands = handlerOf(journal);
        commands.handle(new Command.OpenAccount(1));
        isHeld.set(true);
        final Thread first = start(() -> commands.handle(new Command.Deposit(1, 5)), error);
        awaitLatch(inForce);
        final Thread second = start(() -> commands.handle(new Command.Deposit(1, 6)), error);
        awaitWaitingOrEnded(second);

        final Thread closing = start(
            () ->
            {
                commands.close();
                journal.close();
            },
            error);
        awaitWaitingOrEnded(closing);
        release.countDown();
        first.join();
        second.join();
        closing.join();

        assertNull(error.get());
        assertThrows(IllegalStateException.class, () -> commands.handle(new Command.Deposit(1, 7)));
        assertEquals(3, journal.lastSequence());
    }

    @Test
    void storageThatFailsEndsCommandsAndRefusalsUntilItIsOpenedAgain() throws CommandRejectedException
    {
        final AtomicBoolean isBroken = new AtomicBoolean();
        final DiskStub.Hook hook = (operation) ->
        {
            if ("file.force".equals(operation) && isBroken.get())
            {
                throw new IOException("broken on purpose");
            }
        };
        try (Journal journal = open(hook); CommandHandler commands = handlerOf(journal))
        {
            commands.handle(new Command.OpenAccount(1));
            commands.handle(new Command.Deposit(1, 5));
            isBroken.set(true);

            assertThrows(JournalException.class, () -> commands.handle(new Command.Withdraw(1, 5)));

            // Refused by the rules, but by a state nobody can be sure of.
            assertThrows(JournalException.class, () -> commands.handle(new Command.Withdraw(1, 5)));
            assertThrows(JournalException.class, () -> commands.handle(new Command.OpenAccount(2)));
            assertThrows(JournalException.class, commands::close);
        }

        try (Journal journal = open((operation) ->
        {
        }); CommandHandler commands = handlerOf(journal))
        {
            assertTrue(journal.lastSequence() >= 2, journal.toString());
            assertThrows(CommandRejectedException.class, () -> commands.handle(new Command.OpenAccount(1)));
        }
    }

    @Test
    void fullDiskChangesNothingAndTheSameCommandWorksOnceThereIsSpace() throws CommandRejectedException
    {
        final AtomicBoolean isFull = new AtomicBoolean();
        final DiskStub.Hook hook = (operation) ->
        {
            if (operation.startsWith("create") && isFull.get())
            {
                throw new NoSpaceException("full on purpose", null);
            }
        };
        try (Journal journal = openWithLittleRoomLeft(hook); CommandHandler commands = handlerOf(journal))
        {
            isFull.set(true);
            assertThrows(JournalFullException.class, () -> depositUntilItFails(commands));
            final long last = journal.lastSequence();
            assertThrows(JournalFullException.class, () -> commands.handle(new Command.Deposit(1, 1)));
            assertEquals(last, journal.lastSequence());
            // All that was deposited is there, and no more.
            assertThrows(CommandRejectedException.class, () -> commands.handle(new Command.Withdraw(1, last)));

            isFull.set(false);

            assertEquals(last + 1, commands.handle(new Command.Withdraw(1, last - 1)));
        }
    }

    @Test
    void stateThatIsNotTheJournalsDecidesNothing() throws CommandRejectedException
    {
        try (Journal journal = open((operation) ->
        {
        }); CommandHandler commands = handlerOf(journal))
        {
            commands.handle(new Command.OpenAccount(1));
            journal.appender().append(new byte[8]);

            assertThrows(IllegalStateException.class, () -> commands.handle(new Command.Deposit(1, 5)));
            assertThrows(IllegalStateException.class, () -> commands.handle(new Command.Withdraw(1, 5)));

            assertEquals(2, journal.lastSequence());
        }
    }

    @Test
    void closesTwice()
    {
        try (Journal journal = open((operation) ->
        {
        }))
        {
            final CommandHandler commands = handlerOf(journal);

            commands.close();
            commands.close();
        }
    }

    /**
     * What a thread does in these tests.
     */
    @FunctionalInterface
    private interface Action
    {
        void run() throws Exception;
    }

    private static Thread start(final Action action, final AtomicReference<Exception> error)
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                action.run();
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

    private static void awaitWaitingOrEnded(final Thread thread) throws InterruptedException
    {
        while (Thread.State.WAITING != thread.getState() && Thread.State.TERMINATED != thread.getState())
        {
            if (Thread.interrupted())
            {
                throw new InterruptedException("thread goes on: " + thread.getState());
            }
            Thread.onSpinWait();
        }
    }

    private static void awaitLatch(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(20, TimeUnit.SECONDS), "nobody came");
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    private static void depositUntilItFails(final CommandHandler commands) throws CommandRejectedException
    {
        // More than fit into what is left of the segment, and into those that were made while the disk had space.
        for (int i = 0; i < 10_000; i++)
        {
            commands.handle(new Command.Deposit(1, 1));
        }
    }

    /**
     * @return a journal whose segment is almost full of events of account 1, each but the first a deposit of 1.
     */
    private Journal openWithLittleRoomLeft(final DiskStub.Hook hook)
    {
        final Journal journal = open(hook);
        final EventCodec codec = new EventCodec();
        codec.encode(new Event.AccountOpened(1, 0));
        journal.appender().append(codec.tag(), codec.buffer(), 0, codec.length());
        codec.encode(new Event.Deposited(1, 1));
        while (journal.counters().appendedPosition() < journal.segmentLength() - 2_000)
        {
            journal.appender().append(codec.tag(), codec.buffer(), 0, codec.length());
        }
        return journal;
    }

    private Journal open(final DiskStub.Hook hook)
    {
        final Path directory = tempDir.resolve("bank");
        return CrashImage.settings(directory)
            .store(DiskStub.wrap(Backend.FILE_CHANNEL.store(directory), hook))
            .open();
    }

    private static CommandHandler handlerOf(final Journal journal)
    {
        return CommandHandler.open(journal, () -> 0);
    }
}
