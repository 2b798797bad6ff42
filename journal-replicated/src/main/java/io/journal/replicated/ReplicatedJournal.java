// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.JournalFullException;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;

/**
 * The single writer of a journal that a cluster keeps on several machines. Opening it fences the previous writer.
 * <p>
 * A record is durable once it is committed: a majority of the members has it, so it survives the loss of a minority. If
 * members were started with {@link JournalMember.Builder#forced}, the majority has fsynced it as well.
 * {@link #awaitForced}, {@link #onForced} and {@link #forcedSequence()} refer to committed records. Each member keeps
 * them in an ordinary local journal, to be read there with {@link io.journal.Journal#openReadOnly}.
 * <p>
 * The writer numbers the records, so many may be in flight. After a change of the leader, unacknowledged records are
 * sent again, and members append none twice. Appended records are kept in memory only until they are committed.
 * <p>
 * Every method throws
 * <ul>
 * <li>{@link FencedException} once another writer has opened the journal;</li>
 * <li>{@link UncertainException} once no member has acknowledged anything for the
 * {@link ReplicatedJournalBuilder#deadline} although records are in flight;</li>
 * <li>{@link IllegalStateException} if the journal is closed.</li>
 * </ul>
 * Thread-safe: appends of several threads get their sequences in the order in which the threads enter.
 */
public final class ReplicatedJournal implements AutoCloseable
{
    private static final long END_TIMEOUT_MS = 5_000;

    private final Writer writer;
    private final ReplicatedJournalBuilder settings;
    private final ReplicatedAppender appender;
    // One for each waiting thread, so that waiting allocates nothing.
    private final ThreadLocal<IdleStrategy> idleStrategies;
    private final IdleStrategy idle;
    private final ErrorHandler errorHandler;
    private final Thread thread = new Thread(this::run, "journal-replicated");
    private final AtomicReference<LongConsumer> listener = new AtomicReference<>();
    private volatile boolean isClosing;
    private volatile boolean isEnding;

    private ReplicatedJournal(final ReplicatedJournalBuilder settings, final Writer writer)
    {
        this.settings = settings;
        this.writer = writer;
        appender = new ReplicatedAppender(writer, settings);
        idleStrategies = ThreadLocal.withInitial(settings.engine.idleStrategies);
        idle = settings.engine.idleStrategies.get();
        errorHandler = ErrorHandlers.guarded(settings.errorHandler);
        thread.setDaemon(true);
    }

    /**
     * Settings of a journal to open.
     *
     * @param members {@code host:port} of each member, separated by commas, in the order of their ids.
     * @return the settings.
     * @throws IllegalArgumentException if an address is malformed.
     */
    public static ReplicatedJournalBuilder builder(final String members)
    {
        return new ReplicatedJournalBuilder(members);
    }

    static ReplicatedJournal connect(final ReplicatedJournalBuilder settings, final Writer writer)
    {
        try
        {
            final ReplicatedJournal journal = new ReplicatedJournal(settings, writer);
            journal.awaitOpened();
            journal.thread.start();
            return journal;
        }
        catch (final Throwable ex)
        {
            writer.close();
            throw ex;
        }
    }

    private void awaitOpened()
    {
        final long endNs = System.nanoTime() + settings.timeout.toNanos();
        writer.lock.lock();
        try
        {
            while (!writer.isOpened())
            {
                final int work = writer.drive();
                if (WriterState.UNCERTAIN == writer.state() || System.nanoTime() - endNs >= 0)
                {
                    throw writer.notOpened();
                }
                if (Thread.currentThread().isInterrupted())
                {
                    throw new JournalException("interrupted before a leader answered: members=" + settings.members);
                }
                idle.idle(work);
            }
        }
        finally
        {
            writer.lock.unlock();
        }
    }

    /**
     * {@return the appender, always the same object, for any number of threads} Code written for the appender of a
     * local journal runs unchanged. The returned sequence is the sequence that the record will have once it is
     * committed. Appending waits while the window is full, and throws {@link JournalFullException} if there was no room
     * in time; the same call succeeds once members acknowledge records again. Claims and batches are not offered: they
     * throw {@link UnsupportedOperationException}.
     */
    public JournalAppender appender()
    {
        return appender;
    }

    /**
     * Waits until a record is committed.
     *
     * @param sequence of the record; 0, the last sequence of an empty journal, is committed.
     * @throws IllegalArgumentException if no such record was appended.
     */
    public void awaitForced(final long sequence)
    {
        await(sequence, Long.MAX_VALUE);
    }

    /**
     * Waits until a record is committed, but no longer than a timeout.
     *
     * @param sequence of the record.
     * @param timeout  0 or more.
     * @return whether the record is committed. If not, it is still sent until it is.
     * @throws IllegalArgumentException if no such record was appended.
     */
    public boolean awaitForced(final long sequence, final Duration timeout)
    {
        return await(sequence, timeout.toNanos());
    }

    private boolean await(final long sequence, final long timeoutNs)
    {
        if (sequence < 0 || sequence > writer.last())
        {
            throw new IllegalArgumentException(
                "no such record: sequence=" + sequence + ", lastSequence=" + writer.last());
        }

        final long beginNs = System.nanoTime();
        final IdleStrategy ownIdle = idleStrategies.get();
        ownIdle.reset();
        while (writer.acknowledged() < sequence)
        {
            int work = 0;
            // The thread that holds the lock drives the writer for all.
            if (writer.lock.tryLock())
            {
                try
                {
                    writer.check();
                    work = writer.drive();
                }
                finally
                {
                    writer.lock.unlock();
                }
            }

            if (writer.acknowledged() < sequence)
            {
                if (System.nanoTime() - beginNs >= timeoutNs)
                {
                    return false;
                }
                ownIdle.idle(work);
            }
        }

        return true;
    }

