package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.Map;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;

/**
 * Sends answers.
 */
final class Responses
{
    private Responses()
    {
    }

    static void json(final HttpExchange exchange, final int status, final Object value) throws IOException
    {
        send(exchange, status, "application/json", Json.bytes(value));
    }

    static void error(final HttpExchange exchange, final int status, final String message) throws IOException
    {
        if (503 == status)
        {
            exchange.getResponseHeaders().set("Retry-After", "1");
        }
        // The rest of a body that was not read is not worth reading: without a limit it could be endless.
        if (413 == status)
        {
            exchange.getResponseHeaders().set("Connection", "close");
        }
        json(exchange, status, Map.of("status", status, "message", String.valueOf(message)));
    }

    static void send(final HttpExchange exchange, final int status, final String type, final byte[] body)
        throws IOException
    {
        try (exchange)
        {
            final Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Type", type);
            headers.set("Cache-Control", "no-store");
            headers.set("X-Content-Type-Options", "nosniff");
            // No script but the page's own, and no page of another site around it, whose visitors click on what they do
            // not see.
            headers.set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'");
            if ("HEAD".equals(exchange.getRequestMethod()))
            {
                exchange.sendResponseHeaders(status, -1);
                return;
            }
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
