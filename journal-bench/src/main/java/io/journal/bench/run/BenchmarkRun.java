// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.OutputStream;
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
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * One run of an experiment: its temporary directory, which is always deleted at the end, its child processes, and their
 * results.
 */
public final class BenchmarkRun implements AutoCloseable
{
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "journal-bench-";
    private static final int WARNED_PERCENT = 15;
    // The directory in memory may take half of it.
    private static final int SHARE_OF_MEMORY = 3;
    private static final long MAX_PAUSE_MS = 2000;
    private static final long PROGRESS_NS = TimeUnit.SECONDS.toNanos(10);

    private final CommandSpec spec;
    private final RunOptions options;
    private final String name;
    private final TempDirectory temp;
    private final PrintWriter out;
    private final Random random = new Random();
    private final List<RawFile> files = new ArrayList<>();
    private final List<RawFile.Line> lines = new ArrayList<>();
    private RawFile.Header header;
    private Device device;
    private int roundCount;
    private long progressNs = System.nanoTime();

    private BenchmarkRun(
        final CommandSpec spec, final RunOptions options, final String name, final TempDirectory temp)
    {
        this.spec = spec;
        this.options = options;
        this.name = name;
        this.temp = temp;
        out = spec.commandLine().getOut();
    }

    /**
     * Validates the options and creates the directory.
     *
     * @param name of the experiment, and of its result file.
     */
    public static BenchmarkRun open(final CommandSpec spec, final RunOptions options, final String name)
    {
        options.check(spec);
        try
        {
            return new BenchmarkRun(spec, options, name, TempDirectory.below(options.directory, PREFIX));
        }
        catch (final IOException ex)
        {
            throw new ParameterException(spec.commandLine(), "--dir cannot be written: " + ex);
        }
    }

    /** Rejects a run for which there is too little space: an eighth more than a case writes. */
    public void require(final long writtenBytes) throws IOException
    {
        final long needed = (long)Math.max(1.125 * writtenBytes, Device.LENGTH);
        final long free = Files.getFileStore(path()).getUsableSpace();
        RunOptions.require(spec, free >= needed, String.format(
            "--dir has too little space: needed=%,d MB, free=%,d MB", needed / Unit.MB, free / Unit.MB));
    }

    public Path path()
    {
        return temp.path();
    }

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

    public List<RawFile.Line> lines()
    {
        return lines;
    }

    /**
     * Prints and records the experiment and the machine.
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
        final Map<String, String> machine = Machine.facts(path(), flags);
        device = Device.probe(path(), scale < 1 ? Device.MIN_LENGTH : Device.LENGTH);
        machine.put("device", device.describe());
        for (final String warning : List.of(device.warning(), Disturbance.warning()))
        {
            if (!warning.isEmpty())
            {
                machine.merge("warning", warning, (one, other) -> one + "; " + other);
            }
        }
        header = new RawFile.Header(
            RawFile.VERSION, kind, profile.label(), scale,
            String.join(" ", spec.commandLine().getParseResult().originalArgs()), plan, machine);
        machine.forEach((fact, value) -> out.println(Machine.line(fact, value)));
        out.println(Machine.line("command", header.command()));
        out.println(Machine.line("plan", plan));
        if (scale < 1)
        {
            out.println(Machine.line("quick", "smaller than the experiment, for a first look only"));
        }
        out.flush();
        // Files are opened only now, so that a run that fails to start keeps earlier results.
        for (final Path file : options.files(name))
        {
            files.add(RawFile.open(file));
        }
        files.forEach((file) -> file.begin(header));
    }

    /** Measures, and ends with the first case that fails. */
    public List<RawFile.Line> measure(
        final List<BenchmarkCase> benchmarks, final int rounds, final BooleanSupplier isTimeUp)
        throws IOException, InterruptedException
    {
        return measure(benchmarks, rounds, isTimeUp, (failure) ->
        {
            throw failure;
        });
    }

    /**
     * Measures all cases in every round, in random order; round numbers continue across calls. A case that fails has
     * the cause as its result of the round.
     *
     * @param isTimeUp  asked before each case but the first of the run: if so, no further case is measured.
     * @param onFailure called when a case fails; the run ends if it throws.
     * @return results of this call.
     */
    public List<RawFile.Line> measure(
        final List<BenchmarkCase> benchmarks, final int rounds, final BooleanSupplier isTimeUp,
        final Consumer<IllegalStateException> onFailure) throws IOException, InterruptedException
    {
        final int from = lines.size();
        final long startNs = System.nanoTime();
        final int total = rounds * benchmarks.size();
        int done = 0;
        for (int i = 0; i < rounds; i++)
        {
            roundCount++;
            for (final BenchmarkCase benchmark : shuffled(benchmarks))
            {
                if (!lines.isEmpty() && isTimeUp.getAsBoolean())
                {
                    return List.copyOf(lines.subList(from, lines.size()));
                }
                final double leftNs = (double)(System.nanoTime() - startNs) / Math.max(1, done) * (total - done);
                // The estimate of the time left uses the rounds that have already run, so there is none before.
                progress(String.format(
                    "%s: round %d of %d, case %d of %d, %s: %s", name, i + 1, rounds, 1 + done++ % benchmarks.size(),
                    benchmarks.size(), 0 == i ? "time left unknown" :
                        "about " + Unit.duration(leftNs / Unit.NS_PER_S) + " left",
                    benchmark.label()));
                try
                {
                    measure(benchmark);
                }
                catch (final CancellationException ex)
                {
                    throw ex;
                }
                catch (final IllegalStateException ex)
                {
                    onFailure.accept(new IllegalStateException(
                        benchmark.label() + ", round " + roundCount + ": " + ex.getMessage(), ex));
                    add(
                        roundCount, benchmark.label(), benchmark.parameters(),
                        Map.of(RawFile.FAILED, cause(ex.getMessage())));
                }
            }
        }
        return List.copyOf(lines.subList(from, lines.size()));
    }

