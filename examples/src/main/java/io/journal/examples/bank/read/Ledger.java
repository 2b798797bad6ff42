// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;

import io.journal.examples.bank.codec.EventCodec.StoredEvent;
import io.journal.examples.bank.domain.Event;
import org.agrona.CloseHelper;

/**
 * The read model in SQLite: one row per event, for reports and audits. The rows of a batch and the sequence of its last
 * event are stored in one transaction, so each event has its effect exactly once, even after a crash: the restarted
 * model continues with the event after the stored sequence.
 * <p>
 * One thread applies events. Queries may come from any thread, and use a second connection.
 */
public final class Ledger implements ReadModel
{
    private static final List<String> SCHEMA = List.of(
        "PRAGMA journal_mode=WAL",
        // FULL makes a transaction durable before commit returns. Otherwise a power loss could take back rows whose
        // events the journal has pruned.
        "PRAGMA synchronous=FULL",
        // Ids are random, so each insert changes another page of the index. Cache the index (128 MiB), and write it
        // back seldom.
        "PRAGMA cache_size=-131072", "PRAGMA wal_autocheckpoint=20000",
        "CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL)",
        "INSERT OR IGNORE INTO progress VALUES (1, 0)",
        "CREATE TABLE IF NOT EXISTS entry (sequence INTEGER PRIMARY KEY, command_id BLOB NOT NULL, " +
            "kind TEXT NOT NULL, account INTEGER NOT NULL, to_account INTEGER NOT NULL, cents INTEGER NOT NULL)",
        "CREATE INDEX IF NOT EXISTS entry_command ON entry (command_id)");

    private final Connection writing;
    private final LedgerQueries queries;
    private final PreparedStatement insert;
    private final PreparedStatement saveProgress;
    private long sequence;

    private Ledger(final Connection writing, final Connection reading) throws SQLException
    {
        this.writing = writing;
        queries = new LedgerQueries(reading);
        insert = writing.prepareStatement("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)");
        saveProgress = writing.prepareStatement("UPDATE progress SET sequence = ?");
        try (Statement statement = writing.createStatement();
            ResultSet progress = statement.executeQuery("SELECT sequence FROM progress"))
        {
            sequence = progress.next() ? progress.getLong(1) : 0;
        }
        writing.setAutoCommit(false);
    }

    /** {@return the ledger in a file, which is created if absent} */
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

    /** {@return its queries} */
    public LedgerQueries queries()
    {
        return queries;
    }

    @Override
    public long sequence()
    {
        return sequence;
    }

    @Override
    public void apply(final long newSequence, final StoredEvent stored)
    {
        final Event event = stored.event();
        try
        {
            insert.setLong(1, newSequence);
            insert.setBytes(2, bytes(stored.commandId()));
            insert.setString(3, event.kind().name());
            insert.setLong(4, event.accountId());
            insert.setLong(5, event.toAccountId());
            insert.setLong(6, event.cents());
            insert.addBatch();
        }
        catch (final SQLException ex)
        {
            throw new IllegalStateException("cannot add to the ledger: sequence=" + newSequence, ex);
        }
        sequence = newSequence;
    }

    @Override
    public void commit()
    {
        try
        {
            insert.executeBatch();
            saveProgress.setLong(1, sequence);
            saveProgress.executeUpdate();
            writing.commit();
        }
        catch (final SQLException ex)
        {
            throw new IllegalStateException("cannot commit the ledger: sequence=" + sequence, ex);
        }
    }

    /**
     * Closes the connections, which rolls back the rows that were not committed: the journal still has their events.
     */
    @Override
    public void close()
    {
        CloseHelper.closeAll(writing, queries);
    }

    static byte[] bytes(final UUID id)
    {
        return ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
    }
}
