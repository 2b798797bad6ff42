package io.journal.examples.bank.web;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * A client of the live stream, with a thread that writes to it and a short queue of what is not written yet.
 */
final class Watcher
{
    private static final int QUEUE_LENGTH = 16;
    // After a restart of the bank the page should be there again soon.
    private static final byte[] RETRY = "retry: 500\n\n".getBytes(US_ASCII);
    private static final byte[] DATA = "data: ".getBytes(US_ASCII);
    private static final byte[] END = "\n\n".getBytes(US_ASCII);

    private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(QUEUE_LENGTH);
    private final HttpExchange exchange;
    private final Consumer<Watcher> onEnd;
    private final Thread thread = BankWebServer.daemon(this::run, "bank-watcher");

    Watcher(final HttpExchange exchange, final Consumer<Watcher> onEnd) throws IOException
    {
        this.exchange = exchange;
        this.onEnd = onEnd;
        final Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", "text/event-stream");
        headers.set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
    }

    void start()
    {
        thread.start();
    }

    /** Hands over a message; a watcher that has not read the last ones is cut off. */
    void offer(final byte[] message)
    {
        if (!queue.offer(message))
        {
            close();
        }
    }

    void close()
    {
        onEnd.accept(this);
        // Its own thread closes the exchange, since that may wait for the client; an interrupt ends a blocked write.
        thread.interrupt();
    }

    private void run()
    {
        try (exchange; OutputStream output = exchange.getResponseBody())
        {
            output.write(RETRY);
            while (true)
            {
                final byte[] message = queue.take();
                output.write(DATA);
                output.write(message);
                output.write(END);
                output.flush();
            }
        }
        catch (final IOException | InterruptedException ex)
        {
            onEnd.accept(this);
        }
    }
}
