package io.journal.examples.bank.read;

/**
 * The whole bank at one moment.
 *
 * @param sequence     last event that was applied.
 * @param accounts     number of accounts.
 * @param balanceCents the money in all accounts.
 */
public record BankTotals(long sequence, int accounts, long balanceCents)
{
}
