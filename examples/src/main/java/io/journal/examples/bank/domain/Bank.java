// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

import java.util.UUID;

import io.journal.examples.bank.domain.Rejection.Reason;
import org.agrona.concurrent.EpochClock;

/**
 * The aggregate: the state that the rules need. All accounts form one aggregate, since the rule of a transfer concerns
 * two of them.
 * <p>
 * {@link #decide} checks the rules and changes nothing. {@link #apply} changes the state and checks nothing. A restart
 * applies the same events, so the state after the restart equals the state before it. Not thread-safe.
 */
public final class Bank
{
    private final Accounts accounts = new Accounts();
    private final ExecutedCommands executed = new ExecutedCommands();
    private final EpochClock clock;

    /** Creates a bank without accounts. The clock gives the opening times of accounts. */
    public Bank(final EpochClock clock)
    {
        this.clock = clock;
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
     * {@return the event that a new command leads to} Throws if a rule forbids the command, or if the account does not
     * have the version that the client expects.
     */
    public Event decide(final CommandRequest request) throws Rejection
    {
        final Long expected = request.expectedVersion();
        if (null != expected)
        {
            final long accountId = request.command().accountId();
            final Account account = accounts.get(accountId);
            final long version = null == account ? 0 : account.version();
            Rejection.unless(version == expected, Reason.VERSION_CONFLICT,
                () -> "Account " + accountId + " has changed: it has version " + version + ", not " + expected + ".");
        }
        return request.command().decide(accounts, clock.time());
    }

    /** Applies an event, given its sequence and the id of its command. */
    public void apply(final long sequence, final UUID commandId, final Event event)
    {
        event.apply(accounts);
        executed.add(commandId, sequence);
    }
}
