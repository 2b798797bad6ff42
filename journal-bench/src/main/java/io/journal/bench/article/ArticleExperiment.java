package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import picocli.CommandLine.Option;

/**
 * An experiment of an article: its own procedure and output, or a fair version of it.
 */
public abstract class ArticleExperiment extends Experiment
{
    static final int MAX_LENGTH = 1 << 30;
    static final int WARM_UPS = 4;
    static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    static final double MB = 1024 * 1024;
    static final double NS_PER_S = 1e9;
    static final double NS_PER_US = 1e3;
    static final double US_PER_MS = 1e3;
    static final double MS_PER_S = 1e3;

    @Option(names = "--profile", defaultValue = "fair", description = "One of: ${COMPLETION-CANDIDATES}. Default: " +
        "${DEFAULT-VALUE}")
    protected Profile profile;

    @Override
    protected final Profile profile()
    {
        return profile;
    }

    @Override
    protected final void run(final BenchmarkRun run) throws IOException, InterruptedException
    {
        if (Profile.FAITHFUL == profile)
        {
            runFaithful(run);
        }
        else
        {
            super.run(run);
        }
    }

    protected abstract void runFaithful(BenchmarkRun run) throws IOException, InterruptedException;

    /** Prints how the page cache was evicted, in the cold profile. */
    protected final void printCold(
        final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks, final String when)
    {
        if (Profile.COLD == profile)
        {
            out.println("The page cache was evicted before " + when + ": " +
                ColdRead.describe(results, benchmarks.stream().map(BenchmarkCase::label).toList()));
        }
    }

    protected static String label(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Statistics of repeated runs as the articles compute them.
     *
     * @param sigma of the population. In floating point: a sum of squares in long overflows when runs differ by
     *              seconds.
     */
    public record Statistics(double min, double max, double mean, double sigma)
    {
        public static Statistics of(final double... values)
        {
            final DoubleSummaryStatistics all = Arrays.stream(values).summaryStatistics();
            final double mean = all.getAverage();
            final double squares = Arrays.stream(values).map((value) -> (value - mean) * (value - mean)).sum();
            return new Statistics(all.getMin(), all.getMax(), mean, Math.sqrt(squares / values.length));
        }

        /** Does not indicate how much the runs vary; the figure of {@code streams-vs-channels}. */
        public double sigmaPercentOfRange()
        {
            return min == max ? 0 : 100 * sigma / (max - min);
        }

        public double sigmaPercentOfMean()
        {
            return 100 * sigma / mean;
        }
    }
}
