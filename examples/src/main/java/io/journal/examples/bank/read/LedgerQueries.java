// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Queries of the ledger, to check after a kill that each command is there exactly once. Thread-safe.
 */
public final class LedgerQueries implements AutoCloseable
{
    private final Connection connection;

    /** The number of commands without an event, with exactly one event, and with several. */
    public record Audit(long missing, long once, long repeated)
    {
    }

    /**
     * Totals of the ledger: the number of events, the number of commands with more than one event, and deposits minus
     * withdrawals.
     */
    public record Totals(long events, long duplicates, long cents)
    {
    }

    LedgerQueries(final Connection connection)
    {
        this.connection = connection;
    }

    /** {@return how many of these commands have no event, one event, or several} */
    public synchronized Audit audit(final UUID... ids)
    {
        final long[] found = new long[3];
        try (PreparedStatement count = connection.prepareStatement("SELECT COUNT(*) FROM entry WHERE command_id = ?"))
        {
            for (final UUID id : ids)
            {
                count.setBytes(1, Ledger.bytes(id));
                found[(int)Math.min(number(count), 2)]++;
            }
        }
        catch (final SQLException ex)
        {
            throw new IllegalStateException("cannot read the ledger", ex);
        }
        return new Audit(found[0], found[1], found[2]);
    }

    /** {@return the sums of all rows} */
    public synchronized Totals totals()
    {
        return new Totals(
            number("SELECT COUNT(*) FROM entry"),
            number("SELECT COUNT(*) FROM (SELECT 1 FROM entry GROUP BY command_id HAVING COUNT(*) > 1)"),
            number(
                "SELECT COALESCE(SUM(CASE kind WHEN 'DEPOSITED' THEN cents WHEN 'WITHDRAWN' THEN -cents ELSE 0 END)," +
                    " 0) FROM entry"));
    }

    @Override
    public synchronized void close() throws SQLException
    {
        connection.close();
    }

    private long number(final String query)
    {
        try (PreparedStatement statement = connection.prepareStatement(query))
        {
            return number(statement);
        }
        catch (final SQLException ex)
        {
            throw new IllegalStateException("cannot read the ledger", ex);
        }
    }

    private static long number(final PreparedStatement statement) throws SQLException
    {
        try (ResultSet result = statement.executeQuery())
        {
            return result.next() ? result.getLong(1) : 0;
        }
    }
}
