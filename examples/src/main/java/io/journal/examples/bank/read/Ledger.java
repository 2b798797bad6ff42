package io.journal.examples.bank.read;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import io.journal.examples.bank.codec.StoredEvent;
import io.journal.examples.bank.domain.Event;
import org.agrona.CloseHelper;

/**
 * The read model in SQLite: one row per event, for reports and audits. The rows of a batch and the sequence of the last
 * one are stored in one transaction, so the effect of an event is exactly once, whatever crashes when: after a restart
 * the model continues with the event after the stored sequence. The journal's cursor only keeps history that this model
 * still needs, and may be behind.
 * <p>
 * One thread applies events; queries, from any thread, use a connection of their own.
 */
public final class Ledger implements ReadModel
{
    private static final String[] SCHEMA =
        {
            "PRAGMA journal_mode=WAL",
            // A transaction is durable when commit returns. With less, a power loss could take back rows that the
            // journal's cursor has passed, and the journal may have pruned their events.
            "PRAGMA synchronous=FULL",
            // Ids are random, so the index is changed everywhere: keep it in memory (in KiB), and write it back seldom.
            "PRAGMA cache_size=-131072",
            "PRAGMA wal_autocheckpoint=20000",
            "CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL)",
            "INSERT OR IGNORE INTO progress VALUES (1, 0)",
            "CREATE TABLE IF NOT EXISTS entry (sequence INTEGER PRIMARY KEY, command_id BLOB NOT NULL, " +
                "kind TEXT NOT NULL, account INTEGER NOT NULL, to_account INTEGER, cents INTEGER NOT NULL)",
            "CREATE INDEX IF NOT EXISTS entry_command ON entry (command_id)"
        };

    private static final long POLL_NS = 1_000_000;

    private final Connection writing;
    private final Connection reading;
    private final PreparedStatement insert;
    private final PreparedStatement saveProgress;
    private final Inserter inserter = new Inserter();
    private long appliedSequence;
    private volatile long committedSequence;
    private volatile Throwable failure;

    /**
     * What became of a set of commands.
     *
     * @param sequence last event in the ledger.
     * @param once     number of commands with exactly one event.
     * @param missing  commands without an event.
     * @param repeated commands with more than one event.
     */
    public record Audit(long sequence, long once, List<UUID> missing, List<UUID> repeated)
    {
    }

    /**
     * The whole ledger.
     *
     * @param sequence   last event in it.
     * @param events     number of events.
     * @param duplicates number of commands with more than one event.
     * @param totalCents deposits less withdrawals.
     */
    public record Totals(long sequence, long events, long duplicates, long totalCents)
    {
    }

    /**
     * A query.
     *
     * @param <T> its result.
     */
    @FunctionalInterface
    private interface Query<T>
    {
        T run() throws SQLException;
    }

    private Ledger(final Connection writing, final Connection reading) throws SQLException
    {
        this.writing = writing;
        this.reading = reading;
        insert = writing.prepareStatement("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)");
        saveProgress = writing.prepareStatement("UPDATE progress SET sequence = ?");
        committedSequence = queryLong(writing, "SELECT sequence FROM progress");
        appliedSequence = committedSequence;
        writing.setAutoCommit(false);
    }

    /**
     * Opens the ledger, and creates it if absent.
     *
     * @param file of the database.
     * @return the ledger.
     */
    public static Ledger open(final Path file)
    {
        Connection writing = null;
        Connection reading = null;
        try
        {
            writing = DriverManager.getConnection("jdbc:sqlite:" + file);
            try (Statement statement = writing.createStatement())
            {
                for (final String line : SCHEMA)
                {
                    statement.execute(line);
                }
            }
            reading = DriverManager.getConnection("jdbc:sqlite:" + file);
            return new Ledger(writing, reading);
        }
        catch (final SQLException ex)
        {
            CloseHelper.quietCloseAll(reading, writing);
            throw new IllegalStateException("cannot open the ledger: file=" + file, ex);
        }
    }

    @Override
    public long sequence()
    {
        return committedSequence;
    }

    @Override
    public void apply(final long sequence, final StoredEvent stored)
    {
        try
        {
            insert.setLong(1, sequence);
            insert.setBytes(2, bytes(stored.commandId()));
            stored.event().accept(inserter);
            inserter.check();
            insert.addBatch();
        }
        catch (final SQLException ex)
        {
            throw new IllegalStateException("cannot add to the ledger: sequence=" + sequence, ex);
        }
        appliedSequence = sequence;
    }

    @Override
    public void commit()
    {
        try
        {
            insert.executeBatch();
            saveProgress.setLong(1, appliedSequence);
            saveProgress.executeUpdate();
            writing.commit();
        }
        catch (final SQLException ex)
        {
            throw new IllegalStateException("cannot commit the ledger: sequence=" + appliedSequence, ex);
        }
        committedSequence = appliedSequence;
    }

