package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes a report: one page that needs nothing else, and beside it each chart as SVG and PNG.
 */
public final class ReportWriter
{
    static final String PAGE = "report.html";
    static final String CHARTS = "charts";

    private ReportWriter()
    {
    }

    /**
     * Writes the report of all result files that are in a directory.
     *
     * @param warnings of what is not in it; the page has them as well.
     * @return the page.
     * @throws BadResultException if there are none, or one of them is damaged; nothing was written.
     */
    public static Path write(final Path directory, final Consumer<String> warnings) throws IOException
    {
        return write(directory, List.of(directory), warnings);
    }

    /**
     * Writes the report of some result files.
     *
     * @param paths of files, and of directories that have some.
     */
    static Path write(final Path directory, final List<Path> paths, final Consumer<String> warnings)
        throws IOException
    {
        final List<String> missing = new ArrayList<>();
        final List<ResultFile> runs = ResultReader.readAll(paths, missing::add);
        if (runs.isEmpty())
        {
            throw new BadResultException(directory, "no file of results here: their names end with " +
                ResultReader.SUFFIX);
        }

        final Path charts = Files.createDirectories(directory.resolve(CHARTS));
        final String style = Resources.text("chart.css");
        final Map<ResultFile, List<Chart>> drawn = new LinkedHashMap<>();
        final List<Chart> all = new ArrayList<>();
        for (final ResultFile run : runs)
        {
            drawn.put(run, Charts.of(run));
            all.addAll(drawn.get(run));
        }
        for (final Chart chart : all)
        {
            Files.writeString(charts.resolve(chart.name() + ".svg"), SvgDrawing.alone(chart, style));
        }

        missing.addAll(PngDrawing.write(all, charts));
        missing.forEach(warnings);
        final Path page = directory.resolve(PAGE);
        Files.writeString(page, new ReportPage(drawn, new Judge(runs).judge(Claim.all()), missing).text());
        return page;
    }
}
