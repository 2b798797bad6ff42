package io.journal.bench.article.streams;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.journal.bench.article.ArticleExperiment;
import io.journal.bench.article.streams.StreamsTrial.Granularity;
import io.journal.bench.run.Checks;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Space;
import io.journal.bench.run.Subject;
import io.journal.bench.run.Usage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * The "java-io-benchmark" of Roman Katerinenko, as it was and as it should have been.
 */
@Command(
    name = "streams-vs-channels",
    description = "Generates a file of lines and reads it: streams, channels with direct and with indirect buffers, " +
        "memory mapped.%n%nfaithful: the procedure, the order and the printed lines of the original, all repeats of " +
        "a case before the next, in one JVM.%nfair: each case in a JVM of its own, warmed up, in random order, all " +
        "with the same buffer and the same granularity, what is read is used, contents verified.%ndurable: the same " +
        "for the generators, and how fast they are when the device has to have it, mapped memory included.%ncold: " +
        "the same for the inputs, after the page cache was dropped.",
    footer = {
        "%nAnswers: are channels faster than streams, direct buffers than others, mapped files than all?",
        "Example: streams-vs-channels --dir=/on/the/disk --profile=durable --granularity=array,byte",
        "Takes: about 7 minutes; faithful half an hour." },
    sortOptions = false)
public final class StreamsVersusChannels extends ArticleExperiment
{
    private static final double MB = 1024 * 1024;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final double US_PER_MS = 1e3;
    private static final double ASSUMED_RATE = 500e6;
    private static final double ASSUMED_DEVICE_RATE = 200e6;
    private static final int MOST_BUFFER_LENGTH = 1 << 30;
    // What a process does besides: start and warm up.
    private static final double OVERHEAD_S = 1;

    @Option(names = "--length", defaultValue = "1073741824", description = "Of the file, in bytes. Default: " +
        "${DEFAULT-VALUE}")
    private long length;

    @Option(names = "--buffers", split = ",", defaultValue = "1024,8192", description = "Lengths of the buffer in " +
        "bytes. Default: ${DEFAULT-VALUE}")
    private List<Integer> bufferLengths;

    @Option(names = "--repeats", defaultValue = "50", description = "Of each case, if faithful; otherwise --rounds " +
        "says it. Default: ${DEFAULT-VALUE}")
    private int repeats;

    @Option(names = { "--strategies", "--ways" }, split = ",",
        description = "Cases: ${COMPLETION-CANDIDATES}. Default: all; only those " +
            "that generate if durable, only those that read if cold.")
    private List<OriginalCase> wanted = List.of(OriginalCase.values());

