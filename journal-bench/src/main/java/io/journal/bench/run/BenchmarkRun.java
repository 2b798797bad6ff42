package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import io.journal.bench.run.Terminal.Progress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * One run of an experiment: its temporary directory, which is always deleted at the end, its child processes, and their
 * results.
 */
public final class BenchmarkRun implements AutoCloseable
{
    /** Name of the value with what a case took; all of it, not only what was measured. */
    public static final String TOOK = "tookMs";

    /** Name of the value that lists the rates that exceed the device's. */
    private static final String ABOVE_DEVICE = "aboveDevice";
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "journal-bench-";
    private static final double NS_PER_MS = 1e6;
    private static final int BYTES_PER_MB = 1_000_000;
    private static final int WARNED_PERCENT = 15;
    // An eighth more than is written.
    private static final int SPARE = 8;

    private final CommandSpec spec;
    private final RunOptions options;
    private final String name;
    private final List<TempDirectory> directories = new ArrayList<>();
    private final PrintWriter out;
    private final Random random = new Random();
    private final List<RawFile> files = new ArrayList<>();
    private final List<RawFile.Line> lines = new ArrayList<>();
    private final Map<String, Integer> exceeded = new TreeMap<>();
    private RawFile.Header header;
    private double secondsPerRound;
    private Device device;
    private int roundCount;
    private int disturbedCount;
    private long worstPercent;

    private BenchmarkRun(
        final CommandSpec spec, final RunOptions options, final String name, final TempDirectory temp)
    {
        this.spec = spec;
        this.options = options;
        this.name = name;
        directories.add(temp);
        out = Terminal.wrapped(spec.commandLine().getOut());
    }

    /**
     * Validates the options and creates the directory.
     *
     * @param name        of the experiment, and of its result file.
     * @param neededBytes disk space it must have.
     */
    public static BenchmarkRun open(
        final CommandSpec spec, final RunOptions options, final String name, final double neededBytes)
    {
        options.check(spec);
        try
        {
            final TempDirectory temp = TempDirectory.below(options.directory, PREFIX);
            final long needed = (long)Math.max(neededBytes, Device.LENGTH);
            final long free = Files.getFileStore(temp.path()).getUsableSpace();
            if (free < needed)
            {
                temp.close();
                throw new ParameterException(spec.commandLine(), String.format(
                    "--dir has too little space: needed=%,d MB, free=%,d MB", needed / BYTES_PER_MB,
                    free / BYTES_PER_MB));
            }
            return new BenchmarkRun(spec, options, name, temp);
        }
        catch (final IOException ex)
        {
            throw new ParameterException(spec.commandLine(), "--dir cannot be written: " + ex);
        }
    }

    /** Rejects cases for which there is too little space. */
    public void require(final List<BenchmarkCase> benchmarks) throws IOException
    {
        final long needed = benchmarks.stream().mapToLong(BenchmarkCase::writtenBytes).max().orElse(0);
        final long free = Files.getFileStore(path()).getUsableSpace();
        RunOptions.require(spec, free / SPARE >= needed / SPARE + needed / SPARE / SPARE, String.format(
            "--dir has too little space: needed=%,d MB, free=%,d MB", needed / BYTES_PER_MB, free / BYTES_PER_MB));
    }

    public Path path()
    {
        return directories.get(0).path();
    }

    /** A directory in memory, where an fsync takes no time. Empty where there is none, or no room. */
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

    /** Writer for text, in lines of a narrow terminal. */
    public PrintWriter out()
    {
        return out;
    }

    /** The device probe; null before {@code begin}. */
    public Device device()
    {
        return device;
    }

    public RawFile.Header header()
    {
        return header;
    }

    /** What was measured so far. */
    public List<RawFile.Line> lines()
    {
        return lines;
    }

    /**
     * Prints and records what is run, and where.
     *
     * @param kind       of the experiment, which determines its charts.
     * @param scale      fraction of the full size that is run.
     * @param benchmarks whose JVM flags are facts of the run.
     */
    public void begin(
        final String kind, final Profile profile, final double scale, final String plan,
        final List<BenchmarkCase> benchmarks) throws IOException
    {
        final String flags = benchmarks.stream().map((each) -> each.parameters().get(BenchmarkCase.JVM_FLAGS))
            .filter(Objects::nonNull).distinct().map(", and "::concat).collect(Collectors.joining("", "none", ""));
        final Map<String, String> machine = new LinkedHashMap<>(Machine.facts(path(), flags));
        device = Device.probe(path(), scale < 1 ? Device.MIN_LENGTH : Device.LENGTH);
        machine.put("device", device.describe());
        warn(machine, device.warning());
        warn(machine, Disturbance.warning());
        header = new RawFile.Header(
            RawFile.VERSION, kind, profile.label(), scale,
            String.join(" ", spec.commandLine().getParseResult().originalArgs()), plan, machine);
        out.print(Machine.describe(machine));
        out.print(Machine.line("command", header.command()));
        out.print(Machine.line("plan", plan));
        if (scale < 1)
        {
            out.print(Machine.line("quick", "smaller than the experiment, for a first look only"));
        }
        out.flush();
        // As late as this so that a run that fails to start keeps earlier results.
        for (final Path file : options.files(name))
        {
            secondsPerRound = Math.max(secondsPerRound, RawFile.secondsPerRound(file));
            files.add(RawFile.open(file));
        }
        files.forEach((file) -> file.begin(header));
    }

