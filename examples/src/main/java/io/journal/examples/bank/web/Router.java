package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.Map;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;

/**
 * Finds the route of a request, and answers those that have none.
 */
final class Router implements HttpHandler
{
    private final Map<String, Route> gets;
    private final Map<String, Route> posts;
    private final PageFiles files = new PageFiles();

    /** Answers a request, or arranges for it to be answered later. */
    @FunctionalInterface
    interface Route
    {
        void handle(HttpExchange exchange) throws IOException, HttpError;
    }

    Router(final CommandRoutes commands, final QueryRoutes queries, final LiveStream stream)
    {
        gets = Map.of(
            "/api/accounts", queries::accounts,
            "/api/ledger", queries::ledger,
            "/api/status", queries::status,
            "/api/stream", stream::open);
        posts = Map.of(
            "/api/commands", commands::one,
            "/api/batch", commands::batch,
            "/api/audit", queries::audit,
            "/api/rebuild", queries::rebuild,
            "/api/snapshot", queries::snapshot,
            "/api/prune", queries::prune,
            "/api/kill", queries::kill,
            "/api/kill-leader", queries::killLeader);
    }

    @Override
    public void handle(final HttpExchange exchange) throws IOException
    {
        try
        {
            Guard.checkHost(exchange);
            route(exchange).handle(exchange);
        }
        catch (final HttpError ex)
        {
            Responses.error(exchange, ex.status(), ex.getMessage());
        }
        catch (final IllegalStateException ex)
        {
            Responses.error(exchange, 503, ex.getMessage());
        }
        catch (final IOException | RuntimeException ex)
        {
            // The client has disconnected, or this is a bug: either way nothing more can be sent on this connection.
            exchange.close();
            if (ex instanceof RuntimeException)
            {
                System.getLogger(Router.class.getName()).log(
                    System.Logger.Level.ERROR, "request failed: path=" + exchange.getRequestURI().getPath(), ex);
            }
        }
    }

    private Route route(final HttpExchange exchange) throws HttpError
    {
        final String path = exchange.getRequestURI().getPath();
        final String method = exchange.getRequestMethod();
        final boolean isPost = posts.containsKey(path);
        if (isPost && "POST".equals(method))
        {
            Guard.checkOrigin(exchange);
            return posts.get(path);
        }
        if (isPost || !"GET".equals(method) && (gets.containsKey(path) || files.has(path)))
        {
            exchange.getResponseHeaders().set("Allow", isPost ? "POST" : "GET");
            throw new HttpError(405, "method not allowed: " + (isPost ? "POST" : "GET") + " is");
        }
        if (gets.containsKey(path))
        {
            return gets.get(path);
        }
        if (files.has(path))
        {
            return files::send;
        }

        throw new HttpError(404, "there is nothing here");
    }
}
