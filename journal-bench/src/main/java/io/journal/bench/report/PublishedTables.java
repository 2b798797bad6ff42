package io.journal.bench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that the articles published, as tables.
 */
final class PublishedTables
{
    private static final Map<String, String> TABLES = tables();

    private final Html html;

    PublishedTables(final Html html)
    {
        this.html = html;
    }

    void write()
    {
        html.open("section", "id", "published").element("h2", "What the articles published");
        html.element("p", "Numbers of other machines and other years: what they show is which way was ahead there, " +
            "not what is to be expected here.");
        html.open("details").element("summary", "Sources");
        table(Published.rows("sources.csv"));
        html.close("details");
        TABLES.forEach((name, title) ->
        {
            html.open("details").element("summary", title);
            table(Published.rows(name));
            html.close("details");
        });
        html.close("section");
    }

    private void table(final List<Map<String, String>> rows)
    {
        html.open("div", "class", "scroll").open("table").open("thead").open("tr");
        rows.get(0).keySet().forEach((name) -> html.element("th", name));
        html.close("tr").close("thead").open("tbody");
        for (final Map<String, String> row : rows)
        {
            html.open("tr");
            row.values().forEach((value) -> html.element("td", value, "class",
                Names.isNumber(value) ? "number" : "text"));
            html.close("tr");
        }
        html.close("tbody").close("table").close("div");
    }

    private static Map<String, String> tables()
    {
        final Map<String, String> tables = new LinkedHashMap<>();
        tables.put("sequential.csv", "Sequential writing and reading: the article and its comments");
        tables.put("sweep.csv", "Reading with buffers of many lengths, on three systems");
        tables.put("figures.csv", "Single numbers of the others");
        return tables;
    }
}