    private static void warn(final Map<String, String> machine, final String warning)
    {
        if (!warning.isEmpty())
        {
            machine.merge("warning", warning, (one, other) -> one + "; " + other);
        }
    }

    /**
     * Measures all cases in every round, in random order; round numbers continue across calls.
     *
     * @param isTimeUp asked before each case: if so, no further one is measured, and only complete rounds count.
     */
    public Results measure(final List<BenchmarkCase> benchmarks, final int rounds, final BooleanSupplier isTimeUp)
        throws IOException, InterruptedException
    {
        final Results results = new Results();
        benchmarks.forEach((benchmark) -> results.expect(benchmark.label()));
        final int last = roundCount + rounds;
        try (Progress progress = new Progress(options.isQuiet, name, rounds, benchmarks.size(), secondsPerRound))
        {
            while (roundCount < last && (lines.isEmpty() || !isTimeUp.getAsBoolean()))
            {
                final int round = ++roundCount;
                for (final BenchmarkCase benchmark : shuffled(benchmarks))
                {
                    if (!lines.isEmpty() && isTimeUp.getAsBoolean())
                    {
                        return results;
                    }
                    progress.next(benchmark.label());
                    measure(round, benchmark, results);
                }
                progress.round();
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

    private void measure(final int round, final BenchmarkCase benchmark, final Results results)
        throws IOException, InterruptedException
    {
        if (benchmark.writtenBytes() > 0)
        {
            WarmMemory.of(benchmark.writtenBytes(), MEMORY);
        }
        final List<String> printed = new ArrayList<>();
        final Disturbance disturbance = Disturbance.begin();
        final long start = System.nanoTime();
        final Map<String, String> found = new LinkedHashMap<>(run(benchmark, printed));
        final String took = Long.toString(Math.round((System.nanoTime() - start) / NS_PER_MS));
        final long percent = disturbance.end();
        if (percent >= WARNED_PERCENT)
        {
            disturbedCount++;
            worstPercent = Math.max(worstPercent, percent);
        }
        if (null != benchmark.parser())
        {
            for (final RawFile.Line line : benchmark.parser().parse(printed))
            {
                final Map<String, String> parameters = new LinkedHashMap<>(benchmark.parameters());
                parameters.putAll(line.parameters());
                results.add(line.label(), line.values());
                add(line.round(), line.label(), parameters, marked(line.values(), took, percent));
            }
            return;
        }
        results.add(benchmark.label(), found);
        add(round, benchmark.label(), benchmark.parameters(), marked(found, took, percent));
    }

    private static Map<String, String> marked(final Map<String, String> found, final String took, final long percent)
    {
        final Map<String, String> all = new TreeMap<>(found);
        all.put(TOOK, took);
        if (percent >= WARNED_PERCENT)
        {
            all.put("disturbedPercent", Long.toString(percent));
        }
        return all;
    }

    /** Records values. */
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
        lines.add(line);
        files.forEach((file) -> file.add(line));
    }

    private Map<String, String> run(final BenchmarkCase benchmark, final List<String> printed)
        throws IOException, InterruptedException
    {
        final Path directory = Files.createDirectory(path().resolve("case"));
        final Path memory = Files.isDirectory(MEMORY) ? MEMORY : directory;
        try (TempDirectory shared = benchmark.isSharingMemory() ? TempDirectory.below(memory, PREFIX) : null)
        {
            if (null != benchmark.measurement())
            {
                return benchmark.measurement().measure(directory);
            }
            final List<String> further = new ArrayList<>();
            if (null != shared)
            {
                further.add(BenchmarkCase.MEMORY + '=' + shared.path());
            }
            if (benchmark.isKilledFirst())
            {
                Child.runToItsKill(benchmark.command(directory, with(further, BenchmarkCase.STEP + "=fill")));
                further.add(BenchmarkCase.STEP + "=reopen");
            }
            try (Child started = Child.start(benchmark.command(directory, further)))
            {
                if (null == benchmark.parser())
                {
                    final Map<String, String> found = started.await();
                    benchmark.check(found);
                    return found;
                }
                started.await((line) ->
                {
                    printed.add(line);
                    out.println(line);
                    out.flush();
                });
                return Map.of();
            }
        }
        finally
        {
            TempDirectory.delete(directory);
        }
    }

    private static List<String> with(final List<String> arguments, final String last)
    {
        final List<String> all = new ArrayList<>(arguments);
        all.add(last);
        return all;
    }

    /** Warnings about what was measured. */
    public void printWarnings()
    {
        exceeded.forEach((key, count) -> out.print(Machine.line("warning", String.format(
            "%s exceeded the device's rate %d times: served by the page cache", key, count))));
        if (disturbedCount > 0)
        {
            out.print(Machine.line("warning", String.format(
                "%d measurements were disturbed: other processes took up to %d %% of the processors", disturbedCount,
                worstPercent)));
        }
        out.flush();
    }

    @Override
    public void close()
    {
        out.flush();
        try
        {
            files.forEach(RawFile::close);
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
}
