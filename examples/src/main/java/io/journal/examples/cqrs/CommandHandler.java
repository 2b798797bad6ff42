package io.journal.examples.cqrs;

import java.util.concurrent.locks.ReentrantLock;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;

/**
 * The command side. Thread-safe.
 */
public final class CommandHandler implements AutoCloseable
{
    // Makes "decide, append, apply" atomic: no other command can change the state between these steps. It also hands
    // the appender from thread to thread. Held only briefly, and never while waiting for an fsync.
    private final ReentrantLock lock = new ReentrantLock();
    private final EventCodec codec = new EventCodec();
    private final Journal journal;
    private final JournalAppender appender;
    private final Bank bank;
    private long appliedSequence;
    private boolean isClosed;

    private CommandHandler(final Journal journal, final EpochClock clock)
    {
        this.journal = journal;
        appender = journal.appender();
        bank = new Bank(clock);
    }

    /**
     * Rebuilds the state that commands are decided on.
     *
     * @param journal to replay, and then to append to. The caller closes it.
     * @param clock   for the opening times of accounts.
     * @return the handler, ready for commands.
     */
    static CommandHandler open(final Journal journal, final EpochClock clock)
    {
        final CommandHandler handler = new CommandHandler(journal, clock);
        handler.rebuild();
        return handler;
    }

    /**
     * Executes a command. On return its event is durable.
     *
     * @param command to execute.
     * @return sequence of the event; {@link AccountsView#awaitSequence} waits until queries reflect it.
     * @throws CommandRejectedException if a rule forbids it; nothing has changed.
     * @throws JournalFullException     if the disk is full. Nothing has changed; the call can be retried once there is
     *                                  space.
     * @throws JournalException         if storage failed. Close and reopen to find out whether the command was
     *                                  executed.
     * @throws IllegalStateException    if this handler is closed, or an earlier failure left its state behind the
     *                                  journal; nothing has changed.
     */
    public long handle(final Command command) throws CommandRejectedException
    {
        CommandRejectedException rejection = null;
        long sequence;
        lock.lock();
        try
        {
            checkOpen();
            sequence = appendDecision(command);
        }
        catch (final CommandRejectedException ex)
        {
            rejection = ex;
            sequence = appliedSequence;
        }
        finally
        {
            lock.unlock();
        }

        // Outside the lock, so that threads that wait at the same time share one fsync (group commit). A rejection
        // waits as well: it may depend on another thread's event that is not durable yet and could still be lost.
        awaitForced(sequence);
        if (null != rejection)
        {
            throw rejection;
        }

        return sequence;
    }

    /**
     * Rejects further commands and forces what earlier ones appended, so that every waiting thread gets its answer
     * before the journal is closed. Idempotent.
     */
    @Override
    public void close()
    {
        lock.lock();
        try
        {
            if (isClosed)
            {
                return;
            }
            isClosed = true;
        }
        finally
        {
            lock.unlock();
        }

        journal.force();
    }

    private void rebuild()
    {
        try (JournalReader reader = journal.openReader())
        {
            while (reader.poll(this::replay, Integer.MAX_VALUE) > 0)
            {
                // Repeat until there are no more events.
            }
            appliedSequence = reader.nextSequence() - 1;
        }
    }

    private void replay(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        bank.apply(EventCodec.decode(header.tag(), buffer, offset, length));
    }

    private long appendDecision(final Command command) throws CommandRejectedException
    {
        final Event event = bank.decide(command);
        codec.encode(event);
        final long sequence = appender.append(codec.tag(), codec.buffer(), 0, codec.length());
        // Applied after the append: if that throws, the state still matches the journal.
        bank.apply(event);
        appliedSequence = sequence;
        return sequence;
    }

    private void awaitForced(final long sequence)
    {
        // 0: rejected before there was any event.
        if (sequence > 0)
        {
            journal.awaitForced(sequence);
        }
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the bank is closed");
        }

        // An append failed half-way, or an event could not be applied. Further decisions would be based on a state that
        // differs from the journal.
        if (journal.lastSequence() != appliedSequence)
        {
            throw new IllegalStateException(
                "the state is not the journal's, open again: appliedSequence=" + appliedSequence + ", lastSequence=" +
                    journal.lastSequence());
        }
    }
}
