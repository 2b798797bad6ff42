package io.journal.examples.cqrs;

/**
 * Totals of all accounts after an event.
 *
 * @param sequence     of that event, 0 before the first.
 * @param accounts     number of accounts.
 * @param balanceCents sum of their balances.
 */
public record BankTotals(long sequence, int accounts, long balanceCents)
{
}
