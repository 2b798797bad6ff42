package io.journal.examples.cqrs;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Given some events, when a command is decided, then that is the event, or a refusal.
 */
class BankTest
{
    private final Bank bank = new Bank(() -> 1234);

    static Stream<Command> commandsWithoutTheirAccount()
    {
        return Stream.of(
            new Command.Deposit(3, 1),
            new Command.Withdraw(3, 1),
            new Command.Transfer(3, 1, 1),
            new Command.Transfer(1, 3, 1));
    }

    @Test
    void accountIsOpenedNow() throws CommandRejectedException
    {
        assertEquals(new Event.AccountOpened(1, 1234), bank.decide(new Command.OpenAccount(1)));
    }

    @Test
    void accountIsOpenedOnce()
    {
        given(new Event.AccountOpened(1, 0));

        assertRejected("account is open already: accountId=1", new Command.OpenAccount(1));
    }

    @ParameterizedTest
    @MethodSource("commandsWithoutTheirAccount")
    void accountMustBeOpen(final Command command)
    {
        given(new Event.AccountOpened(1, 0), new Event.Deposited(1, 100));

        assertRejected("no such account: accountId=3", command);
    }

    @Test
    void moneyIsPaidIn() throws CommandRejectedException
    {
        given(new Event.AccountOpened(1, 0));

        assertEquals(new Event.Deposited(1, 5), bank.decide(new Command.Deposit(1, 5)));
    }

    @Test
    void bankTakesWhatItCanCount() throws CommandRejectedException
    {
        given(
            new Event.AccountOpened(1, 0),
            new Event.AccountOpened(2, 0),
            new Event.Deposited(1, Long.MAX_VALUE - 5));

        assertEquals(new Event.Deposited(2, 5), bank.decide(new Command.Deposit(2, 5)));
        assertRejected(
            "more money than can be counted: totalCents=9223372036854775802, amountCents=6", new Command.Deposit(2, 6));
    }

    @Test
    void allThatIsThereIsPaidOutAndNoMore() throws CommandRejectedException
    {
        given(new Event.AccountOpened(1, 0), new Event.Deposited(1, 7), new Event.Withdrawn(1, 2));

        assertEquals(new Event.Withdrawn(1, 5), bank.decide(new Command.Withdraw(1, 5)));
        assertRejected("not enough money: accountId=1, balanceCents=5, amountCents=6", new Command.Withdraw(1, 6));
    }

    @Test
    void allThatIsThereIsMovedAndNoMore() throws CommandRejectedException
    {
        given(
            new Event.AccountOpened(1, 0),
            new Event.AccountOpened(2, 0),
            new Event.Deposited(1, 7),
            new Event.Transferred(1, 2, 3));

        assertEquals(new Event.Transferred(1, 2, 4), bank.decide(new Command.Transfer(1, 2, 4)));
        assertEquals(new Event.Transferred(2, 1, 3), bank.decide(new Command.Transfer(2, 1, 3)));
        assertRejected(
            "not enough money: accountId=2, balanceCents=3, amountCents=4", new Command.Transfer(2, 1, 4));
    }

    @Test
    void decidingChangesNothing() throws CommandRejectedException
    {
        given(new Event.AccountOpened(1, 0), new Event.Deposited(1, 7));

        bank.decide(new Command.Withdraw(1, 7));

        assertEquals(new Event.Withdrawn(1, 7), bank.decide(new Command.Withdraw(1, 7)));
    }

    @Test
    void eventOfAnAccountThatWasNeverOpenedIsNotApplied()
    {
        assertThrows(IllegalStateException.class, () -> bank.apply(new Event.Deposited(3, 1)));
    }

    @Test
    void commandWithoutSenseCannotBeMade()
    {
        assertThrows(IllegalArgumentException.class, () -> new Command.Deposit(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Command.Withdraw(1, -1));
        assertThrows(IllegalArgumentException.class, () -> new Command.Transfer(1, 2, Long.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> new Command.Transfer(1, 1, 1));
    }

    private void given(final Event... events)
    {
        for (final Event event : events)
        {
            bank.apply(event);
        }
    }

    private void assertRejected(final String message, final Command command)
    {
        assertEquals(
            message, assertThrows(CommandRejectedException.class, () -> bank.decide(command)).getMessage());
    }
}