    /**
     * Waits until queries reflect an event.
     *
     * @param sequence of the event.
     * @param timeout  maximum time to wait.
     * @throws TimeoutException      if the timeout expires first.
     * @throws IllegalStateException if the ledger has stopped, now or while waiting.
     */
    public void awaitSequence(final long sequence, final Duration timeout) throws TimeoutException
    {
        final long startNs = System.nanoTime();
        while (committedSequence < sequence)
        {
            checkRunning();
            if (System.nanoTime() - startNs > timeout.toNanos())
            {
                throw new TimeoutException(
                    "not seen in time: sequence=" + sequence + ", committedSequence=" + committedSequence);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /**
     * Looks for the events of commands.
     *
     * @param ids of the commands.
     * @return what was found.
     * @throws IllegalStateException if the ledger has stopped.
     */
    public Audit audit(final List<UUID> ids)
    {
        return query(() -> auditRows(ids));
    }

    /**
     * Adds everything up.
     *
     * @return the result.
     * @throws IllegalStateException if the ledger has stopped.
     */
    public Totals totals()
    {
        return query(() -> new Totals(
            committedSequence, queryLong(reading, "SELECT COUNT(*) FROM entry"),
            queryLong(
                reading, "SELECT COUNT(*) FROM (SELECT 1 FROM entry GROUP BY command_id HAVING COUNT(*) > 1)"),
            queryLong(
                reading, "SELECT COALESCE(SUM(CASE kind WHEN 'deposited' THEN cents WHEN 'withdrawn' THEN -cents " +
                    "ELSE 0 END), 0) FROM entry")));
    }

    @Override
    public void stop(final Throwable cause)
    {
        failure = null == cause ? new IllegalStateException("the bank is closed") : cause;
    }

    @Override
    public void close()
    {
        try
        {
            // Rolls back what was not committed: the journal still has it.
            writing.close();
            synchronized (reading)
            {
                reading.close();
            }
        }
        catch (final SQLException ex)
        {
            throw new IllegalStateException("cannot close the ledger", ex);
        }
    }

    private Audit auditRows(final List<UUID> ids) throws SQLException
    {
        final long sequence = committedSequence;
        final List<UUID> missing = new ArrayList<>();
        final List<UUID> repeated = new ArrayList<>();
        try (PreparedStatement count = reading.prepareStatement("SELECT COUNT(*) FROM entry WHERE command_id = ?"))
        {
            for (final UUID id : ids)
            {
                count.setBytes(1, bytes(id));
                final long found = queryLong(count);
                if (0 == found)
                {
                    missing.add(id);
                }
                else if (found > 1)
                {
                    repeated.add(id);
                }
            }
        }
        return new Audit(sequence, (long)ids.size() - missing.size() - repeated.size(), missing, repeated);
    }

    private void checkRunning()
    {
        if (null != failure)
        {
            throw new IllegalStateException("the ledger has stopped", failure);
        }
    }

    private <T> T query(final Query<T> query)
    {
        synchronized (reading)
        {
            checkRunning();
            try
            {
                return query.run();
            }
            catch (final SQLException ex)
            {
                throw new IllegalStateException("cannot read the ledger", ex);
            }
        }
    }

    private static long queryLong(final Connection connection, final String query) throws SQLException
    {
        try (PreparedStatement statement = connection.prepareStatement(query))
        {
            return queryLong(statement);
        }
    }

    private static long queryLong(final PreparedStatement statement) throws SQLException
    {
        try (ResultSet result = statement.executeQuery())
        {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    private static byte[] bytes(final UUID id)
    {
        return ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
    }

    /**
     * Sets the parameters that depend on the kind of event.
     */
    private final class Inserter implements Event.Visitor
    {
        private SQLException exception;

        @Override
        public void on(final Event.AccountOpened event)
        {
            set("opened", event.accountId(), 0, 0);
        }

        @Override
        public void on(final Event.Deposited event)
        {
            set("deposited", event.accountId(), 0, event.amountCents());
        }

        @Override
        public void on(final Event.Withdrawn event)
        {
            set("withdrawn", event.accountId(), 0, event.amountCents());
        }

        @Override
        public void on(final Event.Transferred event)
        {
            set("transferred", event.fromAccountId(), event.toAccountId(), event.amountCents());
        }

        void check() throws SQLException
        {
            if (null != exception)
            {
                throw exception;
            }
        }

        private void set(final String kind, final long account, final long toAccount, final long cents)
        {
            try
            {
                insert.setString(3, kind);
                insert.setLong(4, account);
                insert.setLong(5, toAccount);
                insert.setLong(6, cents);
            }
            catch (final SQLException ex)
            {
                exception = ex;
            }
        }
    }
}
