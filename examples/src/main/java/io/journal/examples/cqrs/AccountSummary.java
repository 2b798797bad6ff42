package io.journal.examples.cqrs;

/**
 * An account as queries return it.
 *
 * @param accountId    of the account.
 * @param openedAtMs   when it was opened, in milliseconds since 1970-01-01 UTC; 0 if unknown.
 * @param balanceCents its balance.
 * @param movements    number of deposits, withdrawals and transfers.
 */
public record AccountSummary(long accountId, long openedAtMs, long balanceCents, int movements)
{
    AccountSummary add(final long cents)
    {
        return new AccountSummary(accountId, openedAtMs, balanceCents + cents, movements + 1);
    }
}
