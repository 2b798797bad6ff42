// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.journal.bench.article.Articles;
import io.journal.bench.experiment.Experiment;
import io.journal.bench.experiment.ExperimentCommand;
import io.journal.bench.experiment.Scope;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Child;
import io.journal.bench.run.Profile;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.subject.SubjectKind;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import static io.journal.bench.workload.WorkloadCases.MIB;
import static io.journal.bench.workload.WorkloadCases.SEGMENT_LENGTH;

/**
 * The experiments on this journal alone, with plain files as the baseline.
 */
@Command(
    name = "journal",
    description = "Measures this journal: backends, settings, latency, group commit, followers, look-ups, opening.",
    footer = {
        "%nExample: journal latency --dir=/on/the/disk --backends=MAPPED --rates=1000,5000,20000",
        "Takes: minutes each." },
    sortOptions = false)
public final class Journals extends ExperimentCommand
{
    private static final String RATE = "rate";
    private static final long BYTES = 409_600_000;
    private static final long LOOKUP_BYTES = 4L * 1024 * MIB;
    private static final int KEPT_SEGMENTS = 4;
    private static final int KIB = 1024;
    private static final int LIMIT_MS = 5000;
    private static final int SMALL_SEGMENT = MIB;
    private static final int SEEKS = 50_000;
    private static final int GROUP_COMMIT_MS = 1500;
    private static final int FRAME_LENGTH = 280;
    private static final int RECORD_LENGTH = 256;
    // Direct I/O is for records that are forced: without a window, each append would be timed as a forced one.
    private static final List<Backend> PAGE_CACHE =
        List.of(Backend.MAPPED, Backend.FILE_CHANNEL, Backend.RANDOM_ACCESS_FILE);
    private static final List<Backend> TWO = List.of(Backend.MAPPED, Backend.FILE_CHANNEL);

    @Mixin
    private WorkloadOptions chosen = new WorkloadOptions();

    @Override
    protected void checkOptions()
    {
        super.checkOptions();
        chosen.check(spec);
    }

    @Override
    protected List<Experiment> experiments()
    {
        return table();
    }

    /** The table. */
    public static List<Experiment> table()
    {
        return List.of(
            grid("journal", "How do appends and replay compare with the same bytes in a plain file?", List.of(0),
                List.of("FILLED"), List.of("manual")),
            grid("journal-windows", "What do a write window and recycled segments gain?", List.of(0, 64 * KIB, MIB),
                List.of("FILLED", "RECYCLED"), List.of("manual")),
            grid("journal-forced", "What do fsyncs cost, every 10 ms and for each record?", List.of(0),
                List.of("FILLED"), List.of("every10ms", "everyRecord")),
            fair("sustained", "sustained", 5, "Which rate is sustained under retention, and does recycling help?",
                (scope) -> backends(scope, PAGE_CACHE).flatMap((backend) -> Stream.of(false, true).map(
                    (isRecycling) -> stream(scope, backend, RECORD_LENGTH, 0, "manual", isRecycling)
                        .noted("recycling", isRecycling)))
                    .toList()),
            fair("latency", "latency", 3, "Which latency can be promised at which rate, written and durable?",
                (scope) -> paced(scope, PAGE_CACHE, scope.numbers("rates", 1000, 10_000),
                    List.of("manual", "every10ms", "everyRecord"))),
            fair("latency-direct", "latency", 3, "Is the tail of an append with an fsync shorter with direct I/O?",
                (scope) -> paced(scope, List.of(Backend.MAPPED, Backend.FILE_CHANNEL, Backend.DIRECT),
                    scope.numbers("rates", 500), List.of("everyRecord"))),
            new Experiment("group-commit", "group-commit", Profile.DURABLE, 5, "How many durable records/s are " +
                "possible, by number of threads, compared with a plain loop?", Journals::groupCommit),
            fair("in-flight", "in-flight", 5, "How many durable records/s has one thread that does not wait for each?",
                (scope) -> on(scope, TWO, Workload.PIPELINED)),
            new Experiment("device-writes", "device-writes", Profile.DURABLE, 5, "How many KiB are written to the " +
                "device for a durable append?",
                (scope) -> backends(scope, List.of(Backend.values())).flatMap(
                    (backend) -> scope.numbers("record-lengths", 64, RECORD_LENGTH, 4 * KIB).stream().map(
                        (length) -> named(new WorkloadCases(scope).of(
                            kind(backend), Workload.DURABLE, length, 1), backend)))
                    .toList()),
            fair("follow", "follow", 3, "How long after an append does a reader see the record?", Journals::followed),
            fair("lookups", "lookups", 5, "What does a record cost that is read at random, of 100 MB and of 4 GiB?",
                (scope) -> backends(scope, TWO).flatMap((backend) -> Stream.of(100_000, (int)(LOOKUP_BYTES / KIB))
                    .flatMap((records) -> scope.numbers("threads", 1, 4).stream().map((threads) -> named(
                        new WorkloadCases(scope).of(kind(backend), Workload.LOOKUP, KIB, threads), backend)
                        .parameter("records", scope.count(records)).labelled(records + " records"))))
                    .toList()),
            fair("first-lookups", "first-lookups", 5, "What do the first records cost that are read after an opening?",
                (scope) -> on(scope, TWO, Workload.FIRST_LOOKUP)),
            fair("seek", "seek", 3, "Does a long history make seeking, opening or heap use expensive?",
                (scope) -> backends(scope, PAGE_CACHE).flatMap((backend) -> Stream.of(300_000, 3_000_000).map(
                    (records) -> named(WorkloadTrial.of(
                        kind(backend), Workload.SEEK, String.format(Locale.ROOT, "%,d records", records), 64,
                        SMALL_SEGMENT), backend).parameter("records", scope.count(records))
                        .argument("seeks", scope.count(SEEKS))))
                    .toList()),
            fair("start-up", "start-up", 5, "How long from the start of a process to its first durable record?",
                (scope) -> on(scope, TWO, Workload.START)),
            fair("many-journals", "many-journals", 3, "What do journals cost that are open and not used?",
                (scope) -> backends(scope, TWO).flatMap((backend) -> scope.numbers(
                    "threads", scope.isFull() ? new Integer[]{ 1, 20, 200, 1000 } : new Integer[]{ 1, 20 }).stream()
                    .map((count) -> named(new WorkloadCases(scope).of(
                        kind(backend), Workload.IDLE, RECORD_LENGTH, SMALL_SEGMENT, count, 0), backend)))
                    .toList()),
            fair("growth", "growth", 3, "How do rates and opening grow with records, segments, history and threads?",
                Journals::growth));
    }

