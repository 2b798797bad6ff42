package io.journal.bench.article;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.Rates;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Space;
import io.journal.bench.run.Subject;
import io.journal.bench.run.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Ways to copy a file, which a comment on the article asked for.
 */
@Command(
    name = "copy",
    description = "Copies a file from the page cache: a loop that reads and writes a buffer, transferTo, " +
        "transferFrom, and Files.copy; megabytes a second, and as a ratio to the first loop of the same round.",
    footer = {
        "%nAnswers: does it pay to leave copying to the operating system?",
        "Example: copy --dir=/on/the/disk --buffer-lengths=8192,1048576",
        "Takes: about a minute." },
    sortOptions = false)
public final class Copy extends Experiment
{
    static final String COPY = "copyBytesPerSecond";

    private static final int MOST_BUFFER_LENGTH = 1 << 30;
    // Written, copied, forced, compared.
    private static final int PASSES = 5;
    private static final double ASSUMED_RATE = 500e6;
    // Reads and writes, to warm up and to measure.
    private static final int ASSUMED_CALLS = 4;
    private static final double ASSUMED_CALL_S = 0.3e-6;
    private static final double OVERHEAD_S = 1;

    @Option(names = "--size", defaultValue = "409600000", description = "Length of the file in bytes. Default: " +
        "${DEFAULT-VALUE}")
    private long size;

    @Option(names = "--buffer-lengths", split = ",", defaultValue = "4096,65536", description = "Of the loop's " +
        "buffer. Default: ${DEFAULT-VALUE}")
    private List<Integer> bufferLengths;

    @Override
    protected void check(final Checks checks)
    {
        checks.atLeast(1, "--size", size).within(1, MOST_BUFFER_LENGTH, "--buffer-lengths", bufferLengths);
    }

    @Override
    protected long neededBytes()
    {
        final long length = options.scaled(size);
        return Space.sum(length, length, length / 4);
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%d rounds in random order, each case in a JVM of its own without flags, warmed up; a file of %,d B " +
                "in the page cache is copied to a new one, which is then forced, and compared",
            options.rounds, options.scaled(size));
    }

    @Override
    protected double seconds(final List<Subject> subjects)
    {
        final long length = options.scaled(size);
        return options.rounds * (subjects.size() * (OVERHEAD_S + length * PASSES / ASSUMED_RATE) +
            bufferLengths.stream().mapToDouble((each) -> ASSUMED_CALLS * ASSUMED_CALL_S * length / each).sum());
    }

    @Override
    protected List<Subject> subjects(final Session session)
    {
        final long length = options.scaled(size);
        final List<Subject> subjects = new ArrayList<>();
        for (final int bufferLength : bufferLengths)
        {
            subjects.add(subject(
                String.format(Locale.ROOT, "loop, buffer of %,d B", bufferLength), CopyStrategy.LOOP, length,
                bufferLength));
        }
        subjects.add(subject("FileChannel.transferTo", CopyStrategy.TRANSFER_TO, length, 0));
        subjects.add(subject("FileChannel.transferFrom", CopyStrategy.TRANSFER_FROM, length, 0));
        subjects.add(subject("Files.copy", CopyStrategy.FILES_COPY, length, 0));
        return subjects;
    }

    private static Subject subject(
        final String label, final CopyStrategy way, final long length, final int bufferLength)
    {
        return Subject.of(label, CopyTrial.class).with("way", way).with("length", length).with("bufferLength",
            bufferLength);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.printf("%n%s%n", Rates.heading(results));
        final Table table = new Table("", "copied", "copied and forced", "ratio to the first");
        for (final Subject subject : subjects)
        {
            final String label = subject.label();
            table.row(
                label, Rates.megabytes(results, label, COPY), Rates.megabytes(results, label, Sequential.DURABLE),
                Rates.ratio(results, label, subjects.get(0).label(), COPY));
        }
        table.print(out);
    }
}
