package io.journal.examples.bank;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.journal.Snapshots;
import io.journal.examples.bank.command.CommandSide;
import io.journal.examples.bank.command.Recovery;
import io.journal.examples.bank.command.SnapshotPolicy;
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
    private final List<StartLog.Start> starts;
    private volatile ReadModelRunner<AccountsView> accounts;

    private BankApplication(
        final BankFiles files, final BankJournal journal, final EpochClock clock, final SnapshotPolicy policy)
    {
        this.files = files;
        this.journal = journal;
        // Before anything can be pruned: holds back what the other process has not seen.
        journal.consumed(TURNOVER);
        final Recovery state = Recovery.of(journal, clock);
        starts = StartLog.add(files.starts(), state);
        final Deque<AutoCloseable> begun = new ArrayDeque<>();
        try
        {
            commands = new CommandSide(journal, state, policy);
            begun.push(commands);
            ledger = new ReadModelRunner<>(journal, "ledger", Ledger.open(files.ledger()));
            begun.push(ledger);
            accounts = new ReadModelRunner<>(journal, "accounts", newView());
        }
        catch (final Throwable ex)
        {
            // The newest first, and before the journal is closed, which their threads use.
            CloseHelper.quietCloseAll(begun);
            throw ex;
        }
    }

    /**
     * Opens a bank.
     *
     * @param files   of it.
     * @param journal of it. From now on it is the bank's, also if the bank cannot be opened.
     * @param clock   for the opening times of accounts.
     * @param policy  of snapshots.
     * @return the recovered bank.
     * @throws IOException if the directory cannot be created.
     */
    public static BankApplication open(
        final BankFiles files, final BankJournal journal, final EpochClock clock, final SnapshotPolicy policy)
        throws IOException
    {
        try
        {
            Files.createDirectories(files.path());
            return new BankApplication(files, journal, clock, policy);
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(journal);
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
     * Builds the read model in memory anew while the bank runs, from the first event on, or from a snapshot if history
     * was pruned. Queries are answered by the old one until the new one has caught up.
     *
     * @return number of events that were replayed.
     * @throws IllegalStateException if the new one fails, as when its history is pruned meanwhile; the old one stays.
     */
    public synchronized long rebuildAccounts()
    {
        final ReadModelRunner<AccountsView> old = accounts;
        final AccountsView view = 1 == journal.firstSequence() ? AccountsView.empty() : newView();
        final long first = view.sequence();
        final ReadModelRunner<AccountsView> rebuilt = new ReadModelRunner<>(journal, "accounts", view);
        // Replaying is faster than any load, so the new one catches up; queries never go back.
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
     * Prunes the history that the two newest snapshots and all consumers have passed.
     *
     * @return the sequence of the oldest event that is kept.
     */
    public long prune()
    {
        return journal.snapshots().prune();
    }

    /**
     * To be called periodically: notes how far the model in the other process is, and ends the command side if an fsync
     * failed.
     *
     * @throws IOException if that model cannot be read.
     */
    public void runMaintenance() throws IOException
    {
        final long sequence = Turnover.read(files.turnover()).sequence();
        if (sequence > journal.consumed(TURNOVER))
        {
            journal.saveConsumed(TURNOVER, sequence);
        }
        if (journal.isFailed() && null == commands.failure())
        {
            commands.fail(new IllegalStateException("the journal failed"));
        }
    }

    /** {@return the bank at this moment} */
    public BankStatus status()
    {
        final JournalStatus figures = journal.status();
        final ReadModelRunner<AccountsView> view = accounts;
        final Turnover turnover = turnover();
        return new BankStatus(
            figures, commands.pending(), null == view.failure() ? view.model().totals() : null, turnover,
            List.of(
                model("accounts", view.sequence(), figures, view.failure()),
                model("ledger", ledger.sequence(), figures, ledger.failure()),
                model(TURNOVER, turnover.sequence(), figures, null)),
            commands.snapshotSequence(), null != journal.snapshots(), starts);
    }

    /**
     * Closes the bank: first the commands, so that nothing more is appended; then the read models; the journal last.
     * Clients that still wait get their answer. Idempotent.
     */
    @Override
    public void close()
    {
        CloseHelper.closeAll(commands, accounts, ledger, journal);
    }

    private AccountsView newView()
    {
        final Snapshots snapshots = journal.snapshots();
        return null == snapshots ? AccountsView.empty() : AccountsView.of(snapshots);
    }

    private Turnover turnover()
    {
        try
        {
            return Turnover.read(files.turnover());
        }
        catch (final IOException ex)
        {
            // Shown as a model that is far behind, which it is.
            return Turnover.NONE;
        }
    }

    private BankStatus.Model model(
        final String name, final long sequence, final JournalStatus figures, final Throwable failure)
    {
        return new BankStatus.Model(
            name, sequence, journal.consumed(name), Math.max(0, figures.durable() - sequence),
            null == failure ? null : failure.toString());
    }
}