    /**
     * Waits until all appended records are committed.
     */
    public void force()
    {
        final long sequence = writer.last();
        if (sequence > 0)
        {
            await(sequence, Long.MAX_VALUE);
        }
    }

    /**
     * Registers the one durability listener. A background thread calls it with rising sequences: all records up to each
     * sequence are committed. Its exceptions go to the {@link ReplicatedJournalBuilder#errorHandler}.
     *
     * @param newListener of committed sequences.
     * @throws IllegalStateException if a listener is registered already.
     */
    public void onForced(final LongConsumer newListener)
    {
        if (!listener.compareAndSet(null, Objects.requireNonNull(newListener, "listener")))
        {
            throw new IllegalStateException("a listener is registered: compose the two");
        }
    }

    /**
     * Drops old history on all members: at each member, the segments whose records are below a sequence, and the part
     * of the cluster's log that no member needs any more. Records that some member has not put into a snapshot yet are
     * kept, so a member that is down or late holds pruning back.
     *
     * @param sequence of the first record still needed.
     * @param timeout  how long to wait for the answer.
     * @return the sequence that was pruned to: at most the given one.
     * @throws IllegalArgumentException if there is no such record yet.
     * @throws JournalException         if no answer came in time; it may be done nevertheless.
     */
    public long prune(final long sequence, final Duration timeout)
    {
        if (sequence < 1 || sequence > writer.acknowledged() + 1)
        {
            throw new IllegalArgumentException(
                "no such record: sequence=" + sequence + ", forcedSequence=" + writer.acknowledged());
        }

        return writer.prune(sequence, timeout.toNanos(), idleStrategies.get());
    }

    /** {@return the sequence of the newest appended record; right after connecting, of the newest committed record} */
    public long lastSequence()
    {
        return writer.last();
    }

    /** {@return the sequence of the newest record that is known to be committed} */
    public long forcedSequence()
    {
        return writer.acknowledged();
    }

    /** {@return the epoch of this writer; each writer that opens the journal gets a higher epoch} */
    public long epoch()
    {
        return writer.epoch();
    }

    /** {@return how this writer stands to the cluster now} */
    public WriterState state()
    {
        return writer.state();
    }

    /** {@return the id of the leader this writer was connected to last} */
    public int leaderId()
    {
        return writer.leaderId();
    }

    /** {@return runtime metrics} */
    public WriterCounters counters()
    {
        return writer.counters;
    }

    /**
     * Waits for records in flight, up to the {@link ReplicatedJournalBuilder#deadline}, and ends the writer.
     * Idempotent.
     *
     * @throws JournalException if records are left whose fate is not known: an {@link UncertainException}, or what
     *                          ended the writer before, if the calling thread has not received that as an exception.
     */
    @Override
    public void close()
    {
        if (isClosing)
        {
            return;
        }

        try
        {
            if (!writer.isFailureReceived())
            {
                force();
            }
        }
        finally
        {
            isClosing = true;
            end();
        }
    }

    /** Drives the writer while no other thread does, and calls the listener. */
    private void run()
    {
        long notified = writer.acknowledged();
        while (!isEnding)
        {
            final int work = drive();
            final long acknowledged = notifyAbove(notified);
            idle.idle(work + (acknowledged > notified ? 1 : 0));
            notified = acknowledged;
        }
        // Notify of records that were acknowledged while the journal was closed.
        notifyAbove(notified);
    }

    private int drive()
    {
        if (!writer.lock.tryLock())
        {
            return 0;
        }

        Throwable error = null;
        try
        {
            return writer.drive();
        }
        catch (final Throwable ex)
        {
            // Catch errors as well: without this thread no listener would be called, and no deadline would pass.
            error = ex;
            return 0;
        }
        finally
        {
            writer.lock.unlock();
            // Called without the lock, because the handler may wait for a thread that closes the journal.
            if (null != error)
            {
                errorHandler.onError(error);
            }
        }
    }

    /**
     * Calls the listener, if there is one, with newly acknowledged records, and returns the sequence that it was called
     * with.
     */
    private long notifyAbove(final long notified)
    {
        final LongConsumer current = listener.get();
        final long acknowledged = writer.acknowledged();
        if (acknowledged <= notified || null == current)
        {
            return notified;
        }

        try
        {
            current.accept(acknowledged);
        }
        catch (final Throwable ex)
        {
            errorHandler.onError(ex);
        }
        return acknowledged;
    }

    private void end()
    {
        boolean isInterrupted = false;
        try
        {
            isEnding = true;
            // A listener that does not return is not waited for.
            thread.join(END_TIMEOUT_MS);
        }
        catch (final InterruptedException ex)
        {
            isInterrupted = true;
        }

        writer.close();

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString()
    {
        return "ReplicatedJournal{members=" + settings.members + ", state=" + state() + ", epoch=" + epoch() +
            ", lastSequence=" + lastSequence() + ", forcedSequence=" + forcedSequence() + '}';
    }
}
