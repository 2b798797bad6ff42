package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Template of a command that measures cases in child processes: validates the options, prints the plan, measures all
 * cases in rounds, prints the results.
 */
public abstract class Experiment implements Callable<Integer>
{
    @Spec
    protected CommandSpec spec;

    @Mixin
    protected RunOptions options;

    @Override
    public final Integer call() throws IOException, InterruptedException
    {
        check(new OptionChecks(spec));
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, neededBytes()))
        {
            run(run);
            return CommandLine.ExitCode.OK;
        }
    }

    protected void run(final BenchmarkRun run) throws IOException, InterruptedException
    {
        final List<BenchmarkCase> benchmarks = benchmarks(run);
        run.begin(profile(), plan(benchmarks), benchmarks);
        prepare(run);
        print(run.out(), run.measure(benchmarks), benchmarks);
    }

    /** Checks the options, once, before anything else; lengths are scaled then. */
    protected abstract void check(OptionChecks checks);

    /** Disk space that the largest case needs; may exceed the range of long, since any size can be asked for. */
    protected abstract double neededBytes();

    protected abstract List<BenchmarkCase> benchmarks(BenchmarkRun run) throws IOException, InterruptedException;

    /** Creates files that the cases share, once the run has begun. */
    protected void prepare(final BenchmarkRun run) throws IOException
    {
        // Most cases create their own.
    }

    protected Profile profile()
    {
        return Profile.FAIR;
    }

    protected abstract Plan plan(List<BenchmarkCase> benchmarks);

    protected abstract void print(PrintWriter out, Results results, List<BenchmarkCase> benchmarks) throws IOException;

    /** What a run will do, how long it takes, and when it would take longer. */
    public record Plan(String text, double seconds, String unless)
    {
        public static Plan of(final double seconds, final String format, final Object... arguments)
        {
            return new Plan(String.format(Locale.ROOT, format, arguments), seconds, "");
        }

        public Plan unless(final String other)
        {
            return new Plan(text, seconds, other);
        }
    }
}
