package io.journal.bench.recommend;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Commands;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Progress;
import io.journal.bench.run.TempDirectory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Measures the backends on the machine and disk it runs on, and says which one to take. From a clean clone:
 * <pre>
 * mvn -q -Precommend package -Djournal.recommend.dir=/where/the/journal/will/be
 * </pre>
 */
@Command(
    name = "recommend",
    description = "Measures which backend suits this machine and this disk.",
    sortOptions = false)
public final class Recommend implements Callable<Integer>
{
    private static final int MIN_RECORD_LENGTH = 8;
    private static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;
    private static final int MIN_SECONDS = 5;
    private static final int MS_PER_S = 1000;
    private static final long ENOUGH_BYTES = 400_000_000;
    private static final int BYTES_PER_MB = 1_000_000;
    private static final int BYTES_PER_MIB = 1024 * 1024;
    private static final int EXIT_INTERRUPTED = 130;

    @Spec
    private CommandSpec spec;

    @Option(names = "--dir", defaultValue = "target/recommend", description = "Where the journal will be: a " +
        "directory is made below it, and removed afterwards. Default: ${DEFAULT-VALUE}")
    private Path directory;

    @Option(names = "--record-length", defaultValue = "256", description = "Usual length of a record in bytes. " +
        "Default: ${DEFAULT-VALUE}")
    private int recordLength;

    @Option(names = "--survive", defaultValue = "power", description = "What an acknowledged record survives: the " +
        "end of the process, or the loss of power. One of: process, power. Default: ${DEFAULT-VALUE}")
    private Survive survive;

    @Option(names = "--seconds", defaultValue = "100", description = "Time to measure, about; at most half as much " +
        "again. Default: ${DEFAULT-VALUE}")
    private int seconds;

    @Option(names = "--rounds", defaultValue = "7", description = "Rounds, 7 or more. Default: " +
        "${DEFAULT-VALUE}")
    private int rounds;

    @Option(names = "--seed", defaultValue = "1", description = "Of the order in which cases are measured. Default: " +
        "${DEFAULT-VALUE}")
    private long seed;

    @Option(names = "--quiet", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "No " +
        "progress on the error stream.")
    private boolean isQuiet;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this.")
    private boolean isHelpWanted;

    public static void main(final String[] args)
    {
        System.exit(Commands.of(new Recommend()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        checkOptions();
        final List<Case> cases = Case.all(recordLength);
        return run(cases, Plan.of(recordLength, seconds * MS_PER_S / (cases.size() * rounds)));
    }

    int run(final List<Case> cases, final Plan plan) throws IOException, InterruptedException
    {
        final PrintWriter out = spec.commandLine().getOut();
        try (TempDirectory temp = openDirectory())
        {
            checkSpace(temp.path(), plan);
            out.print(Machine.describe(temp.path()));
            out.println(describe(cases, plan));
            out.flush();

            final Rounds measuring = new Rounds(temp.path(), cases, plan, seed, seconds * 3L / 2, rounds);
            report(out, measure(measuring, temp), measuring.bytes());
            return CommandLine.ExitCode.OK;
        }
        catch (final CancellationException ignore)
        {
            return EXIT_INTERRUPTED;
        }
    }

    private Measurements measure(final Rounds measuring, final TempDirectory temp)
        throws IOException, InterruptedException
    {
        final Thread cleaner = new Thread(() ->
        {
            measuring.close();
            temp.close();
        });
        Runtime.getRuntime().addShutdownHook(cleaner);
        try (measuring; Progress progress = Progress.of(isQuiet, "recommend", measuring.trialCount()))
        {
            return measuring.run(progress);
        }
        finally
        {
            removeHook(cleaner);
        }
    }

    private void report(final PrintWriter out, final Measurements measurements, final long bytes)
    {
        final Verdict verdict = Verdict.of(measurements, survive);
        out.print(Table.of(measurements));
        out.printf(
            Locale.ROOT, "%d rounds, %,d MB of journals written and as many zeros before them%n",
            measurements.roundCount(), bytes / BYTES_PER_MB);
        if (bytes < ENOUGH_BYTES)
        {
            out.println("That is little: take more --seconds before relying on it.");
        }
        out.println();
        out.printf("Recommended, if a record has to survive %s: %s%n", survive.what(), verdict.recommended().label());
        verdict.reasons().forEach((reason) -> out.println("  - " + reason));
        if (!verdict.ties().isEmpty())
        {
            out.println("  - No meaningful difference in anything measured between it and " +
                String.join(", ", verdict.ties().stream().map(Case::label).toList()) + ".");
            out.println("    It comes first in order: the default, then what writes each record, then small windows.");
        }
        out.println();
        out.print(verdict.recommended().snippet());
        out.flush();
    }

    private String describe(final List<Case> cases, final Plan plan)
    {
        return String.format(
            Locale.ROOT,
            "command      recommend --dir=%s --record-length=%d --survive=%s --seconds=%d --rounds=%d --seed=%d%n" +
                "plan         %d cases a round in random order, each in a JVM of its own without flags; segments of " +
                "%d MiB;%n             told apart: ahead in every round, and by %.0f %% in the median%n",
            directory, recordLength, survive.name().toLowerCase(Locale.ROOT), seconds, rounds, seed, cases.size(),
            plan.segmentLength() / BYTES_PER_MIB,
            100 * (Verdict.MEANINGFUL - 1));
    }

    private void checkOptions()
    {
        if (recordLength < MIN_RECORD_LENGTH || recordLength > MAX_RECORD_LENGTH)
        {
            throw refused("--record-length must be from " + MIN_RECORD_LENGTH + " to " + MAX_RECORD_LENGTH);
        }
        if (seconds < MIN_SECONDS)
        {
            throw refused("--seconds must be " + MIN_SECONDS + " or more");
        }
        if (rounds < Verdict.MIN_ROUNDS)
        {
            throw refused("--rounds must be " + Verdict.MIN_ROUNDS + " or more");
        }
    }

    private TempDirectory openDirectory()
    {
        try
        {
            return TempDirectory.below(directory, "journal-recommend-");
        }
        catch (final IOException ex)
        {
            throw refused("--dir cannot be written: " + ex);
        }
    }

    private void checkSpace(final Path path, final Plan plan) throws IOException
    {
        final long free = Files.getFileStore(path).getUsableSpace();
        if (free < plan.neededSpace())
        {
            throw refused(String.format(
                Locale.ROOT, "--dir has too little space: needed=%,d MB, free=%,d MB",
                plan.neededSpace() / BYTES_PER_MB, free / BYTES_PER_MB));
        }
    }

    private ParameterException refused(final String message)
    {
        return new ParameterException(spec.commandLine(), message);
    }

    private static void removeHook(final Thread hook)
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        catch (final IllegalStateException ignore)
        {
            // It runs already.
        }
    }
}
