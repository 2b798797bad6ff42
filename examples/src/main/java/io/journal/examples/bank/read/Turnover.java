package io.journal.examples.bank.read;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Properties;

import io.journal.examples.bank.domain.Event;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The read model that another process builds: how much money was moved. Kept in a small file that is replaced as a
 * whole, together with the sequence of the last event in it, so its effect is exactly once as well.
 */
public final class Turnover implements Event.Visitor
{
    private long sequence;
    private long events;
    private long depositedCents;
    private long withdrawnCents;
    private long transferredCents;

    /**
     * A copy of the model.
     *
     * @param sequence         last event in it.
     * @param events           number of events.
     * @param depositedCents   all deposits.
     * @param withdrawnCents   all withdrawals.
     * @param transferredCents all transfers.
     */
    public record Figures(
        long sequence, long events, long depositedCents, long withdrawnCents, long transferredCents)
    {
    }

    /**
     * {@return what a file holds; nothing if there is none}
     *
     * @param file of the model.
     * @throws IOException if it cannot be read.
     */
    public static Turnover read(final Path file) throws IOException
    {
        final Turnover turnover = new Turnover();
        if (Files.exists(file))
        {
            final Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file))
            {
                properties.load(reader);
            }
            turnover.sequence = get(properties, "sequence");
            turnover.events = get(properties, "events");
            turnover.depositedCents = get(properties, "depositedCents");
            turnover.withdrawnCents = get(properties, "withdrawnCents");
            turnover.transferredCents = get(properties, "transferredCents");
        }
        return turnover;
    }

    /**
     * Replaces the file: writes another one, fsyncs it, and renames it. A crash leaves the old content or the new one;
     * the bank fsyncs the directory before it relies on the new one.
     *
     * @param file of the model.
     * @throws IOException if it cannot be written.
     */
    public void write(final Path file) throws IOException
    {
        final Properties properties = new Properties();
        properties.setProperty("sequence", Long.toString(sequence));
        properties.setProperty("events", Long.toString(events));
        properties.setProperty("depositedCents", Long.toString(depositedCents));
        properties.setProperty("withdrawnCents", Long.toString(withdrawnCents));
        properties.setProperty("transferredCents", Long.toString(transferredCents));
        final StringWriter text = new StringWriter();
        properties.store(text, null);

        final Path temporary = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
            temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING))
        {
            final ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(UTF_8));
            while (bytes.hasRemaining())
            {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Applies the next event.
     *
     * @param sequence of the event.
     * @param event    to apply.
     */
    public void apply(final long sequence, final Event event)
    {
        event.accept(this);
        this.sequence = sequence;
        events++;
    }

    /** {@return a copy of the model} */
    public Figures figures()
    {
        return new Figures(sequence, events, depositedCents, withdrawnCents, transferredCents);
    }

    @Override
    public void on(final Event.AccountOpened event)
    {
        // Moves no money.
    }

    @Override
    public void on(final Event.Deposited event)
    {
        depositedCents += event.amountCents();
    }

    @Override
    public void on(final Event.Withdrawn event)
    {
        withdrawnCents += event.amountCents();
    }

    @Override
    public void on(final Event.Transferred event)
    {
        transferredCents += event.amountCents();
    }

    private static long get(final Properties properties, final String name) throws IOException
    {
        try
        {
            return Long.parseLong(properties.getProperty(name));
        }
        catch (final NumberFormatException ex)
        {
            throw new IOException("not a file of this model: missing=" + name, ex);
        }
    }
}
