// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.journal.examples.bank.command.CommandSide;
import io.journal.examples.bank.command.Recovery;
import io.journal.examples.bank.journal.BankJournal;
import io.journal.examples.bank.journal.JournalStatus;
import io.journal.examples.bank.read.AccountsView;
import io.journal.examples.bank.read.Ledger;
import io.journal.examples.bank.read.ReadModelRunner;
import io.journal.examples.bank.read.Turnover;
import org.agrona.CloseHelper;
import org.agrona.concurrent.EpochClock;

/**
 * Connects the command side, the journal and the read models, and closes them in the right order. Thread-safe.
 */
public final class BankApplication implements AutoCloseable
{
    private static final String TURNOVER = "turnover";

    private final BankFiles files;
    private final BankJournal journal;
    private final CommandSide commands;
    private final ReadModelRunner<Ledger> ledger;
    private final Start start;
    private volatile ReadModelRunner<AccountsView> accounts;

    /**
     * How the state was built: the last event in the snapshot, the last event in the state, and the time in
     * microseconds.
     */
    public record Start(long snapshot, long events, long micros)
    {
    }

    /** A read model: its last event, how many durable events it has not applied yet, and its failure, or null. */
    public record Model(String name, long sequence, long lag, String failure)
    {
    }

    /** The bank at one moment, for the page. The totals are null if their read model has stopped. */
    public record Status(
        JournalStatus journal, int pending, AccountsView.Totals totals, List<Model> models, Start start)
    {
    }

    /**
     * Opens a bank on a journal. The bank closes the journal, even if this constructor throws. The clock gives the
     * opening times of accounts; for the last parameter see {@link CommandSide}.
     */
    public BankApplication(
        final BankFiles files, final BankJournal journal, final EpochClock clock, final long snapshotEvery)
        throws IOException
    {
        this.files = files;
        this.journal = journal;
        final Deque<AutoCloseable> begun = new ArrayDeque<>(List.of(journal));
        try
        {
            Files.createDirectories(files.path());
            // Create the cursor of the other process before anything can be pruned: it holds back events that the
            // process has not read.
            journal.consumed(TURNOVER, 0);
            final Recovery state = Recovery.of(journal, clock);
            start = new Start(state.snapshot(), state.sequence(), state.durationNs() / 1_000);
            commands = new CommandSide(journal, state, snapshotEvery);
            begun.push(commands);
            ledger = new ReadModelRunner<>(journal, "ledger", Ledger.open(files.ledger()));
            begun.push(ledger);
            accounts = new ReadModelRunner<>(journal, "accounts", new AccountsView(journal.snapshots()));
        }
        catch (final Throwable ex)
        {
            // Closes the newest part first, and the journal last, because the threads of the other parts use it.
            CloseHelper.quietCloseAll(begun);
            throw ex;
        }
    }

    /** {@return the command side} */
    public CommandSide commands()
    {
        return commands;
    }

    /** {@return the read model in memory} */
    public ReadModelRunner<AccountsView> accounts()
    {
        return accounts;
    }

    /** {@return the read model in SQLite} */
    public ReadModelRunner<Ledger> ledger()
    {
        return ledger;
    }

    /** {@return the journal, to read it} */
    public BankJournal journal()
    {
        return journal;
    }

    /**
     * Rebuilds the read model in memory while the bank runs, from the first event, or from a snapshot if history was
     * pruned. The old model answers queries until the new model has caught up. {@return the number of events that were
     * replayed} If the new model fails, for example because its history is pruned meanwhile, the old model stays.
     */
    public synchronized long rebuildAccounts()
    {
        final ReadModelRunner<AccountsView> old = accounts;
        final AccountsView view = new AccountsView(1 == journal.status().first() ? null : journal.snapshots());
        final long first = view.sequence();
        final ReadModelRunner<AccountsView> rebuilt = new ReadModelRunner<>(journal, "accounts", view);
        // Replaying is faster than any load, so the new model catches up. Wait for it, so that queries never return
        // older data.
        while (null == rebuilt.failure() && rebuilt.sequence() < old.sequence())
        {
            LockSupport.parkNanos(1_000_000);
        }
        if (null != rebuilt.failure())
        {
            rebuilt.close();
            throw new IllegalStateException("the read model was not rebuilt", rebuilt.failure());
        }
        accounts = rebuilt;
        old.close();
        return rebuilt.sequence() - first;
    }

    /**
     * Must be called periodically. Saves how far the model in the other process is, and ends the command side if an
     * fsync failed.
     */
    public void runMaintenance() throws IOException
    {
        journal.consumed(TURNOVER, Turnover.read(files.turnover()).sequence());
        if (journal.status().isFailed() && null == commands.failure())
        {
            commands.fail(new IllegalStateException("the journal failed"));
        }
    }

    /** {@return the bank at this moment} */
    public Status status() throws IOException
    {
        final JournalStatus figures = journal.status();
        final ReadModelRunner<AccountsView> view = accounts;
        return new Status(
            figures, commands.pending(), null == view.failure() ? view.model().totals() : null,
            List.of(
                model("accounts", view.sequence(), figures, view.failure()),
                model("ledger", ledger.sequence(), figures, ledger.failure()),
                model(TURNOVER, Turnover.read(files.turnover()).sequence(), figures, null)),
            start);
    }

    /**
     * Closes the bank: first the command side, so that nothing more is appended; then the read models; the journal
     * last. Clients that still wait get their answer. Idempotent.
     */
    @Override
    public void close()
    {
        CloseHelper.closeAll(commands, accounts, ledger, journal);
    }

    private static Model model(
        final String name, final long sequence, final JournalStatus figures, final Throwable failure)
    {
        return new Model(
            name, sequence, Math.max(0, figures.durable() - sequence), null == failure ? null : failure.toString());
    }
}
