package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Writes a report from results that are there.
 */
@Command(
    name = "report",
    description = "Draws results, lays them beside what the articles published, and judges the articles' claims: " +
        "report.html, and each chart in charts/.",
    sortOptions = false)
public final class Report implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "Where the report is written, made if needed; " +
        "its result files (*.jsonl) are in the report.")
    private Path directory;

    @Parameters(index = "1..*", paramLabel = "FILE", description = "Further result files, or directories of them.")
    private List<Path> files = List.of();

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this.")
    private boolean isHelpWanted;

    @Override
    public Integer call() throws IOException
    {
        files.forEach((file) -> checkThere(spec, file));
        try
        {
            Files.createDirectories(directory);
            final List<Path> all = new ArrayList<>(List.of(directory));
            all.addAll(files);
            spec.commandLine().getOut().println(ReportWriter.write(directory, all, warningsOf(spec.commandLine())));
            return CommandLine.ExitCode.OK;
        }
        catch (final BadResultException ex)
        {
            throw new ParameterException(spec.commandLine(), ex.getMessage(), ex);
        }
    }

    /**
     * Not on the standard output: that has what was asked for.
     */
    static Consumer<String> warningsOf(final CommandLine command)
    {
        return (warning) ->
        {
            command.getErr().println("warning: " + warning);
            command.getErr().flush();
        };
    }

    static void checkThere(final CommandSpec spec, final Path file)
    {
        if (!Files.exists(file))
        {
            throw new ParameterException(spec.commandLine(), "not there: " + file);
        }
    }
}