    private static Experiment fair(
        final String name, final String kind, final int rounds, final String question, final Experiment.Cases cases)
    {
        return new Experiment(name, kind, Profile.FAIR, rounds, question, cases);
    }

    private static SubjectKind kind(final Backend backend)
    {
        return SubjectKind.ofBackend(backend);
    }

    private static Stream<Backend> backends(final Scope scope, final List<Backend> standard)
    {
        return scope.constants(Backend.class, "backends", standard).stream()
            .filter((backend) -> BackendConfig.isUsable(backend, scope.directory()));
    }

    private static BenchmarkCase named(final BenchmarkCase made, final Backend backend)
    {
        // The backend says all.
        made.parameters().remove("subject");
        return made.noted("backend", backend);
    }

    private static List<BenchmarkCase> on(final Scope scope, final List<Backend> standard, final Workload workload)
    {
        return backends(scope, standard).flatMap((backend) -> new WorkloadCases(scope)
            .all(kind(backend), workload).map((each) -> named(each, backend))).toList();
    }

    /** With plain files: the same bytes, record by record, through the API of each backend. */
    private static Experiment grid(
        final String name, final String question, final List<Integer> windows, final List<String> segments,
        final List<String> policies)
    {
        return fair(name, "journal", 5, question, (scope) ->
        {
            final List<Integer> lengths = scope.numbers("record-lengths", RECORD_LENGTH, 4 * KIB);
            final List<BenchmarkCase> cases = new ArrayList<>();
            lengths.forEach((length) -> policies.forEach((policy) -> segments.forEach((origin) -> windows.forEach(
                (window) -> backends(scope, PAGE_CACHE)
                    .filter((backend) -> 0 == window || Backend.MAPPED != backend)
                    .forEach((backend) -> cases.add(
                        stream(scope, backend, length, window, policy, "RECYCLED".equals(origin))
                            .noted("segments", origin)))))));
            lengths.forEach((length) -> backends(scope, PAGE_CACHE).forEach((backend) -> cases.add(Articles.plainFile(
                Backend.FILE_CHANNEL == backend || Backend.DIRECT == backend ? "CHANNEL_DIRECT" : backend.name(),
                scope.bytes(BYTES), length))));
            return cases;
        });
    }

    private static BenchmarkCase stream(
        final Scope scope, final Backend backend, final int length, final int window, final String policy,
        final boolean isRecycling)
    {
        final int segmentLength = new WorkloadCases(scope).segmentLength(Workload.SUSTAINED);
        final BenchmarkCase made = named(WorkloadTrial.of(
            kind(backend), Workload.SUSTAINED, String.format(
                Locale.ROOT, "%,d B, window %,d, segments of %,d B %s, %s", length, window, segmentLength,
                isRecycling ? "recycled" : "filled", policy),
            length, segmentLength), backend).argument("isOfFile", true).parameter("windowLength", window)
            .parameter("forcePolicy", policy).parameter("length", scope.bytes(BYTES))
            .argument("ms", scope.ms(LIMIT_MS)).writing(2 * scope.bytes(BYTES));
        return isRecycling ? made.argument("recycling", true).argument("keptSegments", KEPT_SEGMENTS) : made;
    }

