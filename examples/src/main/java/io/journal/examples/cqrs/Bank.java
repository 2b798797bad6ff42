package io.journal.examples.cqrs;

import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.EpochClock;

/**
 * The aggregate: what the rules need to know, and the rules. All accounts are in one, since a transfer has a rule about
 * two of them.
 * <p>
 * To decide is to look and to change nothing; to apply is to change, without asking the rules again. For one thread at
 * a time.
 */
final class Bank implements Command.Visitor, Event.Visitor
{
    private static final long NO_ACCOUNT = -1;

    // No balance is below 0: that is the rule this class is for, and why -1 can say that there is no account.
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
     * @return what happens, not applied yet.
     * @throws CommandRejectedException if a rule forbids it.
     */
    Event decide(final Command command) throws CommandRejectedException
    {
        return command.accept(this);
    }

    /**
     * Changes the state by what has happened.
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
     * @return the account's balance.
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
