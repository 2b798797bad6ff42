// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

import java.util.UUID;

import io.journal.examples.bank.domain.Rejection.Reason;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class BankTest
{
    private final Bank bank = new Bank(() -> 1234);
    private long sequence;

    @Test
    void accountIsOpenedNowAndOnce() throws Rejection
    {
        assertEquals(new Event.AccountOpened(1, "Ada", 1234), decide(new Command.OpenAccount(1, "Ada")));

        given(new Event.AccountOpened(1, "Ada", 1));

        assertRejected(Reason.ACCOUNT_EXISTS, "Account 1 is open already.", new Command.OpenAccount(1, "Grace"));
    }

    @Test
    void accountMustBeOpen()
    {
        given(new Event.AccountOpened(1, "Ada", 1), new Event.Deposited(1, 100));

        assertRejected(Reason.NO_ACCOUNT, "There is no account 2.", new Command.Deposit(2, 1));
        assertRejected(Reason.NO_ACCOUNT, "There is no account 2.", new Command.Withdraw(2, 1));
        assertRejected(Reason.NO_ACCOUNT, "There is no account 2.", new Command.Transfer(2, 1, 1));
        assertRejected(Reason.NO_ACCOUNT, "There is no account 2.", new Command.Transfer(1, 2, 1));
    }

    @Test
    void allThatIsThereIsPaidOutAndNoMore() throws Rejection
    {
        given(
            new Event.AccountOpened(1, "Ada", 1), new Event.AccountOpened(2, "Grace", 1),
            new Event.Deposited(1, 123_456));

        assertEquals(new Event.Withdrawn(1, 123_456), decide(new Command.Withdraw(1, 123_456)));
        assertEquals(new Event.Transferred(1, 2, 123_456), decide(new Command.Transfer(1, 2, 123_456)));
        final String message = "Account 1 has €1,234.56, which is less than €1,234.57.";
        assertRejected(Reason.OVERDRAFT, message, new Command.Withdraw(1, 123_457));
        assertRejected(Reason.OVERDRAFT, message, new Command.Transfer(1, 2, 123_457));
    }

    @Test
    void bankTakesWhatItCanCount() throws Rejection
    {
        given(new Event.AccountOpened(1, "Ada", 1), new Event.Deposited(1, 1));

        assertEquals(
            new Event.Deposited(1, Command.MAX_TOTAL_CENTS - 1), decide(
                new Command.Deposit(1, Command.MAX_TOTAL_CENTS - 1)));
        assertRejected(
            Reason.LIMIT, "That is more money than this bank can count.",
            new Command.Deposit(1, Command.MAX_TOTAL_CENTS));
    }

    @Test
    void decidingChangesNothingAndEachEventIsAVersion() throws Rejection
    {
        given(new Event.AccountOpened(1, "Ada", 1), new Event.AccountOpened(2, "Grace", 2));
        decide(new Command.Deposit(1, 100));
        assertEquals(new Account(1, "Ada", 1, 0, 1), bank.accounts().get(1));

        given(new Event.Deposited(1, 100), new Event.Withdrawn(1, 10), new Event.Transferred(1, 2, 20));

        assertEquals(new Account(1, "Ada", 1, 70, 4), bank.accounts().get(1));
        assertEquals(new Account(2, "Grace", 2, 20, 2), bank.accounts().get(2));
        assertEquals(90, bank.accounts().totalCents());
    }

    @Test
    void commandIsDecidedOnlyAtTheVersionThatTheClientExpects() throws Rejection
    {
        given(new Event.AccountOpened(1, "Ada", 1), new Event.Deposited(1, 100));

        final UUID id = UUID.randomUUID();
        final Command withdraw = new Command.Withdraw(1, 1);
        assertEquals(new Event.Withdrawn(1, 1), bank.decide(new CommandRequest(id, withdraw, 2L)));
        final Rejection ex =
            assertThrows(Rejection.class, () -> bank.decide(new CommandRequest(id, withdraw, 1L)));
        assertEquals(Reason.VERSION_CONFLICT, ex.reason());
        assertEquals("Account 1 has changed: it has version 2, not 1.", ex.getMessage());
        // Version 0 means that the account is not open.
        bank.decide(new CommandRequest(id, new Command.OpenAccount(2, "Grace"), 0L));
    }

    @Test
    void idIsForgottenWhenTheWindowIsFullOfNewerOnes()
    {
        final ExecutedCommands executed = new ExecutedCommands();
        for (long i = 1; i <= ExecutedCommands.WINDOW; i++)
        {
            executed.add(new UUID(0, i), i);
        }
        assertEquals(1, executed.sequence(new UUID(0, 1)));

        executed.add(new UUID(0, 0), ExecutedCommands.WINDOW + 1);

        assertEquals(0, executed.sequence(new UUID(0, 1)));
        assertEquals(2, executed.sequence(new UUID(0, 2)));
        assertEquals(ExecutedCommands.WINDOW, executed.all().size());
    }

    @Test
    void eventIsAppliedAlsoIfTheRulesBecameStricter()
    {
        given(new Event.AccountOpened(0, "", 1), new Event.Withdrawn(0, -5));

        assertEquals(5, bank.accounts().get(0).cents());
    }

    @Test
    void eventOfAnAccountThatWasNeverOpenedIsNotApplied()
    {
        assertThrows(IllegalStateException.class, () -> given(new Event.Deposited(1, 1)));
    }

    @Test
    void commandWithoutSenseCannotBeMade()
    {
        assertInvalid(() -> new Command.OpenAccount(0, "Ada"));
        assertInvalid(() -> new Command.OpenAccount(1, null));
        assertInvalid(() -> new Command.OpenAccount(1, " "));
        assertInvalid(() -> new Command.OpenAccount(1, "x".repeat(61)));
        assertInvalid(() -> new Command.OpenAccount(1, "half a pair: \uD83C"));
        assertInvalid(() -> new Command.Deposit(1, 0));
        assertInvalid(() -> new Command.Withdraw(1, -1));
        assertInvalid(() -> new Command.Transfer(1, 2, 0));
        assertInvalid(() -> new Command.Transfer(1, 1, 1));
        assertInvalid(() -> CommandRequest.of(null, new Command.Deposit(1, 1)));
        assertInvalid(() -> CommandRequest.of(UUID.randomUUID(), null));
        assertEquals("\uD83C\uDF4E", new Command.OpenAccount(1, "\uD83C\uDF4E").owner());
    }

    private static void assertInvalid(final Runnable command)
    {
        assertThrows(IllegalArgumentException.class, command::run);
    }

    private void given(final Event... events)
    {
        for (final Event event : events)
        {
            bank.apply(++sequence, UUID.randomUUID(), event);
        }
    }

    private Event decide(final Command command) throws Rejection
    {
        return bank.decide(CommandRequest.of(UUID.randomUUID(), command));
    }

    private void assertRejected(final Reason reason, final String message, final Command command)
    {
        final Rejection ex = assertThrows(Rejection.class, () -> decide(command));
        assertEquals(reason, ex.reason());
        assertEquals(message, ex.getMessage());
    }
}
