package io.journal.examples.cqrs;

/**
 * The bank as a whole, as it was after one event.
 *
 * @param sequence     of that event, 0 before the first.
 * @param accounts     number of accounts.
 * @param balanceCents what is on all of them.
 */
public record BankTotals(long sequence, int accounts, long balanceCents)
{
}
