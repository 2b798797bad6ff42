package io.journal.examples.bank.run;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.UUID;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * One connection of the load generator: sends a command, reads its answer, then sends the next one. Used by one thread.
 */
final class LoadConnection
{
    private static final String LENGTH = "content-length:";

    private final ByteBuffer input = ByteBuffer.allocate(4_096);
    private final InetSocketAddress address;
    private SocketChannel channel;
    private SelectionKey key;
    private ByteBuffer output;

    /** Command that is on its way; sent again, with the same id, if the connection breaks. */
    private UUID id;
    private String body;
    private long sentAtNs;

    LoadConnection(final InetSocketAddress address)
    {
        this.address = address;
    }

    UUID id()
    {
        return id;
    }

    long sentAtNs()
    {
        return sentAtNs;
    }

    boolean isOpen()
    {
        return null != channel;
    }

    boolean hasCommand()
    {
        return null != id;
    }

    void connect(final Selector selector) throws IOException
    {
        channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        key = channel.register(selector, SelectionKey.OP_CONNECT, this);
        input.clear();
        if (channel.connect(address))
        {
            key.interestOps(SelectionKey.OP_WRITE);
        }
    }

    void command(final UUID id, final String body)
    {
        this.id = id;
        this.body = body;
        sentAtNs = System.nanoTime();
    }

    /** Sends the command, whether or not it was sent on an earlier connection. */
    void send() throws IOException
    {
        output = ByteBuffer.wrap(("POST /api/commands HTTP/1.1\r\nHost: 127.0.0.1:" + address.getPort() +
            "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
            .getBytes(US_ASCII));
        input.clear();
        write();
    }

    /**
     * Does what the connection is ready for.
     *
     * @return the status of an answer; 0 if there is none yet; -1 if the connection is ready for a command.
     */
    int onReady() throws IOException
    {
        if (key.isConnectable() && channel.finishConnect())
        {
            if (channel.getLocalAddress().equals(channel.getRemoteAddress()))
            {
                // Nobody listened, and the system chose the very port for this end.
                throw new IOException("connected to itself");
            }
            key.interestOps(0);
            return -1;
        }
        if (key.isWritable())
        {
            if (null == output)
            {
                return -1;
            }
            write();
        }
        return key.isReadable() ? read() : 0;
    }

    void answered()
    {
        id = null;
    }

    void close()
    {
        if (null != channel)
        {
            try
            {
                channel.close();
            }
            catch (final IOException ignore)
            {
                // It is of no more use anyway.
            }
            channel = null;
            output = null;
        }
    }

    private void write() throws IOException
    {
        channel.write(output);
        key.interestOps(output.hasRemaining() ? SelectionKey.OP_WRITE | SelectionKey.OP_READ : SelectionKey.OP_READ);
    }

    private int read() throws IOException
    {
        if (channel.read(input) < 0)
        {
            throw new IOException("closed by the server");
        }

        final String text = new String(input.array(), 0, input.position(), US_ASCII);
        final int headEnd = text.indexOf("\r\n\r\n");
        if (headEnd < 0)
        {
            return 0;
        }
        final String head = text.substring(0, headEnd).toLowerCase(Locale.ROOT);
        final int at = head.indexOf(LENGTH);
        final int lineEnd = head.indexOf("\r\n", at);
        final int length = Integer.parseInt(
            head.substring(at + LENGTH.length(), lineEnd < 0 ? head.length() : lineEnd).trim());
        if (input.position() < headEnd + 4 + length)
        {
            return 0;
        }
        return Integer.parseInt(text.substring(9, 12));
    }
}
