package io.journal.replicated.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

import io.journal.replicated.spi.Requester;
import io.journal.replicated.spi.Role;
import io.journal.replicated.spi.StateMachine;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * The least that a service can do with a message and still have its bytes: write them to a file, and say so.
 */
final class BareMachine implements StateMachine
{
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
    private final UnsafeBuffer reply = new UnsafeBuffer(new byte[Long.BYTES]);
    private long count;

    BareMachine(final Path file) throws IOException
    {
        channel = FileChannel.open(file, CREATE, WRITE);
    }

    @Override
    public void committed(final Requester requester, final DirectBuffer message, final int offset, final int length)
    {
        buffer.clear();
        message.getBytes(offset, buffer, 0, length);
        buffer.limit(length);
        try
        {
            while (buffer.hasRemaining())
            {
                channel.write(buffer);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        reply.putLong(0, ++count);
        requester.reply(reply, 0, Long.BYTES);
    }

    @Override
    public byte[] snapshot(final long logPosition)
    {
        return new byte[1];
    }

    @Override
    public void restore(final byte[] snapshot)
    {
        throw new UnsupportedOperationException("a benchmark does not restart");
    }

    @Override
    public void term(final int capacity)
    {
        // The same with each.
    }

    @Override
    public void role(final Role role)
    {
        // The same with each.
    }

    @Override
    public int work()
    {
        return 0;
    }
}
