// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.store.Backend;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultStore;
import io.journal.testkit.Tearing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static java.time.Duration.ZERO;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Shows how to test an application with the testkit. The power fails at every call to the storage, and the bank is
 * opened on the states that the disk may then have. In each of them, every answered command is there, no command is
 * executed twice when the client repeats it, and no money was made or lost.
 */
@Tag("slow")
@Timeout(900)
class BankCrashTest
{
    private static final int ACCOUNTS = 3;
    private static final long TOTAL_CENTS = 300;

    @TempDir
    Path directory;

    /** A moment at which the power may fail, and the commands that had been answered by then. */
    private record Moment(CrashPoint disk, Set<CommandRequest> answered)
    {
    }

    /** Tests two backends, because the other two write like FILE_CHANNEL. */
    @ParameterizedTest
    @EnumSource(names = { "MAPPED", "FILE_CHANNEL" })
    void everyAnsweredCommandSurvivesALossOfPower(final Backend backend) throws Exception
    {
        final FaultStore store = new FaultStore(backend);
        final Set<CommandRequest> answered = ConcurrentHashMap.newKeySet();
        final List<Moment> moments = new ArrayList<>();
        try (Journal journal = open(store))
        {
            final CommandSide commands = start(journal);
            openAccounts(commands);
            store.faults((step) ->
            {
                moments.add(new Moment(store.crashPoint(), Set.copyOf(answered)));
                return Fault.none();
            });
            transferAtRandom(commands, answered, 40);
            commands.saveSnapshot().get();
            transferAtRandom(commands, answered, 10);
            commands.close();
            store.faults((step) -> Fault.none());
        }

        assertTrue(!moments.isEmpty());
        for (final Moment moment : moments)
        {
            for (final FaultStore disk : moment.disk().disks(Tearing.SECTORS, 3, moments.size()))
            {
                assertHolds(disk, moment.answered());
            }
        }
    }

    private void assertHolds(final FaultStore disk, final Set<CommandRequest> answered) throws Exception
    {
        try (Journal journal = open(disk))
        {
            final LocalJournal local = new LocalJournal(journal);
            final Recovery state = Recovery.of(local, () -> 0);
            assertEquals(TOTAL_CENTS, state.bank().accounts().totalCents());
            for (final CommandRequest request : answered)
            {
                assertTrue(state.bank().executed().sequence(request.id()) > 0, request::toString);
            }

            // A client may repeat a command although it was answered, for example after a crash of its own.
            final long lastSequence = journal.lastSequence();
            try (CommandSide commands = new CommandSide(local, state, 0))
            {
                for (final CommandRequest request : answered)
                {
                    assertTrue(commands.submit(request).get().isRepeated());
                }
            }
            assertEquals(lastSequence, journal.lastSequence());
        }
    }

    private static void transferAtRandom(
        final CommandSide commands, final Set<CommandRequest> answered, final int count) throws Exception
    {
        final Random random = new Random(count);
        final List<CompletableFuture<Void>> transfers = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final int from = random.nextInt(ACCOUNTS);
            final int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            final CommandRequest request = CommandRequest.of(
                UUID.randomUUID(), new Command.Transfer(1 + from, 1 + to, 1 + random.nextInt(20)));
            transfers.add(commands.submit(request).thenAccept((answer) ->
            {
                if (answer.isExecuted())
                {
                    answered.add(request);
                }
            }));
        }
        for (final CompletableFuture<Void> transfer : transfers)
        {
            transfer.get();
        }
    }

    private static void openAccounts(final CommandSide commands) throws Exception
    {
        for (int account = 1; account <= ACCOUNTS; account++)
        {
            commands.submit(CommandRequest.of(UUID.randomUUID(), new Command.OpenAccount(account, "Ada"))).get();
            commands.submit(
                CommandRequest.of(UUID.randomUUID(), new Command.Deposit(account, TOTAL_CENTS / ACCOUNTS))).get();
        }
    }

    private static CommandSide start(final Journal journal)
    {
        final LocalJournal local = new LocalJournal(journal);
        return new CommandSide(local, Recovery.of(local, () -> 0), 0);
    }

    private Journal open(final FaultStore store)
    {
        return Journal.builder(directory).store(store).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .force(ForcePolicy.every(ZERO)).open();
    }
}
