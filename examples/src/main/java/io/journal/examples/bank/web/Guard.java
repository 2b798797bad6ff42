package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.Set;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;

/**
 * Checks requests before anything is done with them.
 * <p>
 * The bank has no log-in; what protects it is that only this machine reaches it, and no page of another site. A browser
 * sends such a page's requests here as well, so: the {@code Host} must be a name of this machine (otherwise a name of
 * the attacker's could point here: DNS rebinding), the {@code Origin} must be this server, and a body must be declared
 * as JSON, which a form of another site cannot do.
 */
final class Guard
{
    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

    private Guard()
    {
    }

    static void checkHost(final HttpExchange exchange) throws HttpError
    {
        final String host = exchange.getRequestHeaders().getFirst("Host");
        final String name = null == host ? "" : host.replaceFirst(":\\d+$", "");
        if (!LOCAL_NAMES.contains(name))
        {
            throw new HttpError(403, "this bank is for this machine only");
        }
    }

    static void checkOrigin(final HttpExchange exchange) throws HttpError
    {
        final Headers headers = exchange.getRequestHeaders();
        final String origin = headers.getFirst("Origin");
        if (null != origin && !("http://" + headers.getFirst("Host")).equals(origin))
        {
            throw new HttpError(403, "not from the bank's own page");
        }
        final String site = headers.getFirst("Sec-Fetch-Site");
        if (null != site && !"same-origin".equals(site) && !"none".equals(site))
        {
            throw new HttpError(403, "not from the bank's own page");
        }
    }

    static byte[] readBody(final HttpExchange exchange, final int limit) throws HttpError, IOException
    {
        final String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (null == type || !"application/json".equalsIgnoreCase(type.split(";", 2)[0].trim()))
        {
            throw new HttpError(415, "the content type must be application/json");
        }

        final byte[] body = exchange.getRequestBody().readNBytes(limit + 1);
        if (body.length > limit)
        {
            throw new HttpError(413, "the body is too long: limit=" + limit + " bytes");
        }
        return body;
    }
}
