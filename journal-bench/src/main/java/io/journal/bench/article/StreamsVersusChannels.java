package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.journal.bench.article.StreamsProgram.Case;
import io.journal.bench.article.StreamsTrial.Granularity;
import io.journal.bench.article.StreamsTrial.LineFile;
import io.journal.bench.run.Machine;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Spread;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Table;
import io.journal.bench.run.MeasuredInterval;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * The "java-io-benchmark" of Roman Katerinenko, as published and with a fair method.
 */
@Command(
    name = "streams-vs-channels",
    description = "Generates and reads a file of lines with streams, channels with direct and indirect buffers, and " +
        "mapped files.%n%nfaithful: procedure, order and output of the original, all repeats of a case before the " +
        "next, in one JVM.%nfair: each case in its own JVM, warmed up, in random order, with the same buffer and " +
        "granularity, data read is used, contents verified.%ndurable: as fair for the generators, with fsync, also " +
        "of mappings.%ncold: as fair for the inputs, with a cold page cache.",
    footer = {
        "%nAnswers: are channels faster than streams, direct buffers faster than heap buffers, mapped files fastest?",
        "Example: streams-vs-channels --dir=/on/the/disk --profile=durable --granularity=array,byte",
        "Takes: about 7 minutes; faithful half an hour." },
    sortOptions = false)
public final class StreamsVersusChannels extends ArticleExperiment
{
    private static final double NS_PER_MS = 1e6;
    private static final double ASSUMED_RATE = 500e6;
    private static final double ASSUMED_DEVICE_RATE = 200e6;
    // Start and warm-up.
    private static final double OVERHEAD_S = 1;

    @Option(names = "--length", defaultValue = "1073741824", description = "File length in bytes. Default: " +
        "${DEFAULT-VALUE}")
    private long length;

    @Option(names = "--buffers", split = ",", defaultValue = "1024,8192", description = "Buffer lengths in bytes. " +
        "Default: ${DEFAULT-VALUE}")
    private List<Integer> bufferLengths;

    @Option(names = "--repeats", defaultValue = "50", description = "Repeats of each case, if faithful; otherwise " +
        "see --rounds. Default: ${DEFAULT-VALUE}")
    private int repeats;

    @Option(names = { "--strategies", "--ways" }, split = ",",
        description = "Cases: ${COMPLETION-CANDIDATES}. Default: all; the generators if durable, the inputs if cold.")
    private List<Case> strategies = List.of(Case.values());

