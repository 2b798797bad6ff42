// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import io.journal.JournalAppender;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.domain.Bank;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.domain.Event;
import io.journal.examples.bank.domain.Rejection;

/**
 * Executes a command in four steps: look up its id, decide, append the event, apply the event. Does not wait for an
 * fsync. Used by one thread only, so that each decision is based on all earlier events.
 */
final class Writer
{
    private final EventCodec codec = new EventCodec();
    private final JournalAppender appender;
    private final Bank bank;
    private long sequence;

    Writer(final JournalAppender appender, final Recovery state)
    {
        this.appender = appender;
        bank = state.bank();
        sequence = state.sequence();
    }

    Bank bank()
    {
        return bank;
    }

    /** Last event in the state. */
    long sequence()
    {
        return sequence;
    }

    /** Returns an answer that must not be given before the last event in the state is durable. */
    Answer execute(final CommandRequest request)
    {
        final long executedSequence = bank.executed().sequence(request.id());
        if (executedSequence > 0)
        {
            return new Answer(executedSequence, true, null);
        }

        final Event event;
        try
        {
            event = bank.decide(request);
        }
        catch (final Rejection ex)
        {
            return new Answer(0, false, ex);
        }
        final long appended = codec.append(appender, request.id(), event);
        // Apply after the append: if the append throws, the state still matches the journal.
        bank.apply(appended, request.id(), event);
        sequence = appended;
        return new Answer(appended, false, null);
    }
}
