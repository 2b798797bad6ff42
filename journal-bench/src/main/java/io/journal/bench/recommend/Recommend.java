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

import io.journal.JournalBuilder;
import io.journal.bench.report.Report;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Device;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Profile;
import io.journal.bench.run.RawFile;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Terminal;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.BackendConfig;
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
    private static final String UNKNOWN = "unknown";
    private static final int MIN_RECORD_LENGTH = 8;
    private static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;
    private static final int MIN_SECONDS = 5;
    // Measured time of a trial; start, warm-up, open and check come on top.
    private static final int SHORT_TRIAL_MS = 300;
    private static final int TRIAL_MS = 500;
    private static final int QUICK_SECONDS = 60;
    // Minimum total time to try each candidate several times, and to compile the code in memory before.
    static final int ENOUGH_SECONDS = 60;
    // No trial begins later than this share of the time, however long trials take.
    private static final double LATEST = 1.3;
    private static final int FIRST_ROUNDS = 3;
    private static final int MIN_RECORDS = 8;
    // Free disk space that a segment length requires, in segments.
    private static final int ROOM = 32;
    private static final int SHORTEST = 4 * 1024 * 1024;

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
        // Options are checked before the measurement rather than after it.
        options.check(spec);
        RunOptions.require(spec, recordLength >= MIN_RECORD_LENGTH && recordLength <= MAX_RECORD_LENGTH,
            "--record-length must be from 8 to 4,194,304");
        RunOptions.require(spec, UNKNOWN.equals(rate) || rate.matches("[1-9]\\d{0,8}"),
            "--rate must be 1 or more, or " + UNKNOWN);
        RunOptions.require(spec, seconds >= MIN_SECONDS, "--seconds must be 5 or more");
        RunOptions.require(spec, rounds() >= Interval.MIN_COUNT, "--rounds must be 7 or more");
        RunOptions.require(spec, RunOptions.isWritable(settings), "--settings cannot be written: " + settings);
        final double wanted = options.isQuick ? QUICK_SECONDS : seconds;
        final Trial.Plan plan = Trial.Plan.of(
            requirement(survive), wanted < ENOUGH_SECONDS ? SHORT_TRIAL_MS : TRIAL_MS);
        run(BackendConfig.all(recordLength), plan, wanted);
        return null == options.report ? CommandLine.ExitCode.OK :
            Report.writeAfter(spec.commandLine(), options.report);
    }

    void run(final List<BackendConfig> cases, final Trial.Plan plan, final double wantedSeconds)
        throws IOException, InterruptedException
    {
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, spec.name()))
        {
            run.require(plan.neededSpace());
            final boolean isInMemory = Machine.isInMemory(run.path());
            // A directory in memory does not survive a power loss, and its fsync is free, so the cost of appending
            // decides.
            final Recommendation recommendation = recommend(
                run, requirement(isInMemory ? Requirement.Durability.PROCESS : survive), cases, plan, wantedSeconds);
            run.add(0, "verdict", recommendation.parameters(), recommendation.values());
            if (isInMemory && Requirement.Durability.POWER == survive)
            {
                run.out().println(Terminal.wrap(0, "Warning: this file system is in memory. Nothing on it survives a " +
                    "loss of power and fsync is free, so the cost of appending decides. Measure where the journal " +
                    "will be."));
                run.out().println();
            }
            print(run.out(), recommendation);
            if (null != settings)
            {
                write(recommendation.file(header(run.header())));
                run.out().println(Terminal.wrap(0, "Written to " + Machine.displayed(settings) +
                    ", for Journal.builder(path).settings(file)."));
            }
        }
    }

    /** Measures and decides: first backend and write window, then the force policy. */
    private Recommendation recommend(
        final BenchmarkRun run, final Requirement requirement, final List<BackendConfig> all, final Trial.Plan plan,
        final double wantedSeconds) throws IOException, InterruptedException
    {
        final boolean isAllocating = Machine.isOverwritingAllocation(run.path());
        final List<BackendConfig> usable =
            all.stream().filter((each) -> BackendConfig.isUsable(each.backend(), run.path())).toList();
        final List<BackendConfig> cases = requirement.candidates(usable, isAllocating);
        // Without enough time, skip the compilation in memory: otherwise two candidates could not be compared.
        final boolean isEnough = wantedSeconds >= ENOUGH_SECONDS;
        run.begin(
            "recommend", Requirement.Durability.POWER == requirement.durability() ? Profile.DURABLE : Profile.FAIR, 1,
            String.format(
                Locale.ROOT, "survives %s; records of %d B%s; %d candidates, then the leaders again in %d rounds or " +
                    "more; each trial in a process of its own, without JVM flags; about %s",
                requirement.durability().what, recordLength,
                requirement.isRateStated() ? String.format(Locale.ROOT, ", %,d a second", requirement.rate()) : "",
                cases.size(), rounds(), Unit.duration(wantedSeconds)),
            List.of());
        final long start = System.nanoTime();
        final Tournament.Outcome outcome = new Tournament(requirement, (measured, count) -> Measurements.of(
            measured, run.measure(
                measured.stream().map((each) -> Trial.benchmark(each, plan).argument("isCompiling", isEnough)).toList(),
                count, () -> System.nanoTime() - start > LATEST * wantedSeconds * Unit.NS_PER_S)),
            System::nanoTime).run(cases, isEnough ? FIRST_ROUNDS : 1, rounds(), wantedSeconds);
        final int segmentLength = segmentLength(Files.getFileStore(run.path()).getUsableSpace());
        final Recommendation.Force force =
            Recommendation.Force.of(requirement, outcome.all(), outcome.verdict().recommended());
        final List<String> reasons = new ArrayList<>(outcome.verdict().reasons());
        addIf(reasons, !outcome.skipped().isEmpty(), outcome.slow(rounds()));
        addIf(reasons, isAllocating, "MAPPED is excluded: overwriting may need space here, on a copy-on-write file " +
            "system or a thin volume, and a mapped write without free space kills the process.");
        addIf(reasons, usable.size() < all.size(), "DIRECT is no candidate: direct I/O is not possible here.");
        addIf(reasons, segmentLength < JournalBuilder.DEFAULT_SEGMENT_LENGTH, "Little free space: segments shorter " +
            "than the default's " + Unit.bytes(JournalBuilder.DEFAULT_SEGMENT_LENGTH) + '.');
        reasons.addAll(force.reasons());
        final String warning = beyondDisk(requirement, run.device());
        addIf(reasons, !warning.isEmpty() && !Machine.isInMemory(run.path()), warning);
        return new Recommendation(requirement, outcome.verdict(), segmentLength, force, reasons);
    }

    private static void addIf(final List<String> reasons, final boolean isTrue, final String reason)
    {
        if (isTrue)
        {
            reasons.add(reason);
        }
    }

    /**
     * Returns the default segment length, a shorter length if there is little space, or a longer length if records need
     * it.
     */
    private int segmentLength(final long freeBytes)
    {
        int length = JournalBuilder.DEFAULT_SEGMENT_LENGTH;
        while (length > SHORTEST && freeBytes / ROOM < length)
        {
            length /= 4;
        }
        while (length < (long)MIN_RECORDS * recordLength)
        {
            length *= 2;
        }
        return length;
    }

    /** Warns of a rate that is sustained only until the page cache is full of dirty pages; else empty. */
    static String beyondDisk(final Requirement requirement, final Device device)
    {
        final double wanted = (double)requirement.rate() * requirement.recordLength();
        return Requirement.ROOM * wanted <= device.writeBytesPerSecond() ? "" : String.format(
            Locale.ROOT,
            "Warning: %,d records/s of %,d B are %,.0f MB/s, and this disk writes %,.0f MB/s: once the page cache is " +
                "full of dirty pages, appends wait for the disk, whatever was measured here.",
            requirement.rate(), requirement.recordLength(), wanted / Unit.MB,
            device.writeBytesPerSecond() / Unit.MB);
    }

    private static void print(final PrintWriter out, final Recommendation recommendation)
    {
        final Verdict verdict = recommendation.verdict();
        out.println("Recommended, if a record must survive " + recommendation.requirement().durability().what + ":");
        out.println(verdict.recommended().label() + ", segments of " +
            Unit.bytes(recommendation.segmentLength()) + ", force " + recommendation.force().setting());
        if (!verdict.ties().isEmpty())
        {
            out.println(Terminal.wrap(0, "A tie with " + Verdict.labels(verdict.ties()) + "."));
        }
        if (!verdict.untried().isEmpty())
        {
            out.println(Terminal.wrap(
                0, "Not compared, possibly as good: " + Verdict.labels(verdict.untried()) + "."));
        }
        recommendation.reasons().forEach((reason) -> out.println(Terminal.wrap(4, "  - " + reason)));
        out.println();
        verdict.table().forEach(out::println);
        out.print(recommendation.snippet());
    }

    private static List<String> header(final RawFile.Header header)
    {
        final List<String> lines = new ArrayList<>(List.of(
            "Settings of a journal, for Journal.builder(path).settings(file); later calls override them.",
            "Written by " + header.command()));
        header.machine().forEach((key, value) -> lines.add(key + ": " + value));
        return lines;
    }

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

    private Requirement requirement(final Requirement.Durability durability)
    {
        return new Requirement(
            durability, recordLength, UNKNOWN.equals(rate) ? Requirement.UNKNOWN_RATE : Long.parseLong(rate));
    }

    private int rounds()
    {
        return null == options.rounds ? Interval.MIN_COUNT : options.rounds;
    }
}
