package io.journal.examples.cqrs;

import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.EpochClock;

/**
 * The aggregate: the rules, and the state they need. All accounts form one aggregate, since the rules of a transfer
 * concern two of them.
 * <p>
 * {@link #decide(Command)} checks the rules and changes nothing. {@link #apply(Event)} changes the state and does not
 * check the rules again. Not thread-safe.
 */
final class Bank implements Command.Visitor, Event.Visitor
{
    private static final long NO_ACCOUNT = -1;

    // The rules keep every balance at 0 or more, so -1 can stand for an absent account.
    private final Long2LongHashMap balances = new Long2LongHashMap(NO_ACCOUNT);
    private final EpochClock clock;
    private long totalCents;

    Bank(final EpochClock clock)
    {
        this.clock = clock;
    }

    /**
     * Decides a command.
     *
     * @return the resulting event, not applied yet.
     * @throws CommandRejectedException if a rule forbids it.
     */
    Event decide(final Command command) throws CommandRejectedException
    {
        return command.accept(this);
    }

    /**
     * Applies an event to the state.
     */
    void apply(final Event event)
    {
        event.accept(this);
    }

    @Override
    public Event on(final Command.OpenAccount command) throws CommandRejectedException
    {
        if (balances.containsKey(command.accountId()))
        {
            throw new CommandRejectedException("account is open already: accountId=" + command.accountId());
        }

        return new Event.AccountOpened(command.accountId(), clock.time());
    }

    @Override
    public Event on(final Command.Deposit command) throws CommandRejectedException
    {
        requireAccount(command.accountId());
        if (totalCents > Long.MAX_VALUE - command.amountCents())
        {
            throw new CommandRejectedException(
                "more money than can be counted: totalCents=" + totalCents + ", amountCents=" + command.amountCents());
        }

        return new Event.Deposited(command.accountId(), command.amountCents());
    }

    @Override
    public Event on(final Command.Withdraw command) throws CommandRejectedException
    {
        checkCanGive(command.accountId(), command.amountCents());
        return new Event.Withdrawn(command.accountId(), command.amountCents());
    }

    @Override
    public Event on(final Command.Transfer command) throws CommandRejectedException
    {
        checkCanGive(command.fromAccountId(), command.amountCents());
        requireAccount(command.toAccountId());
        return new Event.Transferred(command.fromAccountId(), command.toAccountId(), command.amountCents());
    }

    @Override
    public void on(final Event.AccountOpened event)
    {
        balances.put(event.accountId(), 0);
    }

    @Override
    public void on(final Event.Deposited event)
    {
        add(event.accountId(), event.amountCents());
    }

    @Override
    public void on(final Event.Withdrawn event)
    {
        add(event.accountId(), -event.amountCents());
    }

    @Override
    public void on(final Event.Transferred event)
    {
        add(event.fromAccountId(), -event.amountCents());
        add(event.toAccountId(), event.amountCents());
    }

    private void add(final long accountId, final long cents)
    {
        final long before = balances.get(accountId);
        if (NO_ACCOUNT == before)
        {
            throw new IllegalStateException("event of an account that was never opened: accountId=" + accountId);
        }

        final long balance = before + cents;
        assert balance >= 0 : "overdrawn: accountId=" + accountId + ", balanceCents=" + balance;
        balances.put(accountId, balance);
        totalCents += cents;
    }

    private void checkCanGive(final long accountId, final long cents) throws CommandRejectedException
    {
        final long balance = requireAccount(accountId);
        if (balance < cents)
        {
            throw new CommandRejectedException(
                "not enough money: accountId=" + accountId + ", balanceCents=" + balance + ", amountCents=" + cents);
        }
    }

    /**
     * @return balance of the account.
     */
    private long requireAccount(final long accountId) throws CommandRejectedException
    {
        final long balance = balances.get(accountId);
        if (NO_ACCOUNT == balance)
        {
            throw new CommandRejectedException("no such account: accountId=" + accountId);
        }

        return balance;
    }
}