    private static List<BenchmarkCase> paced(
        final Scope scope, final List<Backend> standard, final List<Integer> rates, final List<String> policies)
    {
        return rates.stream().flatMap((rate) -> policies.stream().flatMap((policy) -> Stream.of("WRITTEN", "FORCED")
            // With an fsync per record, written implies durable.
            .filter((until) -> "FORCED".equals(until) || !"everyRecord".equals(policy))
            .flatMap((until) -> backends(scope, standard).map((backend) -> named(new WorkloadCases(scope).of(
                kind(backend), Workload.PACED, scope.number("record-lengths", RECORD_LENGTH), 1), backend)
                .parameter("forcePolicy", policy).parameter("until", until).parameter(RATE, rate)
                .labelled(policy + ", " + until.toLowerCase(Locale.ROOT) + ", " + rate + "/s")))))
            .toList();
    }

    private static List<BenchmarkCase> groupCommit(final Scope scope) throws IOException, InterruptedException
    {
        final int ms = scope.ms(GROUP_COMMIT_MS);
        final List<BenchmarkCase> cases = new ArrayList<>();
        final Path program = Child.compileC(Journals.class, "overwrite", scope.directory());
        if (null == program)
        {
            scope.notes().add("no C compiler: the loop in Java is the baseline");
        }
        else
        {
            cases.add(BenchmarkCase.inOrder(
                "pwrite + fdatasync in C, 1 thread", List.of(program.toString()), FRAME_LENGTH,
                scope.isFull() ? SEGMENT_LENGTH : 4 * MIB, ms, ms).noted("threads", 1)
                .noted("workload", Workload.DURABLE).noted("recordLength", RECORD_LENGTH));
        }
        cases.add(new WorkloadCases(scope).of(SubjectKind.JDK_CHANNEL, Workload.DURABLE, RECORD_LENGTH, 1));
        cases.addAll(on(scope, List.of(Backend.values()), Workload.DURABLE));
        return cases;
    }

    private static List<BenchmarkCase> followed(final Scope scope)
    {
        return backends(scope, PAGE_CACHE).flatMap((backend) -> Stream.of("THREAD", "PROCESS").flatMap(
            (where) -> Stream.of("SPIN", "BACKOFF").map((idle) -> named(new WorkloadCases(scope).of(
                kind(backend), Workload.FOLLOWED, RECORD_LENGTH, 1), backend)
                .parameter("where", where).parameter("idle", idle)
                .parameter(RATE, scope.number("rates", 10_000))
                .labelled(where.toLowerCase(Locale.ROOT) + ", " + idle.toLowerCase(Locale.ROOT)))))
            .toList();
    }

    /** Varies one length or number at a time. */
    private static List<BenchmarkCase> growth(final Scope scope)
    {
        final WorkloadCases cases = new WorkloadCases(scope);
        final long bytes = 256L * MIB;
        return backends(scope, TWO).map(Journals::kind).flatMap((kind) -> Stream.of(
            Stream.of(16, 64, RECORD_LENGTH, KIB, 4 * KIB, 16 * KIB, 64 * KIB).flatMap((length) -> Stream.of(
                Workload.SUSTAINED, Workload.REPLAY).map(
                    (workload) -> cases.of(
                        kind, workload, length, cases.segmentLength(workload), 1, bytes)
                        .noted("axis", "record length"))),
            Stream.of(1, 4, 16, 64, 256).flatMap((mib) -> Stream.of(
                Workload.SUSTAINED, Workload.OPEN, Workload.OPEN_DURABLE).map(
                    (workload) -> cases.of(
                        kind, workload, Workload.SUSTAINED == workload ? RECORD_LENGTH : KIB, mib * MIB, 1, bytes)
                        .noted("axis", "segment length"))),
            Stream.of(64L, 256L, 1024L, 4096L).flatMap((mib) -> Stream.of(
                Workload.OPEN, Workload.OPEN_DURABLE, Workload.REPLAY).map(
                    (workload) -> cases.of(
                        kind, workload, Workload.REPLAY == workload ? RECORD_LENGTH : KIB,
                        cases.segmentLength(workload), 1, mib * MIB).noted("axis", "history")
                        .labelled(mib + " MiB of history"))),
            Stream.of(1, 2, 4, 8, 16, 32, 64).map((threads) -> cases.of(
                kind, Workload.DURABLE, RECORD_LENGTH, threads).noted("axis", "threads")))
            .flatMap((each) -> each)).map((each) -> each.labelled("by " + each.parameters().get("axis"))).toList();
    }
}
