package io.journal.examples.cqrs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Connects the parts, and closes them in the right order. Run it from the project's root; a second run with the same
 * directory continues with the balances of the first:
 *
 * <pre>
 * mvn -q -pl examples -am -Pexample compile -Dexample=cqrs.BankApplication -Dexample.args=/path/of/the/journal
 * </pre>
 */
public final class BankApplication implements AutoCloseable
{
    private final Journal journal;
    private final CommandHandler commands;
    private final AccountsView queries;
    private final AgentRunner projectionRunner;

    private BankApplication(
        final Journal journal,
        final CommandHandler commands,
        final AccountsView queries,
        final AgentRunner projectionRunner)
    {
        this.journal = journal;
        this.commands = commands;
        this.queries = queries;
        this.projectionRunner = projectionRunner;
    }

    /**
     * Entry point: moves some money.
     *
     * @param args the journal's directory; a temporary directory by default.
     * @throws IOException              if the temporary directory cannot be created.
     * @throws CommandRejectedException if the bank rejects a command that it should accept.
     * @throws InterruptedException     if the thread is interrupted.
     * @throws TimeoutException         if the projection lags too far behind.
     */
    public static void main(final String[] args)
        throws IOException, CommandRejectedException, InterruptedException, TimeoutException
    {
        final Path directory = args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("journal-");
        try (BankApplication bank = open(directory))
        {
            System.out.println("Found      " + bank.queries().totals());
            demonstrate(bank.commands(), bank.queries());
            System.out.println("Left       " + bank.queries().totals());
        }
        System.out.println("The journal is in " + directory);
    }

    /**
     * Opens the bank with default settings.
     *
     * @param directory of the journal.
     * @return the recovered bank.
     */
    public static BankApplication open(final Path directory)
    {
        // While idle, the projection parks for up to a millisecond at a time. Queries may lag by that much, and an idle
        // bank uses almost no CPU.
        return open(
            Journal.builder(directory), SystemEpochClock.INSTANCE, new BackoffIdleStrategy(1, 1, 1_000, 1_000_000));
    }

    /**
     * Opens the bank and rebuilds both sides from the journal.
     *
     * @param settings     of the journal.
     * @param clock        for the opening times of accounts.
     * @param idleStrategy of the projection, while there are no events.
     * @return the recovered bank.
     * @throws JournalException      if the journal cannot be opened or read.
     * @throws IllegalStateException if the journal contains a record that is not an event of this application.
     */
    static BankApplication open(
        final JournalBuilder settings, final EpochClock clock, final IdleStrategy idleStrategy)
    {
        final Journal journal = settings.open();
        AgentRunner runner = null;
        try
        {
            final CommandHandler commands = CommandHandler.open(journal, clock);
            final AccountsView queries = new AccountsView();
            final Projection projection = new Projection(journal, queries);
            // From here on the runner owns the projection and closes it, started or not.
            runner = new AgentRunner(idleStrategy, BankApplication::log, null, projection);
            projection.catchUp();
            AgentRunner.startOnThread(runner);
            return new BankApplication(journal, commands, queries, runner);
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietCloseAll(runner, journal);
            throw ex;
        }
    }

    /**
     * The command side.
     *
     * @return the handler of commands; thread-safe.
     */
    public CommandHandler commands()
    {
        return commands;
    }

    /**
     * The query side.
     *
     * @return the view that answers queries; thread-safe.
     */
    public AccountsView queries()
    {
        return queries;
    }

    /**
     * Closes the bank: first the commands, so that nothing more is appended; then the projection, which reads the
     * journal; the journal last. Threads that still wait for a command get its answer. Idempotent.
     *
     * @throws JournalException if storage failed; everything is closed nevertheless.
     */
    @Override
    public void close()
    {
        CloseHelper.closeAll(commands, projectionRunner, journal);
    }

    private static void demonstrate(final CommandHandler commands, final AccountsView queries)
        throws CommandRejectedException, InterruptedException, TimeoutException
    {
        if (queries.totals().accounts() == 0)
        {
            commands.handle(new Command.OpenAccount(1));
            commands.handle(new Command.OpenAccount(2));
        }
        commands.handle(new Command.Deposit(1, 100_00));
        final long sequence = commands.handle(new Command.Transfer(1, 2, 30_00));

        // The projection may lag. To read your own writes, wait until it has applied them.
        queries.awaitSequence(sequence, Duration.ofSeconds(10));
        System.out.println("Account 1  " + queries.account(1).orElseThrow());
        System.out.println("Account 2  " + queries.account(2).orElseThrow());

        try
        {
            commands.handle(new Command.Withdraw(2, 1_000_000_00));
        }
        catch (final CommandRejectedException ex)
        {
            System.out.println("Refused    " + ex.getMessage());
        }
    }

    private static void log(final Throwable error)
    {
        System.getLogger(BankApplication.class.getName())
            .log(System.Logger.Level.ERROR, "the projection failed", error);
    }
}
