package io.journal.examples.bank.read;

import java.util.UUID;

import io.journal.examples.bank.codec.StoredEvent;
import io.journal.examples.bank.domain.Event;

/**
 * An event as a row, for tables.
 *
 * @param sequence  of the event.
 * @param commandId of its command.
 * @param kind      what happened.
 * @param account   the account.
 * @param to        the account that money went to; 0 if this is no transfer.
 * @param cents     the amount.
 * @param owner     of the account that was opened; otherwise null.
 */
public record Entry(long sequence, UUID commandId, Kind kind, long account, long to, long cents, String owner)
{
    /** What happened. */
    public enum Kind
    {
        OPENED, DEPOSITED, WITHDRAWN, TRANSFERRED
    }

    /** {@return the row of an event} */
    public static Entry of(final long sequence, final StoredEvent stored)
    {
        final Maker maker = new Maker(sequence, stored.commandId());
        stored.event().accept(maker);
        return maker.entry;
    }

    private static final class Maker implements Event.Visitor
    {
        private final long sequence;
        private final UUID id;
        private Entry entry;

        private Maker(final long sequence, final UUID id)
        {
            this.sequence = sequence;
            this.id = id;
        }

        @Override
        public void on(final Event.AccountOpened event)
        {
            entry = new Entry(sequence, id, Kind.OPENED, event.accountId(), 0, 0, event.owner());
        }

        @Override
        public void on(final Event.Deposited event)
        {
            entry = new Entry(sequence, id, Kind.DEPOSITED, event.accountId(), 0, event.cents(), null);
        }

        @Override
        public void on(final Event.Withdrawn event)
        {
            entry = new Entry(sequence, id, Kind.WITHDRAWN, event.accountId(), 0, event.cents(), null);
        }

        @Override
        public void on(final Event.Transferred event)
        {
            entry = new Entry(
                sequence, id, Kind.TRANSFERRED, event.accountId(), event.toAccountId(), event.cents(), null);
        }
    }
}
