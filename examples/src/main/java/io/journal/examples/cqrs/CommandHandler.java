package io.journal.examples.cqrs;

import java.util.concurrent.locks.ReentrantLock;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.RecordHeader;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;

/**
 * The side of the commands. Any number of threads may call it.
 */
public final class CommandHandler implements AutoCloseable
{
    // To look at the state, append what follows from it and apply that must not be mixed with another thread's. It is
    // short, nobody waits for a device meanwhile; the lock also hands the appender from thread to thread.
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
     * Rebuilds the state that decides commands.
     *
     * @param journal to be read, then appended to. It is closed by who opened it.
     * @param clock   tells when an account is opened.
     * @return ready for commands.
     */
    static CommandHandler open(final Journal journal, final EpochClock clock)
    {
        final CommandHandler handler = new CommandHandler(journal, clock);
        handler.rebuild();
        return handler;
    }

    /**
     * Carries out a command. On return what has happened survives a loss of power.
     *
     * @param command to be decided.
     * @return sequence of the event, by which a query can wait for it: {@link AccountsView#awaitSequence}.
     * @throws CommandRejectedException if a rule forbids it; nothing has changed.
     * @throws JournalFullException     if there is no space; nothing has changed, and the same call works once there
     *                                  is.
     * @throws JournalException         if storage failed: close and open again. Whether the command was carried out is
     *                                  known after that.
     * @throws IllegalStateException    if this is closed; nothing has changed.
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

        // Outside the lock, so threads that wait here at the same time share a force. A refusal waits as well: it may
        // rest on another thread's event that is not forced yet, and must not be given for something that is lost.
        awaitForced(sequence);
        if (null != rejection)
        {
            throw rejection;
        }

        return sequence;
    }

    /**
     * Refuses further commands, and forces what those before have appended, so that each thread still waiting gets its
     * answer although the journal is closed next. May be called twice.
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
                // Until there is no more.
            }
            appliedSequence = reader.nextSequence() - 1;
        }
    }

    private void replay(final DirectBuffer buffer, final int offset, final int length, final RecordHeader header)
    {
        bank.apply(EventCodec.decode(header.tag(), buffer, offset, length));
    }

    private long appendDecision(final Command command) throws CommandRejectedException
    {
        final Event event = bank.decide(command);
        codec.encode(event);
        final long sequence = appender.append(codec.tag(), codec.buffer(), 0, codec.length());
        // Applied only now: if there is no space, or storage fails, the state is that of the journal still.
        bank.apply(event);
        appliedSequence = sequence;
        return sequence;
    }

    private void awaitForced(final long sequence)
    {
        // 0: refused before anything has ever happened.
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

        // An append that failed half-way, or an event that could not be applied: what is decided from here on would
        // rest on a state that is not the journal's.
        if (journal.lastSequence() != appliedSequence)
        {
            throw new IllegalStateException(
                "the state is not the journal's, open again: appliedSequence=" + appliedSequence + ", lastSequence=" +
                    journal.lastSequence());
        }
    }
}
