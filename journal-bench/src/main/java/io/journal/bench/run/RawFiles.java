package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The result files of a run: of {@code --output}, {@code --json} and {@code --report}.
 */
final class RawFiles implements AutoCloseable
{
    private final List<RawFile> files = new ArrayList<>();

    /**
     * Opens the files and writes their headers. As late as this so that a run that fails to start keeps earlier
     * results.
     */
    void begin(final RunOptions options, final RawFile.Facts facts, final PrintWriter out) throws IOException
    {
        if (null != options.output)
        {
            files.add(RawFile.open(options.output));
        }
        if (options.isJson)
        {
            files.add(RawFile.json(out));
        }
        if (null != options.report)
        {
            Files.createDirectories(options.report);
            final Path stem = unused(options.report.resolve(facts.experiment() + '-' + facts.profile().label()), facts);
            files.add(RawFile.open(withSuffix(stem, ".jsonl")));
            files.add(RawFile.open(withSuffix(stem, ".csv")));
        }
        files.forEach((file) -> file.begin(facts));
    }

    void add(final int round, final String label, final Map<String, String> parameters, final Map<String, String> found)
    {
        files.forEach((file) -> file.add(round, label, parameters, found));
    }

    @Override
    public void close()
    {
        files.forEach(RawFile::close);
    }

    /** A name that is not taken by another command; results of the same command are replaced. */
    private static Path unused(final Path stem, final RawFile.Facts facts) throws IOException
    {
        Path unused = stem;
        for (int i = 2; !isUnused(withSuffix(unused, ".jsonl"), facts.command()); i++)
        {
            unused = withSuffix(stem, "-" + i);
        }
        return unused;
    }

    private static boolean isUnused(final Path file, final String command) throws IOException
    {
        return !Files.exists(file) || 0 == Files.size(file) || RawFile.commandOf(file).equals(command);
    }

    private static Path withSuffix(final Path stem, final String suffix)
    {
        return stem.resolveSibling(stem.getFileName() + suffix);
    }
}
