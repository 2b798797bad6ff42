// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.nio.file.Path;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;

/**
 * An example: an account that is rebuilt from its deposits. Each reply is the balance of a deposit that is durable.
 * Snapshots are taken, and events deleted, on the way.
 */
final class Account extends EventSourcedBehavior<Account.Deposit, Long, Long>
{
    static final int ACCOUNTS = 8;

    /** Asks to add an amount; 0 asks for the balance only. */
    record Deposit(long amount, ActorRef<Long> replyTo)
    {
    }

    private Account(final String name)
    {
        super(PersistenceId.of("Account", name));
    }

    static Behavior<Deposit> create(final String name)
    {
        return Behaviors.setup((context) -> new Account(name));
    }

    @Override
    public Long emptyState()
    {
        return 0L;
    }

    @Override
    public CommandHandler<Deposit, Long, Long> commandHandler()
    {
        return newCommandHandlerBuilder().forAnyState().onCommand(Deposit.class, this::onDeposit).build();
    }

    private Effect<Long, Long> onDeposit(final Long balance, final Deposit deposit)
    {
        return 0 == deposit.amount() ? Effect().reply(deposit.replyTo(), balance) :
            Effect().persist(deposit.amount()).thenReply(deposit.replyTo(), (after) -> after);
    }

    @Override
    public EventHandler<Long, Long> eventHandler()
    {
        return newEventHandlerBuilder().forAnyState()
            .onEvent(Long.class, (balance, amount) -> balance + amount)
            .build();
    }

    @Override
    public RetentionCriteria retentionCriteria()
    {
        return RetentionCriteria.snapshotEvery(20, 2).withDeleteEventsOnSnapshot();
    }

    /** Prints the balance of an account, then deposits 1 for ever and prints each balance. */
    private static Behavior<Long> client(final int number)
    {
        return Behaviors.setup((context) ->
        {
            final ActorRef<Deposit> account = context.spawn(create(Integer.toString(number)), "account");
            account.tell(new Deposit(0, context.getSelf()));
            return Behaviors.receiveMessage((balance) ->
            {
                print(number + " " + balance);
                account.tell(new Deposit(1, context.getSelf()));
                return Behaviors.same();
            });
        });
    }

    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    private static void print(final String line)
    {
        System.out.println(line);
    }

    public static void main(final String[] args)
    {
        ActorSystem.create(Behaviors.setup((context) ->
        {
            for (int i = 0; i < ACCOUNTS; i++)
            {
                context.spawn(client(i), "client-" + i);
            }
            return Behaviors.empty();
        }), "bank", Systems.config(Path.of(args[0])));
    }
}