    /** The line of a failure's message that names an exception, or its first line. */
    private static String cause(final String message)
    {
        return message.lines().filter((line) -> line.matches(".*(Exception|Error)\\b.*")).findFirst()
            .or(() -> message.lines().findFirst()).orElse("");
    }

    /** Prints a line of progress on standard error now and then. */
    private void progress(final String line)
    {
        if (!options.isQuiet && System.nanoTime() - progressNs >= PROGRESS_NS)
        {
            progressNs = System.nanoTime();
            System.err.println(line.substring(0, Math.min(Terminal.COLUMNS, line.length())));
        }
    }

    /** Returns the cases in random order within each group. */
    private List<BenchmarkCase> shuffled(final List<BenchmarkCase> benchmarks)
    {
        final Map<String, List<BenchmarkCase>> groups = benchmarks.stream().collect(Collectors.groupingBy(
            (each) -> each.group, LinkedHashMap::new, Collectors.toCollection(ArrayList::new)));
        groups.values().forEach((group) -> Collections.shuffle(group, random));
        return groups.values().stream().flatMap(List::stream).toList();
    }

    private void measure(final BenchmarkCase benchmark) throws IOException, InterruptedException
    {
        if (benchmark.writtenBytes() > 0)
        {
            warm(benchmark.writtenBytes());
        }
        final Disturbance disturbance = Disturbance.begin();
        final long start = System.nanoTime();
        final List<RawFile.Line> measured = run(benchmark);
        final long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        final long percent = disturbance.end();
        for (final RawFile.Line line : measured)
        {
            final Map<String, String> parameters = new LinkedHashMap<>(benchmark.parameters());
            parameters.putAll(line.parameters());
            final Map<String, String> found = new TreeMap<>(line.values());
            // The time of the whole case, not only of the measured part.
            found.put("tookMs", Long.toString(tookMs));
            if (percent >= WARNED_PERCENT)
            {
                found.put("disturbedPercent", Long.toString(percent));
            }
            add(line.round(), line.label(), parameters, found);
        }
    }

    /**
     * Uses as much memory as a case will write, frees it again, and lets the disk come to rest. A virtual machine may
     * have to get memory that it has not used before from its host, page by page. That takes ten times as long as
     * writing to it, and would hide the differences to be measured. Dirty pages of an earlier case would be written
     * back during this case.
     */
    private static void warm(final long bytes) throws IOException, InterruptedException
    {
        if (Files.isDirectory(MEMORY))
        {
            try (TempDirectory memory = TempDirectory.below(MEMORY, PREFIX);
                OutputStream out = Files.newOutputStream(memory.path().resolve("memory")))
            {
                final byte[] zeros = new byte[Unit.MIB];
                for (long left = Math.min(bytes, Machine.memoryBytes() / SHARE_OF_MEMORY); left > 0; left -= Unit.MIB)
                {
                    out.write(zeros);
                }
            }
        }
        Child.succeeds("sync");
        Thread.sleep(Math.min(MAX_PAUSE_MS, bytes / Unit.MIB));
    }

    public void add(
        final int round, final String label, final Map<String, String> parameters, final Map<String, String> found)
    {
        final RawFile.Line line = new RawFile.Line(round, label, parameters, found);
        lines.add(line);
        files.forEach((file) -> file.add(line));
    }

    private List<RawFile.Line> run(final BenchmarkCase benchmark) throws IOException, InterruptedException
    {
        final Path directory = Files.createDirectory(path().resolve("case"));
        try (TempDirectory memory = TempDirectory.below(Files.isDirectory(MEMORY) ? MEMORY : directory, PREFIX))
        {
            final List<String> printed = new ArrayList<>();
            if (benchmark.isKilledFirst())
            {
                Child.run(
                    benchmark.command(directory, memory.path(), "fill"), Child.SIGKILLED, benchmark.limitMs(),
                    printed::add);
            }
            Child.run(benchmark.command(directory, memory.path(), "measure"), 0, benchmark.limitMs(), (line) ->
            {
                printed.add(line);
                if (!benchmark.isResult(line))
                {
                    out.println(line);
                    out.flush();
                }
            });
            return benchmark.parse(roundCount, printed);
        }
        finally
        {
            TempDirectory.delete(directory);
        }
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
            temp.close();
        }
        if (out.checkError())
        {
            throw new UncheckedIOException(new IOException("results cannot be written: standard output failed"));
        }
    }
}
