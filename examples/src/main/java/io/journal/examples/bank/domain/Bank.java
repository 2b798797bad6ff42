package io.journal.examples.bank.domain;

import java.util.UUID;

import io.journal.examples.bank.domain.CommandRejectedException.Reason;
import io.journal.examples.bank.domain.ExecutedCommands.Executed;
import org.agrona.concurrent.EpochClock;

/**
 * The aggregate: the rules, and the state they need. All accounts form one aggregate, since the rules of a transfer
 * concern two of them.
 * <p>
 * {@link #decide} checks the rules and changes nothing. {@link #apply} changes the state and does not check the rules
 * again. Not thread-safe.
 */
public final class Bank
{
    /** Largest number of accounts. */
    public static final int MAX_ACCOUNTS = 100_000;
    /** Most money, in cents: what a client that counts in doubles still counts exactly. */
    public static final long MAX_TOTAL_CENTS = 9_000_000_000_000_000L;

    private final Accounts accounts = new Accounts();
    private final ExecutedCommands executed;
    private final Rules rules = new Rules();
    private final EpochClock clock;

    /**
     * A bank without accounts.
     *
     * @param clock for the opening times of accounts.
     */
    public Bank(final EpochClock clock)
    {
        this(clock, ExecutedCommands.WINDOW);
    }

    Bank(final EpochClock clock, final int window)
    {
        this.clock = clock;
        executed = new ExecutedCommands(window);
    }

    /** {@return the accounts} */
    public Accounts accounts()
    {
        return accounts;
    }

    /** {@return the commands that were executed last} */
    public ExecutedCommands executed()
    {
        return executed;
    }

    /**
     * Looks for a command among those that were executed.
     *
     * @param request of the client.
     * @return sequence of its event; 0 if it was not executed.
     * @throws CommandRejectedException if its id was used for another command.
     */
    public long executedSequence(final CommandRequest request) throws CommandRejectedException
    {
        final Executed known = executed.get(request.id());
        if (null == known)
        {
            return 0;
        }
        if (known.fingerprint() != request.command().fingerprint())
        {
            throw new CommandRejectedException(
                Reason.ID_REUSED, "id was used for another command: sequence=" + known.sequence());
        }

        return known.sequence();
    }

    /**
     * Decides a command that was not executed yet.
     *
     * @param request of the client.
     * @return the resulting event, not applied yet.
     * @throws CommandRejectedException if a rule forbids it.
     */
    public Event decide(final CommandRequest request) throws CommandRejectedException
    {
        final Command command = request.command();
        if (CommandRequest.ANY != request.expectedVersion())
        {
            checkVersion(command.accountId(), request.expectedVersion());
        }
        return command.accept(rules);
    }

    /**
     * Applies an event to the state.
     *
     * @param sequence  of the event.
     * @param commandId of its command.
     * @param event     to apply.
     */
    public void apply(final long sequence, final UUID commandId, final Event event)
    {
        event.accept(accounts);
        executed.add(commandId, new Executed(sequence, event.fingerprint()));
    }

    private void checkVersion(final long accountId, final long expectedVersion) throws CommandRejectedException
    {
        final Account account = accounts.get(accountId);
        final long version = null == account ? 0 : account.version();
        if (version != expectedVersion)
        {
            throw new CommandRejectedException(
                Reason.VERSION_CONFLICT, "account has changed: accountId=" + accountId + ", version=" + version +
                    ", expectedVersion=" + expectedVersion);
        }
    }

    /**
     * A class of its own, so that these methods are not part of the bank's.
     */
    private final class Rules implements Command.Visitor
    {
        @Override
        public Event on(final Command.OpenAccount command) throws CommandRejectedException
        {
            if (null != accounts.get(command.accountId()))
            {
                throw new CommandRejectedException(
                    Reason.ACCOUNT_EXISTS, "account is open already: accountId=" + command.accountId());
            }
            if (accounts.size() == MAX_ACCOUNTS)
            {
                throw new CommandRejectedException(Reason.LIMIT, "too many accounts: limit=" + MAX_ACCOUNTS);
            }

            return new Event.AccountOpened(command.accountId(), command.owner(), clock.time());
        }

        @Override
        public Event on(final Command.Deposit command) throws CommandRejectedException
        {
            requireAccount(command.accountId());
            if (command.amountCents() > MAX_TOTAL_CENTS - accounts.totalCents())
            {
                throw new CommandRejectedException(
                    Reason.LIMIT, "more money than can be counted: totalCents=" + accounts.totalCents() +
                        ", amountCents=" + command.amountCents());
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

        private void checkCanGive(final long accountId, final long cents) throws CommandRejectedException
        {
            final Account account = requireAccount(accountId);
            if (account.balanceCents() < cents)
            {
                throw new CommandRejectedException(
                    Reason.OVERDRAFT, "not enough money: accountId=" + accountId + ", balanceCents=" +
                        account.balanceCents() + ", amountCents=" + cents);
            }
        }

        private Account requireAccount(final long accountId) throws CommandRejectedException
        {
            final Account account = accounts.get(accountId);
            if (null == account)
            {
                throw new CommandRejectedException(Reason.NO_ACCOUNT, "no such account: accountId=" + accountId);
            }

            return account;
        }
    }
}
