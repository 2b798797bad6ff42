package io.journal.examples.bank.run;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.HdrHistogram.Histogram;

/**
 * A load generator: many connections, each with one command on its way, all served by one thread. It remembers the ids
 * of the commands that were answered. If the server dies, it connects again and repeats what was not answered, with the
 * same ids. Used by one thread.
 */
public final class LoadClient implements AutoCloseable
{
    private static final long MAX_LATENCY_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int SELECT_MS = 20;

    private final List<LoadConnection> connections = new ArrayList<>();
    private final List<UUID> executed = new ArrayList<>();
    private final Histogram latencies = new Histogram(MAX_LATENCY_NS, 3);
    private final Selector selector = Selector.open();
    private final Random random;
    private final int accounts;
    private final AtomicLong answered = new AtomicLong();
    private long repeatedSends;

    /**
     * A client that is not connected yet.
     *
     * @param port        of the bank on this machine.
     * @param connections number of connections, and so of commands at a time.
     * @param accounts    numbers of the accounts between which money is moved: from 1 to this.
     * @param seed        of the transfers.
     * @throws IOException if there is no selector.
     */
    public LoadClient(final int port, final int connections, final int accounts, final long seed) throws IOException
    {
        this.accounts = accounts;
        random = new Random(seed);
        final InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
        for (int i = 0; i < connections; i++)
        {
            this.connections.add(new LoadConnection(address));
        }
    }

    /**
     * Sends commands for a time, then waits for the answers to those on their way.
     *
     * @param durationNs for which new commands are sent.
     * @throws IOException if answers do not come for a minute.
     */
    public void run(final long durationNs) throws IOException
    {
        final long startNs = System.nanoTime();
        long lastAnswerNs = startNs;
        while (true)
        {
            final boolean isOver = System.nanoTime() - startNs > durationNs;
            connectAll(isOver);
            if (isOver && connections.stream().noneMatch(LoadConnection::hasCommand))
            {
                return;
            }

            final long answersBefore = answered();
            selector.select((key) -> onReady(key, System.nanoTime() - startNs > durationNs), SELECT_MS);
            if (answered() > answersBefore)
            {
                lastAnswerNs = System.nanoTime();
            }
            else if (System.nanoTime() - lastAnswerNs > TimeUnit.MINUTES.toNanos(1))
            {
                throw new IOException("no answer for a minute");
            }
        }
    }

    /** {@return the ids of the commands that were executed} */
    public List<UUID> executed()
    {
        return executed;
    }

    /** {@return the number of commands that were answered; any thread may ask} */
    public long answered()
    {
        return answered.get();
    }

    /** {@return how often a command was sent again because its connection broke} */
    public long repeatedSends()
    {
        return repeatedSends;
    }

    /** {@return the times from sending a command to its answer, in nanoseconds} */
    public Histogram latencies()
    {
        return latencies;
    }

    @Override
    public void close() throws IOException
    {
        connections.forEach(LoadConnection::close);
        selector.close();
    }

    private void connectAll(final boolean isOver)
    {
        for (final LoadConnection connection : connections)
        {
            if (!connection.isOpen() && (!isOver || connection.hasCommand()))
            {
                try
                {
                    connection.connect(selector);
                }
                catch (final IOException ex)
                {
                    connection.close();
                }
            }
        }
    }

    private void onReady(final SelectionKey key, final boolean isOver)
    {
        final LoadConnection connection = (LoadConnection)key.attachment();
        try
        {
            final int status = connection.onReady();
            if (status > 0)
            {
                onAnswer(connection, status);
            }
            if (0 != status)
            {
                sendNext(connection, isOver);
            }
        }
        catch (final IOException ex)
        {
            connection.close();
        }
    }

    private void onAnswer(final LoadConnection connection, final int status) throws IOException
    {
        if (status >= 500)
        {
            // Not executed, or not known: it is sent again.
            throw new IOException("answered with " + status);
        }
        if (200 == status)
        {
            executed.add(connection.id());
        }
        answered.incrementAndGet();
        latencies.recordValue(Math.min(System.nanoTime() - connection.sentAtNs(), MAX_LATENCY_NS));
        connection.answered();
    }

    private void sendNext(final LoadConnection connection, final boolean isOver) throws IOException
    {
        if (connection.hasCommand())
        {
            repeatedSends++;
        }
        else if (isOver)
        {
            connection.close();
            return;
        }
        else
        {
            final UUID id = new UUID(random.nextLong(), random.nextLong());
            final int from = random.nextInt(accounts);
            final int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
            connection.command(
                id, "{\"id\":\"" + id + "\",\"type\":\"transfer\",\"account\":" + (from + 1) + ",\"to\":" + (to + 1) +
                    ",\"cents\":" + (1 + random.nextInt(100)) + "}");
        }
        connection.send();
    }
}
