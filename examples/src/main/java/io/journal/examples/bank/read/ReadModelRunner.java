package io.journal.examples.bank.read;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.journal.BankJournal;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/**
 * Follows the journal on a thread of its own and keeps a read model up to date. Reads up to the durable watermark only:
 * queries must not return what a power loss could take back.
 *
 * @param <M> the kind of model.
 */
public final class ReadModelRunner<M extends ReadModel> implements AutoCloseable
{
    private static final int BATCH_LIMIT = 2_048;
    private static final Duration IDLE = Duration.ofMillis(100);
    // Saving is an fsync, which the cursor need not have after every batch: a model that is behind its cursor would
    // miss events, one that is ahead of it knows by its own sequence what to skip.
    private static final long SAVE_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final EventCodec codec = new EventCodec();
    private final BankJournal journal;
    private final String name;
    private final M model;
    private final Thread thread;
    private volatile boolean isRunning = true;
    private volatile Throwable failure;
    private long savedAtNs = System.nanoTime();
    // Used by the runner's thread only, once that is started.
    private JournalReader reader;

    private ReadModelRunner(final BankJournal journal, final String name, final M model)
    {
        this.journal = journal;
        this.name = name;
        this.model = model;
        // Holds back prune from now on.
        journal.cursor(name);
        reader = journal.openReader(model.sequence() + 1);
        thread = new Thread(this::run, "bank-" + name);
        thread.setDaemon(true);
    }

    /**
     * Starts a model, behind the last event it contains.
     *
     * @param journal of the bank.
     * @param name    of the model and its cursor.
     * @param model   to keep up to date; the runner closes it, also if it cannot be started.
     * @param <M>     the kind of model.
     * @return the runner.
     */
    public static <M extends ReadModel> ReadModelRunner<M> start(
        final BankJournal journal, final String name, final M model)
    {
        ReadModelRunner<M> runner = null;
        try
        {
            runner = new ReadModelRunner<>(journal, name, model);
            runner.thread.start();
            return runner;
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietCloseAll(null == runner ? null : runner.reader, model);
            throw ex;
        }
    }

    /** {@return the model} */
    public M model()
    {
        return model;
    }

    /** {@return the name of the model and its cursor} */
    public String name()
    {
        return name;
    }

    /** {@return the position saved in the cursor} */
    public long cursorSequence()
    {
        return journal.cursor(name);
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
        try
        {
            while (isRunning)
            {
                if (reader.await(IDLE))
                {
                    reader.poll(this::apply, BATCH_LIMIT);
                    model.commit();
                }
                else
                {
                    reader = journal.moveOn(reader);
                }
                saveCursor(false);
            }
            saveCursor(true);
        }
        catch (final Throwable ex)
        {
            // Skipping the event would make answers wrong. The next start of the bank tries again.
            failure = ex;
            System.getLogger(ReadModelRunner.class.getName())
                .log(System.Logger.Level.ERROR, "read model failed: name=" + name(), ex);
        }
        finally
        {
            // Closed here and not by the bank: reader and model are confined to this thread.
            model.stop(failure);
            reader.close();
            model.close();
        }
    }

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        model.apply(header.sequence(), codec.decode(buffer, offset, length));
    }

    private void saveCursor(final boolean isLast)
    {
        final long sequence = model.sequence();
        // Never moved back: a model that is rebuilt beside the one in use shares its cursor.
        if (sequence > journal.cursor(name) && (isLast || System.nanoTime() - savedAtNs > SAVE_INTERVAL_NS))
        {
            journal.saveCursor(name, sequence);
            savedAtNs = System.nanoTime();
        }
    }
}
