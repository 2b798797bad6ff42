package io.journal.examples.cqrs;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadLimit;
import io.journal.RecordHeader;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;

/**
 * Follows the journal and keeps the view up to date: first on the thread that opens the bank, then on its own.
 */
final class Projection implements Agent
{
    // So that the thread looks now and then whether it is to stop.
    private static final int BATCH_LIMIT = 256;

    private final AccountsView view;
    private final JournalReader reader;

    Projection(final Journal journal, final AccountsView view)
    {
        this.view = view;
        // What a loss of power could take back must not be shown.
        reader = journal.openReader(ReadLimit.FORCED);
    }

    /**
     * Applies what is there, so that queries after a restart see no less than before.
     */
    void catchUp()
    {
        while (poll() > 0)
        {
            // Until there is no more.
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
            // Trying again would fail again, skipping the event would show what is not so. An Error as well: left to
            // itself the runner would end without a word to those who wait.
            view.stop(ex);
            throw new AgentTerminationException("cannot go on: sequence=" + reader.nextSequence(), ex);
        }
    }

    @Override
    public void onClose()
    {
        // Here, and not where the bank is closed: a reader belongs to one thread.
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

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHeader header)
    {
        view.apply(header.sequence(), EventCodec.decode(header.tag(), buffer, offset, length));
    }
}
