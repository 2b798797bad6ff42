package io.journal.peers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A page with ECharts that draws charts, rendered by a browser.
 */
final class ChartPage
{
    private static final String ECHARTS = "/META-INF/resources/webjars/echarts/5.5.0/echarts.min.js";
    private static final String SCRIPT = "/io/journal/peers/charts.js";

    private ChartPage()
    {
    }

    static void writeImages(final List<Chart> charts, final Path directory) throws IOException, InterruptedException
    {
        final String data = new ObjectMapper().writeValueAsString(charts).replace("<", "\\u003c");
        final Path page = Files.createTempFile("charts", ".html");
        try
        {
            Files.writeString(
                page,
                "<!DOCTYPE html><meta charset=\"utf-8\"><script>" + text(ECHARTS) + "</script><script>const charts = " +
                    data + ";\n" + text(SCRIPT) + "</script>");
            io.journal.bench.report.Report.writeImages(page.toUri().toString(), directory);
        }
        finally
        {
            Files.delete(page);
        }
    }

    private static String text(final String resource) throws IOException
    {
        try (InputStream stream = ChartPage.class.getResourceAsStream(resource))
        {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
