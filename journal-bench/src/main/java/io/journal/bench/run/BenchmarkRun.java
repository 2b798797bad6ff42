package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.journal.bench.run.Terminal.Progress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * One run of a measuring command: its temporary directory, which is always deleted at the end, its child processes, and
 * their results.
 */
public final class BenchmarkRun implements AutoCloseable
{
    /** Key under which results list the rates that exceed the device's. */
    private static final String ABOVE_DEVICE = "aboveDevice";

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "journal-bench-";
    private static final int BYTES_PER_MB = 1_000_000;
    private static final int NARROW_COLUMNS = 80;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int MINUTES_SHOWN = 100;

    private final CommandSpec spec;
    private final RunOptions options;
    private final List<TempDirectory> directories = new ArrayList<>();
    private final PrintWriter out;
    private final Map<String, Integer> exceeded = new TreeMap<>();
    private final Random random;
    private boolean isWarningAboveDevice = true;
    private final List<RawFile> raw = new ArrayList<>();
    private Device device;
    private int roundCount;
    private String step;

    private BenchmarkRun(final CommandSpec spec, final RunOptions options, final TempDirectory temp)
    {
        this.spec = spec;
        this.options = options;
        directories.add(temp);
        this.random = new Random(options.seed);
        this.step = spec.name();
        final PrintWriter text = spec.commandLine().getOut();
        // Lines that fit a terminal; unchanged for a file or a pipe.
        this.out = options.isJson ? new PrintWriter(Writer.nullWriter()) :
            Terminal.is(1) ? new PrintWriter(new Terminal.WordWrap(text, Terminal.columns())) : text;
    }

    /**
     * Validates the options and creates the directory.
     *
     * @param neededBytes disk space it must have.
     */
    public static BenchmarkRun open(final CommandSpec spec, final RunOptions options, final double neededBytes)
    {
        options.check(spec);
        try
        {
            final TempDirectory temp = TempDirectory.below(options.directory, PREFIX);
            try
            {
                final long needed = (long)Math.max(neededBytes, Device.LENGTH);
                final long free = Files.getFileStore(temp.path()).getUsableSpace();
                new OptionChecks(spec).that(free >= needed, String.format(
                    Locale.ROOT, "--dir has too little space: needed=%,d MB, free=%,d MB",
                    needed / BYTES_PER_MB, free / BYTES_PER_MB));
                return new BenchmarkRun(spec, options, temp);
            }
            catch (final IOException | RuntimeException ex)
            {
                temp.close();
                throw ex;
            }
        }
        catch (final IOException ex)
        {
            throw new ParameterException(spec.commandLine(), "--dir cannot be written: " + ex);
        }
    }

    public Path path()
    {
        return directories.get(0).path();
    }

    /** A directory in memory, where an fsync takes no time; for warm-ups. Empty where there is none, or no room. */
    public Optional<Path> inMemory()
    {
        try
        {
            if (Files.isDirectory(MEMORY))
            {
                final TempDirectory memory = TempDirectory.below(MEMORY, PREFIX);
                directories.add(memory);
                return Optional.of(memory.path());
            }
        }
        catch (final IOException ignore)
        {
            // As where there is none.
        }
        return Optional.empty();
    }

    /** Writer for text; discards it with --json. */
    public PrintWriter out()
    {
        return out;
    }

    /** Writer for text that is broken at 80 columns, also where there is no terminal; to be flushed. */
    public PrintWriter narrowOut()
    {
        return new PrintWriter(new Terminal.WordWrap(out, NARROW_COLUMNS));
    }

    /** Names the current step in the progress display. */
    public void step(final int number, final int of)
    {
        step = spec.name() + ", step " + number + " of " + of;
    }

    /** The device probe; null before {@code begin}. */
    public Device device()
    {
        return device;
    }

    /**
     * Prints and records the header, or ends the command if only the plan was asked for.
     *
     * @param benchmarks whose JVM flags are facts of the run.
     */
    public void begin(final Profile profile, final Experiment.Plan plan, final List<BenchmarkCase> benchmarks)
        throws IOException
    {
        final String command = String.join(" ", spec.commandLine().getParseResult().originalArgs());
        if (options.isPlanOnly)
        {
            print(plan);
            throw new PlanOnlyException(plan.seconds());
        }

        final String flags = benchmarks.stream().map((each) -> each.parameters().get(BenchmarkCase.JVM_FLAGS))
            .filter(Objects::nonNull).distinct().map(", and "::concat).collect(Collectors.joining("", "none", ""));
        final Map<String, String> machine = Machine.facts(path(), flags);
        device = Device.probe(path(), Math.max(Device.MIN_LENGTH, options.scaled(Device.LENGTH)));
        machine.put("device", device.describe());
        if (!device.warning().isEmpty())
        {
            machine.merge("warning", device.warning(), (one, other) -> one + "; " + other);
        }
        out.print(Machine.describe(machine));
        out.print(Machine.line("command", command));
        print(plan);
        if (1 != options.scale)
        {
            out.print(Machine.line("scale", options.scaleText()));
        }
        out.flush();
        // As late as this so that a run that fails to start keeps earlier results.
        RawFile.openAll(
            raw, options, new RawFile.Header(
                RawFile.VERSION, spec.name(), profile.label(), options.scale, command, plan.text(), machine),
            spec.commandLine().getOut());
    }

