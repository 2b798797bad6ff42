package io.journal.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Prints tables of results, and draws charts of them.
 */
@Command(
    name = "report",
    description = "Prints tables of the results of both other commands as Markdown, and draws charts of them. Rounds " +
        "of several files are put together, so measure in pieces if you like.",
    sortOptions = false)
final class Report implements Callable<Integer>
{
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Written by --output.")
    private List<Path> files;

    @Option(
        names = "--images", paramLabel = "DIRECTORY",
        description = "Also writes the charts there as SVG images, with an installed Chromium or Chrome.")
    private Path images;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelpRequested;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final List<Result> results = new ArrayList<>();
        for (final Path file : files)
        {
            results.addAll(ResultFile.read(file));
        }

        final StringBuilder text = new StringBuilder();
        ResultFile.header(files.get(0)).forEach((key, value) -> text.append("- ").append(key).append(": ").append(value)
            .append('\n'));
        new ComparisonTables(results).print(text);
        new GrowthTables(results).print(text);
        System.out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();

        if (null != images)
        {
            Files.createDirectories(images);
            ChartPage.writeImages(Charts.of(results), images);
        }
        return 0;
    }
}
