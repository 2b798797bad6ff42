package io.journal.examples.bank.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

import com.sun.net.httpserver.HttpExchange;

/**
 * The files of the page, from the class path. Nothing else of the class path can be asked for.
 */
final class PageFiles
{
    private static final String CHARTS = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    private final Map<String, File> files = new HashMap<>();

    private record File(String type, byte[] bytes)
    {
    }

    PageFiles()
    {
        add("/", "text/html; charset=utf-8", "page/index.html");
        add("/bank.css", "text/css; charset=utf-8", "page/bank.css");
        for (final String script : new String[]{ "bank", "charts", "load", "sender" })
        {
            add("/" + script + ".js", "text/javascript; charset=utf-8", "page/" + script + ".js");
        }
        add("/uplot.js", "text/javascript; charset=utf-8", CHARTS + "uPlot.iife.min.js");
        add("/uplot.css", "text/css; charset=utf-8", CHARTS + "uPlot.min.css");
    }

    boolean has(final String path)
    {
        return files.containsKey(path);
    }

    void send(final HttpExchange exchange) throws IOException
    {
        final File file = files.get(exchange.getRequestURI().getPath());
        Responses.send(exchange, 200, file.type(), file.bytes());
    }

    private void add(final String path, final String type, final String resource)
    {
        try (InputStream input = PageFiles.class.getResourceAsStream(resource))
        {
            if (null == input)
            {
                throw new IllegalStateException("not on the class path: " + resource);
            }
            files.put(path, new File(type, input.readAllBytes()));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot read " + resource, ex);
        }
    }
}
