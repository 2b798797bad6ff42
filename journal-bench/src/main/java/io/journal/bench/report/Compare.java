package io.journal.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Compares two runs, for example before and after a change, or on two machines.
 */
@Command(
    name = "compare",
    description = "Compares two result files, or two directories of them: for each case and value the ratio of the " +
        "second to the first, and whether they differ. Rounds of different runs are unpaired, so intervals are wide. " +
        "Warns of differences in machine, build and settings.",
    sortOptions = false)
public final class Compare implements Callable<Integer>
{
    private static final ObjectMapper JSON = new ObjectMapper();

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "BEFORE", description = "Result file, or directory of them.")
    private Path first;

    @Parameters(index = "1", paramLabel = "AFTER", description = "Result file, or directory of them.")
    private Path second;

    @Option(names = "--all", description = "Include CPU time, page faults and other resource usage.")
    private boolean isAllIncluded;

    @Option(names = "--json", description = "Print JSON lines instead of text.")
    private boolean isJson;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelpRequested;

    @Override
    public Integer call() throws IOException
    {
        Report.checkThere(spec, first);
        Report.checkThere(spec, second);
        try
        {
            final List<Comparison> all =
                Comparison.of(read(first), read(second));
            if (all.isEmpty())
            {
                throw new ParameterException(spec.commandLine(), "nothing to compare: no experiment is in both");
            }

            final PrintWriter out = spec.commandLine().getOut();
            for (final Comparison each : all)
            {
                if (isJson)
                {
                    printJson(out, each);
                }
                else
                {
                    print(out, each);
                }
            }
            out.flush();
            return CommandLine.ExitCode.OK;
        }
        catch (final ResultReader.BadResultException ex)
        {
            throw new ParameterException(spec.commandLine(), ex.getMessage(), ex);
        }
    }

    private List<ResultFile> read(final Path path) throws IOException
    {
        return ResultReader.readAll(List.of(path), Report.warningsOf(spec.commandLine()));
    }

    private void print(final PrintWriter out, final Comparison comparison)
    {
        out.printf("%n%s%n", comparison.name());
        comparison.warnings().forEach((warning) -> out.println("warning: " + warning));
        String label = "";
        for (final Comparison.Line line : comparison.lines(isAllIncluded))
        {
            if (!label.equals(line.label()))
            {
                label = line.label();
                out.println(label);
            }
            out.printf(
                Locale.ROOT, "  %-24s %14s -> %-14s %-26s %s%n", line.key(), Unit.number(line.before()),
                Unit.number(line.after()), String.format(
                    Locale.ROOT, "%.3f [%.3f..%.3f]", line.ratio().median(), line.ratio().low(), line.ratio().high()),
                line.words());
        }
        comparison.alone().forEach((text) -> out.println("not compared: " + text));
    }

    private void printJson(final PrintWriter out, final Comparison comparison) throws IOException
    {
        for (final String warning : comparison.warnings())
        {
            out.println(JSON.writeValueAsString(
                JsonNodeFactory.instance.objectNode().put("run", comparison.name()).put("warning", warning)));
        }
        for (final Comparison.Line line : comparison.lines(isAllIncluded))
        {
            final ObjectNode node = JsonNodeFactory.instance.objectNode();
            node.put("run", comparison.name()).put("case", line.label()).put("key", line.key());
            node.put("before", line.before()).put("after", line.after());
            node.put("ratio", line.ratio().median()).put("low", line.ratio().low()).put("high", line.ratio().high());
            node.put("confidence", line.ratio().confidence()).put("differs", line.differs());
            out.println(JSON.writeValueAsString(node));
        }
        for (final String text : comparison.alone())
        {
            out.println(JSON.writeValueAsString(
                JsonNodeFactory.instance.objectNode().put("run", comparison.name()).put("notCompared", text)));
        }
    }
}
