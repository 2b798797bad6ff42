package io.journal.examples.bank;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.examples.bank.command.CommandSide;
import io.journal.examples.bank.command.Recovery;
import io.journal.examples.bank.command.SnapshotPolicy;
import io.journal.examples.bank.command.StartUp;
import io.journal.examples.bank.journal.BankJournal;
import io.journal.examples.bank.journal.JournalStatus;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.examples.bank.read.AccountsView;
import io.journal.examples.bank.read.BankTotals;
import io.journal.examples.bank.read.Ledger;
import io.journal.examples.bank.read.ReadModelRunner;
import io.journal.examples.bank.read.Turnover;
import org.agrona.CloseHelper;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Connects the command side, the journal and the read models, and closes them in the right order. Thread-safe.
 */
public final class BankApplication implements AutoCloseable
{
    private static final String TURNOVER = "turnover";
    private static final int SHOWN_STARTS = 8;

    private final BankDirectory directory;
    private final BankJournal journal;
    private final StartUp startUp;
    private final CommandSide commands;
    private final ReadModelRunner<Ledger> ledger;
    private final List<BankStatus.Start> starts;
    // One rebuild at a time, so that none replaces a newer one.
    private final ReentrantLock rebuilding = new ReentrantLock();
    private volatile ReadModelRunner<AccountsView> accounts;

