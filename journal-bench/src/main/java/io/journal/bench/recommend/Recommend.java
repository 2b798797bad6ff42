// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Machine;
import io.journal.bench.run.RawFile;
import io.journal.bench.report.Report;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Unit;
import io.journal.bench.run.BenchmarkRun;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Recommends a backend and settings for the machine and disk it runs on. From a clean clone:
 * <pre>
 * mvn -q -Precommend package -Djournal.recommend.dir=/where/the/journal/will/be
 * </pre>
 */
@Command(
    name = "recommend",
    description = "Recommends a backend and settings for this machine, this disk and your records. --rounds applies " +
        "to the final comparison of the leaders: 7 or more, and more if there is time.",
    footer = {
        "%nExample: recommend --dir=/where/the/journal/will/be --survive=power --rate=1000",
        "Takes: about two minutes." },
    sortOptions = false)
public final class Recommend implements Callable<Integer>
{
    /** Fewer rounds cannot separate candidates. */
    public static final int MIN_ROUNDS = Interval.MIN_COUNT;

    /** Case name of the result line that holds the recommendation. */
    static final String VERDICT = "verdict";

    private static final String UNKNOWN = "unknown";
    private static final int MIN_RECORD_LENGTH = 8;
    private static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;
    private static final int MIN_SECONDS = 5;
    // Measured time of a trial; start, warm-up, open and check come on top.
    private static final int SHORT_TRIAL_MS = 300;
    private static final int TRIAL_MS = 500;
    private static final int QUICK_SECONDS = 60;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options = new RunOptions();

    @Option(names = "--survive", defaultValue = "power", description = "What an acknowledged record must survive: " +
        "the end of the process or a loss of power. One of: process, power. Default: ${DEFAULT-VALUE}")
    private Requirement.Durability survive;

    @Option(names = "--record-length", defaultValue = "256", description = "Typical record length in bytes. Default: " +
        "${DEFAULT-VALUE}")
    private int recordLength;

    @Option(names = "--rate", defaultValue = UNKNOWN, description = "Peak records/s. The default backend stays if it " +
        "sustains twice as many. Default: ${DEFAULT-VALUE}")
    private String rate;

    @Option(names = "--seconds", defaultValue = "80", description = "Approximate time to measure. Default: " +
        "${DEFAULT-VALUE}")
    private int seconds;

    @Option(names = "--settings", description = "Settings file to write, for JournalBuilder.settings. An existing " +
        "file is replaced.")
    private Path settings;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        options.check(spec);
        checkOptions();
        final double wanted = options.isQuick ? QUICK_SECONDS : seconds;
        final Trial.Plan plan = Trial.Plan.of(requirement(), wanted < Study.ENOUGH_SECONDS ? SHORT_TRIAL_MS : TRIAL_MS);
        final int exitCode = run(BackendConfig.all(recordLength), plan, wanted);
        return CommandLine.ExitCode.OK != exitCode || null == options.report ? exitCode :
            Report.writeAfter(spec.commandLine(), options.report);
    }

    int run(final List<BackendConfig> cases, final Trial.Plan plan, final double wantedSeconds)
        throws IOException, InterruptedException
    {
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, spec.name()))
        {
            run.require(plan.neededSpace());
            // Nothing survives a loss of power in memory, and fsync is free: the cost of appending decides.
            final Requirement met = Machine.isInMemory(run.path()) ?
                new Requirement(Requirement.Durability.PROCESS, recordLength, requirement().rate()) : requirement();
            final Recommendation recommendation =
                new Study(run, met, plan, rounds(), wantedSeconds).run(cases);
            run.add(0, VERDICT, recommendation.parameters(), recommendation.values());
            print(run, recommendation, met.durability() != survive);
            if (null != settings)
            {
                write(recommendation.file(header(run.header())));
                run.out().println("Written to " + settings + ", for Journal.builder(path).settings(file).");
            }
            return CommandLine.ExitCode.OK;
        }
    }

    private void print(final BenchmarkRun run, final Recommendation recommendation, final boolean isInMemory)
    {
        final PrintWriter narrow = run.out();
        if (isInMemory)
        {
            narrow.println(
                "Warning: this file system is in memory. Nothing on it survives a loss of power and fsync is free, " +
                    "so the cost of appending decides. Measure where the journal will be.");
            narrow.println();
        }
        final Verdict verdict = recommendation.verdict();
        narrow.printf(
            Locale.ROOT, "Recommended, if a record must survive %s:%n%s, %s, force %s%n",
            recommendation.requirement().durability().what, verdict.recommended().label(),
            "segments of " + Unit.bytes(recommendation.segmentLength()), recommendation.force().setting());
        if (!verdict.ties().isEmpty())
        {
            narrow.println("A tie with " + Verdict.labels(verdict.ties()) + ".");
        }
        if (!verdict.untried().isEmpty())
        {
            narrow.println("Not compared, possibly as good: " + Verdict.labels(verdict.untried()) + ".");
        }
        recommendation.reasons().forEach((reason) -> narrow.println("  - " + reason));
        narrow.println();
        narrow.flush();
        verdict.table().forEach(narrow::println);
        narrow.print(recommendation.snippet());
    }

    private static List<String> header(final RawFile.Header header)
    {
        final List<String> lines = new ArrayList<>(List.of(
            "Settings of a journal, for Journal.builder(path).settings(file); later calls override them.",
            "Written by " + header.command()));
        header.machine().forEach((key, value) -> lines.add(key + ": " + value));
        return lines;
    }

    /** Replaces the file atomically. */
    private void write(final String text) throws IOException
    {
        final Path absolute = settings.toAbsolutePath();
        final Path written = absolute.resolveSibling(absolute.getFileName() + ".tmp");
        try
        {
            Files.writeString(written, text);
            Files.move(written, absolute, StandardCopyOption.ATOMIC_MOVE);
        }
        finally
        {
            Files.deleteIfExists(written);
        }
    }

    private Requirement requirement()
    {
        return new Requirement(
            survive, recordLength, UNKNOWN.equals(rate) ? Requirement.UNKNOWN_RATE : Long.parseLong(rate));
    }

    private void checkOptions()
    {
        // Checked before measuring, not after.
        RunOptions.require(spec, recordLength >= MIN_RECORD_LENGTH && recordLength <= MAX_RECORD_LENGTH,
            "--record-length must be from 8 to 4,194,304");
        RunOptions.require(spec, isRate(rate), "--rate must be 1 or more, or " + UNKNOWN);
        RunOptions.require(spec, seconds >= MIN_SECONDS, "--seconds must be 5 or more");
        RunOptions.require(spec, rounds() >= MIN_ROUNDS, "--rounds must be 7 or more");
        RunOptions.require(spec, RunOptions.isWritable(settings), "--settings cannot be written: " + settings);
    }

    private int rounds()
    {
        return null == options.rounds ? MIN_ROUNDS : options.rounds;
    }

    private static boolean isRate(final String text)
    {
        return UNKNOWN.equals(text) || text.matches("[1-9]\\d{0,8}");
    }
}