    @Option(names = "--granularity", split = ",", defaultValue = "ARRAY", description = "Unit of each call, unless " +
        "faithful: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private List<Granularity> granularities;

    @Parameters(arity = "0..4", paramLabel = "FILE LENGTH BUFFER REPEATS", description = "The original's arguments " +
        "instead of options, in the order of its documentation (1.txt 1073741824 1024 50) or of its code (1024 " +
        "1073741824 1.txt 50). The file is created in a temporary directory next to it.")
    private List<String> arguments = List.of();

    private String fileName = "1.txt";

    @Override
    protected double neededBytes()
    {
        return 1.125 * length;
    }

    @Override
    protected void runFaithful(final BenchmarkRun run) throws IOException
    {
        run.begin(profile, Plan.of(
            (double)bufferLengths.size() * cases().size() * (repeats + 1) * length / ASSUMED_RATE,
            "the original's: each case %d times, one after the other in this JVM; delete, create, open and close " +
                "inside the measured time; no fsync; data read is not used; the last file generated is verified",
            repeats), List.of());
        for (final int bufferLength : bufferLengths)
        {
            run.out().printf(
                "TestParams{filePath='%s', fileSizeInBytes=%d, bufferSizeInBytes=%d, repeats=%d}%n" +
                    "-------------------%n",
                fileName, length, bufferLength, repeats);
            final LineFile file = new LineFile(run.path().resolve(fileName), length, bufferLength);
            file.write();
            for (final Case each : cases())
            {
                final double[] times = repeat(run, each, file);
                file.verify();
                run.out().print(originalText(each.originalName, length, times));
                if (each.isGenerator() && repeats > 1 && (each.isAllocating() || Case.MmapGen == each))
                {
                    run.out().printf(
                        Locale.ROOT, "first run: %+.1f %% to the median of the others%n", firstRunPercent(times));
                }
                run.out().flush();
            }
        }
    }

    private double[] repeat(final BenchmarkRun run, final Case each, final LineFile file) throws IOException
    {
        final BenchmarkCase point = point(each, file.bufferLength(), null);
        final StreamsProgram program = each.program.apply(file);
        final double[] times = new double[repeats];
        for (int i = 0; i < repeats; i++)
        {
            unmapIfFull(run.path());
            final MeasuredInterval interval = MeasuredInterval.start();
            program.init();
            final long moved = program.run();
            program.close();
            interval.rate(rateKey(each), length);
            final Map<String, String> found = interval.end(prefix(each));
            Content.check("length: case=" + each, length, moved);
            times[i] = interval.elapsedNs();
            found.put(StreamsTrial.ELAPSED, Long.toString(interval.elapsedNs()));
            run.add(i + 1, point.label(), point.parameters(), found);
        }

        return times;
    }

    /** How much longer the first took than the median of the others, in percent. */
    static double firstRunPercent(final double... times)
    {
        return 100 * (times[0] / Spread.of(Arrays.copyOfRange(times, 1, times.length)).median() - 1);
    }

    /** The statistics that the original prints; its sigma in percent is that of the range. */
    static String originalText(final String name, final long length, final double... times)
    {
        final Statistics statistics = Statistics.of(times);
        final String runs = Arrays.stream(times).mapToObj((time) -> (long)(time / NS_PER_MS) + ", ")
            .collect(Collectors.joining());
        return String.join(
            "\n", name + ":", "avg:" + text(statistics.mean(), length), "min:" + text(statistics.min(), length),
            "max:" + text(statistics.max(), length), "sygma:" + text(statistics.sigma(), length) +
                String.format(Locale.ROOT, "(%f%%)", statistics.sigmaPercentOfRange()),
            "runs (millis):" + runs, "", "--------------------------", "");
    }

    private static String text(final double ns, final long length)
    {
        final boolean isShort = ns < NS_PER_MS;
        return String.format(
            Locale.ROOT, "%f %s %.3f (MB/s)", ns / (isShort ? NS_PER_US : NS_PER_MS), isShort ? "micros" : "millis",
            length / MB * NS_PER_S / ns);
    }

    /**
     * Unmaps the deleted files of earlier repeats if there is no room for another one, or if they occupy memory. Else
     * they stay, as in the original: unmapping them before each repeat makes the mapped generator twice as fast.
     */
    private void unmapIfFull(final Path directory) throws IOException
    {
        if (Machine.isInMemory(directory) || Files.getFileStore(directory).getUsableSpace() < length)
        {
            System.gc();
        }
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        return bufferLengths.stream().flatMap((bufferLength) -> granularities.stream()
            .flatMap((granularity) -> cases().stream().map((each) -> point(each, bufferLength, granularity)))).toList();
    }

    /** @param granularity null in the faithful profile, where that of the original differs. */
    private BenchmarkCase point(final Case each, final int bufferLength, final Granularity granularity)
    {
        final BenchmarkCase point = BenchmarkCase.of(
            each + ", buffer of " + bufferLength + " B" + (null == granularity ? "" : ", by " + label(granularity)),
            StreamsTrial.class)
            .argument("profile", profile).parameter("way", each).parameter("bufferLength", bufferLength)
            .parameter("length", length);
        return null == granularity ? point : point.parameter("granularity", granularity);
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        final double rate = Profile.FAIR == profile ? ASSUMED_RATE : ASSUMED_DEVICE_RATE;
        return Plan.of(
            options.rounds * benchmarks.size() * (OVERHEAD_S + 2 * length / rate),
            "%s: a file of %,d B; %d rounds in random order, each case in its own JVM without flags, warmed up; " +
                "generated files are verified by independent code, sums of read data compared",
            profile.label(), length, options.rounds);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.printf(
            Locale.ROOT,
            "%nMB/s of 1,048,576 B from the mean time of %d rounds; sigma as a percentage of the mean, and of the " +
                "range as in the original%n",
            results.roundCount());
        final boolean isDurable = Profile.DURABLE == profile;
        final Table table = new Table(
            "", "MB/s", isDurable ? "fsynced" : "", "min ms", "max ms", "sigma %", "of range", "processor ms");
        for (final BenchmarkCase benchmark : benchmarks)
        {
            final String label = benchmark.label();
            final Case each = original(benchmark);
            final Statistics times = times(results, label, rateKey(each));
            table.row(
                label, rate(times), isDurable ? rate(times(results, label, Sequential.DURABLE)) : "",
                Table.number("%,.1f", times.min() / NS_PER_MS), Table.number("%,.1f", times.max() / NS_PER_MS),
                Table.number("%.2f", times.sigmaPercentOfMean()), Table.number("%.2f", times.sigmaPercentOfRange()),
                Table.number("%,.0f", results.spread(label, prefix(each) + "CpuUs").median() / US_PER_MS));
        }
        table.print(out);
        benchmarks.stream().filter((benchmark) -> original(benchmark).isAllocating()).map(BenchmarkCase::label)
            .forEach((label) -> out.printf(
                Locale.ROOT, "%s: allocating the first buffer of the process took %,.1f us, others %,.1f us%n", label,
                results.spread(label, StreamsTrial.FIRST_ALLOCATION).median() / NS_PER_US,
                results.spread(label, StreamsTrial.LATER_ALLOCATION).median() / NS_PER_US));
        printCold(out, results, benchmarks, "reading");
        out.println(isDurable ?
            "The first rate is that of the page cache, the second that of the device." :
            "A rate above the device's is that of the page cache; --profile=durable and --profile=cold measure the " +
                "device.");
    }

    private static Case original(final BenchmarkCase benchmark)
    {
        return Case.valueOf(benchmark.parameters().get("way"));
    }

    private Statistics times(final Results results, final String label, final String rateKey)
    {
        return Statistics.of(Arrays.stream(results.of(label, rateKey))
            .map((rate) -> Math.rint(length * NS_PER_S / rate)).toArray());
    }

    private String rate(final Statistics times)
    {
        return Table.number("%,.0f", length / MB * NS_PER_S / times.mean());
    }

    private static String rateKey(final Case each)
    {
        return each.isGenerator() ? Sequential.WRITE : Sequential.READ;
    }

    /** Of the keys of resource usage. */
    private static String prefix(final Case each)
    {
        return each.isGenerator() ? "write" : "read";
    }

    private List<Case> cases()
    {
        return strategies.stream()
            .filter((each) -> Profile.DURABLE != profile || each.isGenerator())
            .filter((each) -> Profile.COLD != profile || !each.isGenerator())
            .toList();
    }

    private void takeArguments()
    {
        if (arguments.isEmpty())
        {
            return;
        }

        try
        {
            final boolean isFileFirst = !arguments.get(0).matches("\\d+");
            final Path file = Path.of(arguments.get(isFileFirst ? 0 : 2));
            length = Long.parseLong(arguments.get(1));
            bufferLengths = List.of(Integer.parseInt(arguments.get(isFileFirst ? 2 : 0)));
            repeats = Integer.parseInt(arguments.get(3));
            options.rounds = repeats;
            fileName = Objects.requireNonNullElse(file.getFileName(), file).toString();
            if (null != file.getParent())
            {
                options.directory = file.getParent();
            }
        }
        catch (final NumberFormatException | IndexOutOfBoundsException ex)
        {
            throw new ParameterException(
                spec.commandLine(), "arguments are FILE LENGTH BUFFER REPEATS, or BUFFER LENGTH FILE REPEATS", ex);
        }
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        takeArguments();
        checks.atLeast(1, "--length", length)
            .atLeast(1, "--repeats", repeats)
            // Longer than a line separator.
            .within(System.lineSeparator().length() + 1, MAX_LENGTH, "--buffers", bufferLengths)
            .that(!cases().isEmpty(),
                "--strategies has none for this profile: durable needs generators, cold needs inputs");
        if (1 != options.scale)
        {
            // Whole buffers.
            final int most = Collections.max(bufferLengths);
            length = Math.max(most, options.scaled(length) / most * most);
        }
        checks.that(Profile.FAITHFUL != profile || length <= Integer.MAX_VALUE &&
            bufferLengths.stream().allMatch((each) -> 0 == length % each),
            "--profile=faithful needs a multiple of each buffer length below 2 GiB, as the original does; " +
                "--profile=fair takes any length");
    }
}
