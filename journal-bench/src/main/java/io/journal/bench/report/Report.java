package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import io.journal.bench.run.OptionChecks;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * Writes a report of results, as a command and after measuring commands with {@code --report}.
 */
@Command(
    name = "report",
    description = "Writes report.html, a self-contained page: the recommendation, charts of the results with " +
        "published values, and the articles' claims evaluated.",
    footer = {
        "%nExample: report results --images=images",
        "Takes: seconds." },
    sortOptions = false)
public final class Report implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "Directory for the report, created if needed; " +
        "its result files (*.jsonl) are included.")
    private Path directory;

    @Parameters(index = "1..*", paramLabel = "FILE", description = "Further result files, or directories of them.")
    private List<Path> files = List.of();

    @Option(names = "--images", paramLabel = "DIRECTORY", description = "Also write each chart as an SVG image, " +
        "rendered by an installed Chromium or Chrome.")
    private Path images;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        files.forEach(new OptionChecks(spec)::there);
        try
        {
            final List<Path> all = new ArrayList<>(List.of(directory));
            all.addAll(files);
            Files.createDirectories(directory);
            final Path page = write(directory, all, warningsOf(spec.commandLine()));
            spec.commandLine().getOut().println(page);
            if (null != images)
            {
                final int count = new Chromium().writeImages(page, Files.createDirectories(images));
                spec.commandLine().getOut().println(count + " images in " + images);
            }
            return CommandLine.ExitCode.OK;
        }
        catch (final ResultFile.BadResultException ex)
        {
            throw new ParameterException(spec.commandLine(), ex.getMessage(), ex);
        }
    }

    /**
     * @param paths of result files and of directories of them.
     * @return the page.
     * @throws ResultFile.BadResultException if there are none, or one of them is damaged; nothing was written.
     */
    static Path write(final Path directory, final List<Path> paths, final Consumer<String> warnings)
        throws IOException
    {
        final List<String> missing = new ArrayList<>();
        final List<ResultFile> runs = ResultFile.readAll(paths, missing::add);
        if (runs.isEmpty())
        {
            throw new ResultFile.BadResultException(
                directory + ": no result files here: their names end with " + ResultFile.SUFFIX);
        }

        final String text = Page.of(runs, missing);
        missing.forEach(warnings);
        return Files.writeString(directory.resolve("report.html"), text);
    }

    /**
     * Not on standard output, which carries the requested output.
     */
    static Consumer<String> warningsOf(final CommandLine command)
    {
        return (warning) -> command.getErr().println("warning: " + warning);
    }

    /**
     * Runs a command, then writes the report if {@code --report} is given: measuring commands do not depend on reports.
     */
    public static int runAndReport(final ParseResult parsed)
    {
        final int exitCode = new CommandLine.RunLast().execute(parsed);
        final List<CommandLine> commands = parsed.asCommandLineList();
        final CommandLine command = commands.get(commands.size() - 1);
        final Path directory = command.getParseResult().matchedOptionValue("--report", null);
        if (CommandLine.ExitCode.OK != exitCode || null == directory)
        {
            return exitCode;
        }

        try
        {
            // Not on standard output, which carries only results with --json.
            command.getErr().println("report: " + write(directory, List.of(directory), warningsOf(command)));
            return CommandLine.ExitCode.OK;
        }
        catch (final IOException | ResultFile.BadResultException ex)
        {
            // The results are kept; only the page is missing.
            command.getErr().println("failed: no report: " + (ex instanceof IOException ? ex : ex.getMessage()));
            return CommandLine.ExitCode.SOFTWARE;
        }
    }
}