    private BankApplication(
        final BankDirectory directory, final BankJournal journal, final EpochClock clock, final SnapshotPolicy policy)
    {
        this.directory = directory;
        this.journal = journal;
        // Created before anything can be pruned: it holds back what the other process has not seen.
        journal.cursor(TURNOVER);
        final Recovery state = Recovery.of(journal, clock);
        startUp = state.startUp();
        starts = parse(directory.addStart(startUp));
        final Deque<AutoCloseable> begun = new ArrayDeque<>();
        try
        {
            commands = CommandSide.start(journal, state, policy);
            begun.push(commands);
            ledger = ReadModelRunner.start(journal, "ledger", Ledger.open(directory.ledger()));
            begun.push(ledger);
            accounts = ReadModelRunner.start(journal, "accounts", AccountsView.ofSnapshot(journal));
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
     * @param directory of its files.
     * @param policy    of snapshots.
     * @return the recovered bank.
     * @throws IOException if the directory cannot be created.
     */
    public static BankApplication open(final BankDirectory directory, final SnapshotPolicy policy) throws IOException
    {
        // A journal creates its own directory only.
        Files.createDirectories(directory.path());
        return open(
            directory, new LocalJournal(directory.journalSettings().open()), SystemEpochClock.INSTANCE, policy);
    }

    /**
     * Opens a bank on another journal.
     *
     * @param directory of its files.
     * @param journal   of it. From now on it is the bank's, also if the bank cannot be opened.
     * @param clock     for the opening times of accounts.
     * @param policy    of snapshots.
     * @return the recovered bank.
     * @throws IOException if the directory cannot be created.
     */
    public static BankApplication open(
        final BankDirectory directory,
        final BankJournal journal,
        final EpochClock clock,
        final SnapshotPolicy policy) throws IOException
    {
        try
        {
            Files.createDirectories(directory.path());
            return new BankApplication(directory, journal, clock, policy);
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
    public AccountsView accounts()
    {
        return accounts.model();
    }

    /** {@return the read model in SQLite} */
    public Ledger ledger()
    {
        return ledger.model();
    }

    /** {@return how the state was built} */
    public StartUp startUp()
    {
        return startUp;
    }

    /** {@return the sequence of the newest durable event} */
    public long durableSequence()
    {
        return journal.forcedSequence();
    }

    /**
     * {@return a reader of the durable events; the caller must close it}
     */
    public JournalReader openReader()
    {
        return journal.openReader(journal.firstSequence());
    }

    /**
     * Passes one event to a handler.
     *
     * @param sequence of the event.
     * @param handler  called with the record.
     * @return whether there is such an event.
     */
    public boolean get(final long sequence, final RecordHandler handler)
    {
        return journal.get(sequence, handler);
    }

    /**
     * Builds the read model in memory anew while the bank runs, from the first event on, or from a snapshot if history
     * was pruned. Queries are answered by the old one until the new one has caught up.
     *
     * @return number of events that were replayed.
     * @throws IllegalStateException if the new one fails, as when its history is pruned meanwhile; the old one stays.
     */
    public long rebuildAccounts()
    {
        rebuilding.lock();
        try
        {
            return rebuild(accounts);
        }
        finally
        {
            rebuilding.unlock();
        }
    }

    private long rebuild(final ReadModelRunner<AccountsView> old)
    {
        final boolean isWhole = 1 == journal.firstSequence();
        final AccountsView view = isWhole ? AccountsView.empty() : AccountsView.ofSnapshot(journal);
        final long first = view.sequence();
        final ReadModelRunner<AccountsView> rebuilt = ReadModelRunner.start(journal, old.name(), view);
        // Replaying is faster than any load, so the new one catches up; queries never go back.
        while (null == rebuilt.failure() && view.sequence() < old.model().sequence())
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
        return view.sequence() - first;
    }

    /**
     * Prunes the history that the two newest snapshots and all cursors have passed.
     *
     * @return the sequence of the oldest event that is kept.
     */
    public long prune()
    {
        return journal.prune();
    }

    /**
     * To be called periodically: saves the cursor of the model in the other process, and ends the command side if an
     * fsync failed.
     *
     * @throws IOException if the name of that model's file cannot be made durable.
     */
    public void runMaintenance() throws IOException
    {
        final long sequence = turnover().sequence();
        if (sequence > journal.cursor(TURNOVER))
        {
            // Otherwise a loss of power could bring back an older file, whose next events prune may drop from now on.
            directory.force();
            journal.saveCursor(TURNOVER, sequence);
        }
        if (journal.isFailed() && null == commands.failure())
        {
            commands.fail(new IllegalStateException("the journal failed"));
        }
    }

    /** {@return the bank at this moment} */
    public BankStatus status()
    {
        final JournalStatus counters = journal.status();
        final long durable = counters.durable();
        final Turnover.Figures turnover = turnover();
        final ReadModelRunner<AccountsView> view = accounts;
        return new BankStatus(
            counters,
            commands.pending(),
            totals(view),
            turnover,
            List.of(
                model(view, durable),
                model(ledger, durable),
                new BankStatus.Model(
                    TURNOVER, turnover.sequence(), journal.cursor(TURNOVER),
                    Math.max(0, durable - turnover.sequence()), "")),
            commands.snapshotSequence(),
            starts,
            journal.cluster());
    }

    /**
     * Closes the bank: first the commands, so that nothing more is appended; then the read models; the journal last.
     * Clients that still wait get their answer. Idempotent.
     *
     * @throws IllegalStateException if a callback of an answer calls this: nothing is closed.
     */
    @Override
    public void close()
    {
        commands.close();
        CloseHelper.closeAll(accounts, ledger, journal);
    }

    private Turnover.Figures turnover()
    {
        try
        {
            return Turnover.read(directory.turnover()).figures();
        }
        catch (final IOException ex)
        {
            // Shown as a model that is far behind, which it is.
            return new Turnover.Figures(0, 0, 0, 0, 0);
        }
    }

    /** Null if the model has failed, so that its failure can be shown with all the rest. */
    private static BankTotals totals(final ReadModelRunner<AccountsView> view)
    {
        try
        {
            return view.model().totals();
        }
        catch (final IllegalStateException ex)
        {
            if (null == view.failure())
            {
                throw ex;
            }
            return null;
        }
    }

    private static BankStatus.Model model(final ReadModelRunner<?> runner, final long durable)
    {
        final long sequence = runner.model().sequence();
        final Throwable failure = runner.failure();
        return new BankStatus.Model(
            runner.name(), sequence, runner.cursorSequence(), Math.max(0, durable - sequence),
            null == failure ? "" : failure.toString());
    }

    private static List<BankStatus.Start> parse(final List<String> lines)
    {
        final List<BankStatus.Start> starts = new ArrayList<>();
        for (int i = Math.max(0, lines.size() - SHOWN_STARTS); i < lines.size(); i++)
        {
            final String[] fields = lines.get(i).split(",");
            starts.add(new BankStatus.Start(
                i + 1, Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2])));
        }
        return starts;
    }
}