    @Option(names = "--granularity", split = ",", defaultValue = "ARRAY", description = "What is handed to a way at " +
        "a time, unless faithful: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private List<Granularity> granularities;

    @Parameters(arity = "0..4", paramLabel = "FILE LENGTH BUFFER REPEATS", description = "The arguments of the " +
        "original, in the order that its description has (1.txt 1073741824 1024 50) or in that which its code " +
        "wants (1024 1073741824 1.txt 50), in place of the options. The file is made in a directory below its own, " +
        "and removed.")
    private List<String> arguments = List.of();

    private String fileName = "1.txt";

    @Override
    protected long neededBytes()
    {
        return Space.sum(scaledLength(), scaledLength() / 8);
    }

    @Override
    protected void runFaithful(final Session session) throws IOException
    {
        final long scaledLength = scaledLength();
        session.begin(profile, String.format(
            Locale.ROOT,
            "the original's: %d times each case after the other in this JVM; deleting, creating, opening and closing " +
                "in the time; nothing forced, nothing done with what is read; what was generated last is verified",
            repeats), (double)bufferLengths.size() * cases().size() * (repeats + 1) * scaledLength / ASSUMED_RATE);
        final Path file = session.path().resolve(fileName);
        for (final int bufferLength : bufferLengths)
        {
            session.out().printf(
                "TestParams{filePath='%s', fileSizeInBytes=%d, bufferSizeInBytes=%d, repeats=%d}%n" +
                    "-------------------%n",
                fileName, scaledLength, bufferLength, repeats);
            final Lines lines = new Lines(bufferLength);
            lines.write(file, scaledLength);
            for (final OriginalCase each : cases())
            {
                final Runs runs = repeat(session, each, file, scaledLength, bufferLength);
                lines.verify(file, scaledLength);
                session.out().print(runs.originalText(each.originalName()));
                if (each.isGenerator() && repeats > 1 && (each.isAllocating() || OriginalCase.MmapGen == each))
                {
                    session.out().printf(
                        Locale.ROOT, "first run: %+.1f %% to the median of the others%n", runs.firstRunPercent());
                }
                session.out().flush();
            }
        }
    }

    private Runs repeat(
        final Session session,
        final OriginalCase each,
        final Path file,
        final long scaledLength,
        final int bufferLength) throws IOException
    {
        final Lines lines = new Lines(bufferLength);
        final long[] times = new long[repeats];
        for (int i = 0; i < repeats; i++)
        {
            // Else the blocks of files that are deleted, but still mapped by repeats before, would add up.
            System.gc();
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            final long moved = each.run(file, scaledLength, lines, bufferLength);
            times[i] = System.nanoTime() - start;
            final Map<String, String> found = usage.foundSince(each.isGenerator() ? "write" : "read");
            if (moved != scaledLength)
            {
                throw new IllegalStateException(
                    "wrong length: case=" + each + ", expected=" + scaledLength + ", found=" + moved);
            }
            found.put(StreamsTrial.ELAPSED, Long.toString(times[i]));
            found.put(
                each.isGenerator() ? StreamsTrial.WRITE : StreamsTrial.READ,
                Double.toString(scaledLength * NS_PER_S / times[i]));
            session.add(
                i + 1, label(each, bufferLength, null), parameters(each, bufferLength, null, scaledLength), found);
        }

        return new Runs(scaledLength, times);
    }

    @Override
    protected List<Subject> subjects(final Session session)
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final int bufferLength : bufferLengths)
        {
            for (final Granularity granularity : granularities)
            {
                for (final OriginalCase each : cases())
                {
                    final Subject subject = Subject.of(
                        label(each, bufferLength, granularity), StreamsTrial.class).told("profile", profile);
                    parameters(each, bufferLength, granularity, scaledLength()).forEach(subject::with);
                    subjects.add(subject);
                }
            }
        }
        return subjects;
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%s: a file of %,d B; %d rounds in random order, each case in a JVM of its own without flags, warmed up; " +
                "what is generated is verified by other code, what is read is summed up and compared",
            profile.label(), scaledLength(), options.rounds);
    }

    @Override
    protected double seconds(final List<Subject> subjects)
    {
        final double rate = Profile.FAIR == profile ? ASSUMED_RATE : ASSUMED_DEVICE_RATE;
        return options.rounds * subjects.size() * (OVERHEAD_S + 2 * scaledLength() / rate);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        final long scaledLength = scaledLength();
        out.printf(
            Locale.ROOT,
            "%nMB/s of 1,048,576 B from the mean time of %d rounds; sigma as a share of the mean, and of what lies " +
                "between the extremes as in the original%n",
            results.roundCount());
        out.printf(
            Locale.ROOT, "%-44s %9s %9s %9s %9s %9s %9s %12s%n", "", "MB/s",
            Profile.DURABLE == profile ? "forced" : "", "min ms", "max ms", "sigma %", "of range", "processor ms");
        for (final Subject subject : subjects)
        {
            final String label = subject.label();
            final boolean isGenerator = OriginalCase.valueOf(subject.parameters().get("way")).isGenerator();
            final Runs runs = runs(results, label, isGenerator ? StreamsTrial.WRITE : StreamsTrial.READ, scaledLength);
            out.printf(
                Locale.ROOT, "%-44s %,9.0f %9s %,9.1f %,9.1f %9.2f %9.2f %,12.0f%n", label, rate(runs, scaledLength),
                Profile.DURABLE == profile ?
                    String.format(
                        Locale.ROOT, "%,.0f",
                        rate(runs(results, label, StreamsTrial.DURABLE, scaledLength), scaledLength)) :
                    "",
                runs.minNs() / NS_PER_MS, runs.maxNs() / NS_PER_MS, runs.sigmaPercentOfMean(),
                runs.sigmaPercentOfRange(),
                results.spread(label, (isGenerator ? "write" : "read") + "CpuUs").median() / US_PER_MS);
        }
        printAllocations(out, results, subjects);
        printCold(out, results, subjects, "reading");
        out.println(Profile.DURABLE == profile ?
            "The first rate is what the page cache takes, the second what the device has." :
            "A rate above the device's is the page cache's: --profile=durable and --profile=cold ask the device.");
    }

    private static void printAllocations(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        for (final Subject subject : subjects)
        {
            if (OriginalCase.valueOf(subject.parameters().get("way")).isAllocating())
            {
                out.printf(
                    Locale.ROOT, "%s: the first buffer of the process was allocated in %,.1f us, others in %,.1f us%n",
                    subject.label(),
                    results.spread(subject.label(), StreamsTrial.FIRST_ALLOCATION).median() / NS_PER_US,
                    results.spread(subject.label(), StreamsTrial.LATER_ALLOCATION).median() / NS_PER_US);
            }
        }
    }

    private static Runs runs(final Results results, final String label, final String key, final long scaledLength)
    {
        final double[] rates = results.of(label, key);
        final long[] times = new long[rates.length];
        for (int i = 0; i < rates.length; i++)
        {
            times[i] = Math.round(scaledLength * NS_PER_S / rates[i]);
        }

        return new Runs(scaledLength, times);
    }

    private static double rate(final Runs runs, final long scaledLength)
    {
        return scaledLength / MB * NS_PER_S / runs.averageNs();
    }

    private List<OriginalCase> cases()
    {
        return wanted.stream()
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
    protected void check(final Checks checks)
    {
        takeArguments();
        checks.atLeast(1, "--length", length)
            .atLeast(1, "--repeats", repeats)
            // Longer than what ends a line.
            .within(System.lineSeparator().length() + 1, MOST_BUFFER_LENGTH, "--buffers", bufferLengths);
        if (cases().isEmpty())
        {
            throw new ParameterException(
                spec.commandLine(), "--strategies has none for this profile: durable ones generate, cold ones read");
        }
        if (Profile.FAITHFUL == profile && (scaledLength() > Integer.MAX_VALUE || 0 == scaledLength() ||
            bufferLengths.stream().anyMatch((each) -> 0 != scaledLength() % each)))
        {
            throw new ParameterException(
                spec.commandLine(), "--profile=faithful takes a multiple of each buffer and no 2 GiB, as the " +
                    "original does; --profile=fair takes any length");
        }
    }

    /**
     * Of the faithful profile as many whole buffers as --scale leaves.
     */
    private long scaledLength()
    {
        if (1 == options.scale)
        {
            return length;
        }

        final long most = bufferLengths.stream().mapToInt(Integer::intValue).max().orElseThrow();
        return Math.max(most, options.scaled(length) / most * most);
    }

    private static Map<String, String> parameters(
        final OriginalCase each, final int bufferLength, final Granularity granularity, final long scaledLength)
    {
        final Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("way", each.name());
        parameters.put("bufferLength", Integer.toString(bufferLength));
        parameters.put("length", Long.toString(scaledLength));
        if (null != granularity)
        {
            parameters.put("granularity", granularity.name());
        }

        return parameters;
    }

    private static String label(final OriginalCase each, final int bufferLength, final Granularity granularity)
    {
        return each + ", buffer of " + bufferLength + " B" +
            (null == granularity ? "" : ", by " + granularity.name().toLowerCase(Locale.ROOT));
    }
}
