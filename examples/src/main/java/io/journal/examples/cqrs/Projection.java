package io.journal.examples.cqrs;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;

/**
 * Follows the journal and keeps the view up to date: first on the thread that opens the bank, then on its own thread.
 */
final class Projection implements Agent
{
    // Small enough that the runner's thread regularly checks whether to stop.
    private static final int BATCH_LIMIT = 256;

    private final AccountsView view;
    private final JournalReader reader;

    Projection(final Journal journal, final AccountsView view)
    {
        this.view = view;
        // Up to the durable watermark only: queries must not return what a power loss could take back.
        reader = journal.openReader(JournalReader.Limit.FORCED);
    }

    /**
     * Applies all present events, so that queries after a restart see no less than before.
     */
    void catchUp()
    {
        while (poll() > 0)
        {
            // Repeat until there are no more events.
        }
    }

    @Override
    public int doWork()
    {
        try
        {
            return poll();
        }
        catch (final Throwable ex)
        {
            // A retry would fail again, and skipping the event would make answers wrong. Errors are caught as well:
            // otherwise the runner would end without waking the threads that wait.
            view.stop(ex);
            throw new AgentTerminationException("cannot go on: sequence=" + reader.nextSequence(), ex);
        }
    }

    @Override
    public void onClose()
    {
        // Closed here and not by the bank: a reader is confined to one thread.
        view.stop(null);
        reader.close();
    }

    @Override
    public String roleName()
    {
        return "bank-projection";
    }

    private int poll()
    {
        return reader.poll(this::apply, BATCH_LIMIT);
    }

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        view.apply(header.sequence(), EventCodec.decode(header.tag(), buffer, offset, length));
    }
}
