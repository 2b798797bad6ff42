package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
    void begin(final RunOptions options, final ResultFormat.Header header, final PrintWriter out) throws IOException
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
            final String stem = unused(options.report, header);
            files.add(RawFile.open(options.report.resolve(stem + ".jsonl")));
            files.add(RawFile.open(options.report.resolve(stem + ".csv")));
        }
        files.forEach((file) -> file.begin(header));
    }

    void add(final ResultFormat.Line line)
    {
        files.forEach((file) -> file.add(line));
    }

    @Override
    public void close()
    {
        files.forEach(RawFile::close);
    }

    /** A name that is not taken by another command; results of the same command are replaced. */
    private static String unused(final Path directory, final ResultFormat.Header header) throws IOException
    {
        final String stem = header.experiment() + '-' + header.profile();
        String unused = stem;
        Path file = directory.resolve(unused + ".jsonl");
        for (int i = 2; Files.exists(file) && 0 != Files.size(file) &&
            !RawFile.commandOf(file).equals(header.command()); i++)
        {
            unused = stem + '-' + i;
            file = directory.resolve(unused + ".jsonl");
        }

        return unused;
    }
}
