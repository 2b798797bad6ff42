// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.journal.BankJournal;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/**
 * Follows the journal on a thread of its own and keeps a read model up to date. Reads up to the durable watermark only,
 * because queries must not return events that a power loss could take back.
 *
 * @param <M> type of the model.
 */
public final class ReadModelRunner<M extends ReadModel> implements AutoCloseable
{
    private static final int BATCH_LIMIT = 2_048;
    private static final Duration IDLE = Duration.ofMillis(100);
    private static final long POLL_NS = 500_000;
    // Saving the cursor costs an fsync. Its only use is that history can be pruned, so saving after every batch is not
    // worth it.
    private static final long SAVE_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final EventCodec codec = new EventCodec();
    private final BankJournal journal;
    private final String name;
    private final M model;
    private final Thread thread;
    private volatile boolean isRunning = true;
    private volatile Throwable failure;
    private volatile long sequence;
    // After the start, used by the runner's thread only.
    private JournalReader reader;

    /**
     * Starts to apply events, from the event after the last event in the model. The runner saves its position in a
     * cursor with the name of the model. It closes the model, even if it cannot be started.
     */
    public ReadModelRunner(final BankJournal journal, final String name, final M model)
    {
        this.journal = journal;
        this.name = name;
        this.model = model;
        sequence = model.sequence();
        thread = new Thread(this::run, "bank-" + name);
        thread.setDaemon(true);
        try
        {
            // From here on, events that the model lacks are not pruned.
            journal.consumed(name, sequence);
            reader = journal.openReader(sequence + 1);
            thread.start();
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietCloseAll(reader, model);
            throw ex;
        }
    }

    /**
     * {@return the model, for queries} Throws if the model has stopped, because its answers would become ever staler.
     */
    public M model()
    {
        if (!isRunning)
        {
            throw new IllegalStateException("read model has stopped: name=" + name, failure);
        }
        return model;
    }

    /**
     * {@return the model, once queries reflect an event} A client that waits for its own event reads its own writes.
     */
    public M await(final long awaited, final Duration timeout) throws TimeoutException
    {
        final long startNs = System.nanoTime();
        while (sequence < awaited)
        {
            if (System.nanoTime() - startNs > timeout.toNanos())
            {
                throw new TimeoutException("read model is behind: name=" + name + ", sequence=" + sequence);
            }
            model();
            LockSupport.parkNanos(POLL_NS);
        }
        return model();
    }

    /** {@return the last event that queries reflect} */
    public long sequence()
    {
        return sequence;
    }

    /** {@return why the model has stopped, or null} */
    public Throwable failure()
    {
        return failure;
    }

    /** Stops and closes the model. Idempotent. */
    @Override
    public void close()
    {
        isRunning = false;
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void run()
    {
        long savedAtNs = System.nanoTime();
        try
        {
            while (isRunning)
            {
                if (reader.await(IDLE))
                {
                    reader.poll(this::apply, BATCH_LIMIT);
                    model.commit();
                    sequence = model.sequence();
                }
                else
                {
                    reader = journal.moveOn(reader);
                }
                if (System.nanoTime() - savedAtNs >= SAVE_INTERVAL_NS)
                {
                    journal.consumed(name, sequence);
                    savedAtNs = System.nanoTime();
                }
            }
            journal.consumed(name, sequence);
        }
        catch (final Throwable ex)
        {
            // Stop, because skipping the event would make answers wrong. The next start of the bank tries again.
            failure = ex;
            System.getLogger(ReadModelRunner.class.getName())
                .log(System.Logger.Level.ERROR, "read model failed: name=" + name, ex);
        }
        finally
        {
            isRunning = false;
            CloseHelper.quietCloseAll(reader, model);
        }
    }

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        model.apply(header.sequence(), codec.decode(buffer, offset, length, header));
    }
}
