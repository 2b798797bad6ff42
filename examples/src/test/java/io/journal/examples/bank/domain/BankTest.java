package io.journal.examples.bank.domain;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Given some events, when a command is decided, then that is the event, or a refusal.
 */
class BankTest
{
    private static final int WINDOW = 3;

    private final Bank bank = new Bank(() -> 1234, WINDOW);
    private long sequence;

    static Stream<Command> commandsWithoutTheirAccount()
    {
        return Stream.of(
            new Command.Deposit(3, 1),
            new Command.Withdraw(3, 1),
            new Command.Transfer(3, 1, 1),
            new Command.Transfer(1, 3, 1));
    }

    static Stream<Arguments> commandsAndTheirEvents()
    {
        return Stream.of(
            arguments(new Command.OpenAccount(1, "Ada"), new Event.AccountOpened(1, "Ada", 1234)),
            arguments(new Command.Deposit(1, 5), new Event.Deposited(1, 5)),
            arguments(new Command.Withdraw(1, 5), new Event.Withdrawn(1, 5)),
            arguments(new Command.Transfer(1, 2, 5), new Event.Transferred(1, 2, 5)));
    }

    @Test
    void accountIsOpenedNow() throws CommandRejectedException
    {
        assertEquals(new Event.AccountOpened(1, "Ada", 1234), decide(new Command.OpenAccount(1, "Ada")));
    }

    @Test
    void accountIsOpenedOnce()
    {
        given(new Event.AccountOpened(1, "Ada", 0));

        assertRejected("account is open already: accountId=1", new Command.OpenAccount(1, "Ada"));
    }

    @ParameterizedTest
    @MethodSource("commandsWithoutTheirAccount")
    void accountMustBeOpen(final Command command)
    {
        given(new Event.AccountOpened(1, "Ada", 0), new Event.Deposited(1, 100));

        assertRejected("no such account: accountId=3", command);
    }

    @Test
    void moneyIsPaidIn() throws CommandRejectedException
    {
        given(new Event.AccountOpened(1, "Ada", 0));

        assertEquals(new Event.Deposited(1, 5), decide(new Command.Deposit(1, 5)));
    }

    @Test
    void bankTakesWhatItCanCount() throws CommandRejectedException
    {
        given(
            new Event.AccountOpened(1, "Ada", 0),
            new Event.AccountOpened(2, "Ada", 0),
            new Event.Deposited(1, Bank.MAX_TOTAL_CENTS - 5));

        assertEquals(new Event.Deposited(2, 5), decide(new Command.Deposit(2, 5)));
        assertRejected(
            "more money than can be counted: totalCents=8999999999999995, amountCents=6", new Command.Deposit(2, 6));
    }

    @Test
    void allThatIsThereIsPaidOutAndNoMore() throws CommandRejectedException
    {
        given(new Event.AccountOpened(1, "Ada", 0), new Event.Deposited(1, 7), new Event.Withdrawn(1, 2));

        assertEquals(new Event.Withdrawn(1, 5), decide(new Command.Withdraw(1, 5)));
        assertRejected("not enough money: accountId=1, balanceCents=5, amountCents=6", new Command.Withdraw(1, 6));
    }

    @Test
    void allThatIsThereIsMovedAndNoMore() throws CommandRejectedException
    {
        given(
            new Event.AccountOpened(1, "Ada", 0),
            new Event.AccountOpened(2, "Ada", 0),
            new Event.Deposited(1, 7),
            new Event.Transferred(1, 2, 3));

        assertEquals(new Event.Transferred(1, 2, 4), decide(new Command.Transfer(1, 2, 4)));
        assertEquals(new Event.Transferred(2, 1, 3), decide(new Command.Transfer(2, 1, 3)));
        assertRejected(
            "not enough money: accountId=2, balanceCents=3, amountCents=4", new Command.Transfer(2, 1, 4));
    }

    @Test
    void decidingChangesNothing() throws CommandRejectedException
    {
        given(new Event.AccountOpened(1, "Ada", 0), new Event.Deposited(1, 7));

        decide(new Command.Withdraw(1, 7));

        assertEquals(new Event.Withdrawn(1, 7), decide(new Command.Withdraw(1, 7)));
    }

    @Test
    void eventOfAnAccountThatWasNeverOpenedIsNotApplied()
    {
        assertThrows(IllegalStateException.class, () -> given(new Event.Deposited(3, 1)));
    }