    private void print(final Experiment.Plan plan)
    {
        out.print(Machine.line("plan", plan.text()));
        out.print(Machine.line("takes", "about " + duration(plan.seconds()) + plan.unless()));
    }

    /** Measures all cases in every round, in random order. */
    public Results measure(final List<BenchmarkCase> benchmarks) throws IOException, InterruptedException
    {
        return measure(benchmarks, options.rounds, () -> false);
    }

    /**
     * As above with another number of rounds; round numbers continue across calls.
     *
     * @param isTimeUp asked before each case: if so, no further one is measured, and only complete rounds count.
     */
    public Results measure(final List<BenchmarkCase> benchmarks, final int rounds, final BooleanSupplier isTimeUp)
        throws IOException, InterruptedException
    {
        final Results results = new Results();
        benchmarks.forEach((benchmark) -> results.expect(benchmark.label()));
        final int steps = (int)Math.min(Integer.MAX_VALUE, (long)benchmarks.size() * rounds);
        final int last = roundCount + rounds;
        try (Progress progress = Progress.of(options.isQuiet, step, steps))
        {
            while (roundCount < last && !isTimeUp.getAsBoolean())
            {
                final int round = ++roundCount;
                for (final BenchmarkCase benchmark : shuffled(benchmarks))
                {
                    if (isTimeUp.getAsBoolean())
                    {
                        return results;
                    }
                    progress.next("round " + round + ": " + benchmark.label());
                    final Map<String, String> found = measure(benchmark);
                    results.add(benchmark.label(), found);
                    add(round, benchmark.label(), benchmark.parameters(), found);
                    progress.step();
                }
                progress.round(String.format(Locale.ROOT, "round %d of %d done", round, last));
            }
        }

        return results;
    }

    /** In random order within each group. */
    private List<BenchmarkCase> shuffled(final List<BenchmarkCase> benchmarks)
    {
        final Map<String, List<BenchmarkCase>> groups = new LinkedHashMap<>();
        benchmarks.forEach((each) -> groups.computeIfAbsent(each.group(), (key) -> new ArrayList<>()).add(each));
        groups.values().forEach((group) -> Collections.shuffle(group, random));
        return groups.values().stream().flatMap(List::stream).toList();
    }

    /** Records values that were measured in this process. */
    public void add(
        final int round, final String label, final Map<String, String> parameters, final Map<String, String> found)
    {
        final String keys = null == device ? "" : device.exceeded(found);
        final Map<String, String> all = new TreeMap<>(found);
        if (!keys.isEmpty())
        {
            all.put(ABOVE_DEVICE, keys);
            List.of(keys.split(" ")).forEach((key) -> exceeded.merge(key, 1, Integer::sum));
        }
        final RawFile.Line line = new RawFile.Line(round, label, parameters, all);
        raw.forEach((file) -> file.add(line));
    }

    /** Marks rates above the device's in the result file only: for commands that compare rates and print none. */
    public void suppressDeviceWarnings()
    {
        isWarningAboveDevice = false;
    }

    @Override
    public void close()
    {
        if (isWarningAboveDevice)
        {
            exceeded.forEach((key, count) -> out.print(Machine.line("warning", String.format(
                Locale.ROOT, "%s exceeded the device's rate %d times: served by the page cache", key, count))));
        }
        out.flush();
        try
        {
            raw.forEach(RawFile::close);
        }
        finally
        {
            directories.forEach(TempDirectory::close);
        }
        if (out.checkError())
        {
            throw new UncheckedIOException(new IOException("results cannot be written: standard output failed"));
        }
    }

    /** Runs one case, passing each line it prints to a consumer. */
    public void run(final BenchmarkCase benchmark, final Consumer<String> printed)
        throws IOException, InterruptedException
    {
        inDirectory((directory) ->
        {
            try (Child started = Child.start(benchmark.command(directory)))
            {
                started.await(printed);
                return Map.of();
            }
        });
    }

    private Map<String, String> measure(final BenchmarkCase benchmark) throws IOException, InterruptedException
    {
        final BenchmarkCase.Measurement own = benchmark.measurement();
        return inDirectory(null != own ? own : (directory) ->
        {
            try (Child started = Child.start(benchmark.command(directory)))
            {
                return started.await();
            }
        });
    }

    private Map<String, String> inDirectory(final BenchmarkCase.Measurement measurement)
        throws IOException, InterruptedException
    {
        final Path directory = Files.createDirectory(path().resolve("case"));
        try
        {
            return measurement.measure(directory);
        }
        finally
        {
            TempDirectory.delete(directory);
        }
    }

    public static String duration(final double seconds)
    {
        final long whole = (long)Math.ceil(seconds);
        return whole < SECONDS_PER_MINUTE ? whole + " s" :
            whole < MINUTES_SHOWN * SECONDS_PER_MINUTE ? Math.round(seconds / SECONDS_PER_MINUTE) + " min" :
                String.format(Locale.ROOT, "%.1f h", seconds / SECONDS_PER_MINUTE / SECONDS_PER_MINUTE);
    }

    /** Ends a command that ran with {@code --plan}, carrying its estimated duration. */
    public static final class PlanOnlyException extends RuntimeException
    {
        private static final long serialVersionUID = 1;

        private final double seconds;

        PlanOnlyException(final double seconds)
        {
            super("planned only", null, false, false);
            this.seconds = seconds;
        }

        public double seconds()
        {
            return seconds;
        }
    }
}