    @Test
    void commandWithoutSenseCannotBeMade()
    {
        assertThrows(IllegalArgumentException.class, () -> new Command.Deposit(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Command.Withdraw(1, -1));
        assertThrows(IllegalArgumentException.class, () -> new Command.Transfer(1, 2, Long.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> new Command.Transfer(1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Command.OpenAccount(0, "Ada"));
        assertThrows(IllegalArgumentException.class, () -> new Command.OpenAccount(1, " "));
        assertThrows(IllegalArgumentException.class, () -> new Command.OpenAccount(1, "a".repeat(61)));
    }

    @Test
    void commandIsDecidedOnlyAtTheVersionThatTheClientExpects() throws CommandRejectedException
    {
        given(new Event.AccountOpened(1, "Ada", 0), new Event.AccountOpened(2, "Bob", 0), new Event.Deposited(1, 7));

        assertEquals(new Event.Transferred(1, 2, 7), bank.decide(
            new CommandRequest(UUID.randomUUID(), new Command.Transfer(1, 2, 7), 2)));
        final CommandRejectedException ex = assertThrows(CommandRejectedException.class, () -> bank.decide(
            new CommandRequest(UUID.randomUUID(), new Command.Transfer(1, 2, 7), 1)));

        assertEquals(CommandRejectedException.Reason.VERSION_CONFLICT, ex.reason());
        assertEquals("account has changed: accountId=1, version=2, expectedVersion=1", ex.getMessage());
    }

    @Test
    void eachEventThatConcernsAnAccountIsAVersionOfIt()
    {
        given(
            new Event.AccountOpened(1, "Ada", 5), new Event.AccountOpened(2, "Bob", 6), new Event.Deposited(1, 7),
            new Event.Transferred(1, 2, 3), new Event.Withdrawn(1, 1));

        assertEquals(new Account(1, "Ada", 5, 3, 4), bank.accounts().get(1));
        assertEquals(new Account(2, "Bob", 6, 3, 2), bank.accounts().get(2));
    }

    @Test
    void repeatedCommandIsRecognisedAndAnotherOneWithItsIdRejected() throws CommandRejectedException
    {
        final UUID id = UUID.randomUUID();
        given(new Event.AccountOpened(1, "Ada", 0));
        bank.apply(++sequence, id, new Event.Deposited(1, 7));

        assertEquals(0, bank.executedSequence(request(new Command.Deposit(1, 7))));
        assertEquals(2, bank.executedSequence(CommandRequest.of(id, new Command.Deposit(1, 7))));
        for (final Command other : List.of(
            new Command.Deposit(1, 8), new Command.Deposit(2, 7), new Command.Withdraw(1, 7),
            new Command.Transfer(1, 7, 7), new Command.OpenAccount(1, "7")))
        {
            final CommandRejectedException ex = assertThrows(
                CommandRejectedException.class, () -> bank.executedSequence(CommandRequest.of(id, other)));
            assertEquals(CommandRejectedException.Reason.ID_REUSED, ex.reason());
        }
    }

    @Test
    void idIsForgottenWhenTheWindowIsFullOfNewerOnes() throws CommandRejectedException
    {
        final CommandRequest request = request(new Command.Deposit(1, 7));
        given(new Event.AccountOpened(1, "Ada", 0));
        bank.apply(++sequence, request.id(), new Event.Deposited(1, 7));

        given(new Event.Deposited(1, 1), new Event.Deposited(1, 1));
        assertEquals(2, bank.executedSequence(request));
        given(new Event.Deposited(1, 1));
        assertEquals(0, bank.executedSequence(request));
        assertEquals(WINDOW, bank.executed().size());
    }

    @Test
    void fingerprintNeverChanges()
    {
        // Snapshots contain it.
        assertEquals(-6927798700502259279L, new Command.Deposit(1, 5).fingerprint());
        assertEquals(405042112384012362L, new Command.OpenAccount(1, "Ada").fingerprint());
        assertEquals(727313216692781673L, new Command.Transfer(1, 2, 5).fingerprint());
    }

    @ParameterizedTest
    @MethodSource("commandsAndTheirEvents")
    void eventHasTheFingerprintOfItsCommand(final Command command, final Event event)
    {
        assertEquals(command.fingerprint(), event.fingerprint());
    }

    @Test
    void eventIsAppliedAlsoIfTheRulesBecameStricter()
    {
        final String owner = "x".repeat(Command.MAX_OWNER_LENGTH + 1);
        assertThrows(IllegalArgumentException.class, () -> new Command.OpenAccount(1, owner));

        given(new Event.AccountOpened(1, owner, 0), new Event.Deposited(1, 0));

        assertEquals(new Account(1, owner, 0, 0, 2), bank.accounts().get(1));
    }

    @Test
    void ownerThatCannotBeStoredIsRejected()
    {
        for (final String owner : List.of("\uD800", "Ada \uDC00", "\uDC00\uD800"))
        {
            assertThrows(IllegalArgumentException.class, () -> new Command.OpenAccount(1, owner));
        }
    }

    @Test
    void ownerMayHaveAnyCharacter()
    {
        final String owner = "\uD83D\uDE00 \u20AC";

        assertEquals(owner, new Command.OpenAccount(1, owner).owner());
    }

    private void given(final Event... events)
    {
        for (final Event event : events)
        {
            bank.apply(++sequence, UUID.randomUUID(), event);
        }
    }

    private Event decide(final Command command) throws CommandRejectedException
    {
        return bank.decide(request(command));
    }

    private static CommandRequest request(final Command command)
    {
        return CommandRequest.of(UUID.randomUUID(), command);
    }

    private void assertRejected(final String message, final Command command)
    {
        assertEquals(
            message, assertThrows(CommandRejectedException.class, () -> decide(command)).getMessage());
    }
}
