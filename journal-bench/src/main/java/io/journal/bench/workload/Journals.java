// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
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
    private static final long BYTES = 409_600_000;
    private static final int LOOKUP_RECORDS = 4 * 1024 * 1024;
    private static final int KEPT_SEGMENTS = 4;
    private static final int KIB = 1024;
    private static final int LIMIT_MS = 5000;
    private static final int SEEKS = 50_000;
    private static final int GROUP_COMMIT_MS = 1500;
    private static final int FRAME_LENGTH = 280;
    private static final int RECORD_LENGTH = 256;
    // DIRECT is left out: without a write window, each append would wait for the device.
    private static final List<Backend> PAGE_CACHE =
        List.of(Backend.MAPPED, Backend.FILE_CHANNEL, Backend.RANDOM_ACCESS_FILE);
    private static final List<Backend> TWO = List.of(Backend.MAPPED, Backend.FILE_CHANNEL);
    private static final List<Backend> ALL = List.of(Backend.values());

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

    public static List<Experiment> table()
    {
        return List.of(
            grid("journal", "How do appends and replay compare with the same bytes in a plain file?", List.of(0),
                List.of("FILLED"), List.of("manual")),
            grid("journal-windows", "What do a write window and recycled segments gain?", List.of(0, 64 * KIB, MIB),
                List.of("FILLED", "RECYCLED"), List.of("manual")),
            grid("journal-forced", "What do fsyncs cost, every 10 ms and for each record?", List.of(0),
                List.of("FILLED"), List.of("every10ms", "everyRecord")),
            fair("sustained", 5, "Which rate is sustained under retention, and does recycling help?", PAGE_CACHE,
                (cases, backend) -> Stream.of(false, true).map((isRecycling) -> stream(
                    cases, backend, RECORD_LENGTH, 0, "manual", isRecycling).noted("recycling", isRecycling))),
            fair("latency", 3, "Which latency can be promised at which rate, written and durable?", PAGE_CACHE,
                (cases, backend) -> Stream.of("manual", "every10ms", "everyRecord").flatMap(
                    (policy) -> paced(cases, backend, policy, 1000, 10_000))),
            fair("latency-direct", 3, "Is the tail of an append with an fsync shorter with direct I/O?",
                List.of(Backend.MAPPED, Backend.FILE_CHANNEL, Backend.DIRECT),
                (cases, backend) -> paced(cases, backend, "everyRecord", 500)),
            new Experiment("group-commit", "group-commit", Profile.DURABLE, 5, "How many durable records/s are " +
                "possible, by number of threads, compared with a plain loop?", Journals::groupCommit),
            fair("in-flight", 5, "How many durable records/s has one thread that does not wait for each?", TWO,
                (cases, backend) -> Stream.of(0, 64 * KIB).filter((window) -> 0 == window || Backend.MAPPED != backend)
                    .flatMap((window) -> cases.all(SubjectKind.ofBackend(backend), Workload.PIPELINED)
                        .map((made) -> 0 == window ? made :
                            made.parameter("windowLength", window).labelled("window " + window)))),
            new Experiment("device-writes", "device-writes", Profile.DURABLE, 5, "How many KiB are written to the " +
                "device for a durable append?",
                (scope) -> cases(scope, ALL, (cases, backend) -> scope
                    .numbers("record-lengths", 64, RECORD_LENGTH, 4 * KIB).stream()
                    .map((length) -> cases.of(SubjectKind.ofBackend(backend), Workload.DURABLE, length, 1)))),
            fair("follow", 3, "How long after an append does a reader see the record?", PAGE_CACHE,
                Journals::followed),
            fair("lookups", 5, "What does a record cost that is read at random, of 100 MB and of 4 GiB?", TWO,
                (cases, backend) -> Stream.of(100_000, LOOKUP_RECORDS).flatMap((records) -> cases.scope()
                    .numbers("threads", 1, 4).stream().map((threads) -> cases.of(
                        SubjectKind.ofBackend(backend), Workload.LOOKUP, KIB, threads)
                        .parameter("records", cases.scope().count(records)).labelled(records + " records")))),
            fair("first-lookups", 5, "What do the first records cost that are read after an opening?", TWO,
                (cases, backend) -> cases.all(SubjectKind.ofBackend(backend), Workload.FIRST_LOOKUP)),
            fair("seek", 3, "Does a long history make seeking, opening or heap use expensive?", PAGE_CACHE,
                (cases, backend) -> Stream.of(300_000, 3_000_000).map((records) -> WorkloadCases.of(
                    SubjectKind.ofBackend(backend), Workload.SEEK, String.format(Locale.ROOT, "%,d records", records),
                    64, MIB).parameter("records", cases.scope().count(records))
                    .argument("seeks", cases.scope().count(SEEKS)))),
            fair("start-up", 5, "How long from the start of a process to its first durable record?", TWO,
                (cases, backend) -> cases.all(SubjectKind.ofBackend(backend), Workload.START)),
            fair("many-journals", 3, "What do journals cost that are open and not used?", TWO,
                (cases, backend) -> cases.scope().numbers(
                    "threads", cases.scope().isFull() ? new Integer[]{ 1, 20, 200, 1000 } : new Integer[]{ 1, 20 })
                    .stream().map((count) -> cases.of(
                        SubjectKind.ofBackend(backend), Workload.IDLE, RECORD_LENGTH, MIB, count, 0))),
            new Experiment("event-store", "event-store", Profile.DURABLE, 5, "How fast is the event store: appends " +
                "under a condition, opening, queries?", EventStoreTrial::cases),
            new Experiment("growth", "growth", Profile.FAIR, 3, "How do rates and opening grow with records, " +
                "segments, history and threads?",
                Journals::growth));
    }

    private static Experiment fair(
        final String name, final int rounds, final String question, final List<Backend> standard,
        final BiFunction<WorkloadCases, Backend, Stream<BenchmarkCase>> made)
    {
        return new Experiment(
            name, name.replace("-direct", ""), Profile.FAIR, rounds, question,
            (scope) -> cases(scope, standard, made));
    }

    private static List<BenchmarkCase> cases(final Scope scope, final List<Backend> standard,
        final BiFunction<WorkloadCases, Backend, Stream<BenchmarkCase>> made)
    {
        return backends(scope, standard).flatMap((backend) -> made.apply(new WorkloadCases(scope), backend)
            .map((each) ->
            {
                // The label of the backend is enough, so the subject is removed.
                each.parameters().remove("subject");
                return each.noted("backend", backend);
            })).toList();
    }

    private static Stream<Backend> backends(final Scope scope, final List<Backend> standard)
    {
        return scope.constants(Backend.class, "backends", standard).stream()
            .filter((backend) -> BackendConfig.isUsable(backend, scope.directory()));
    }

    /** Includes plain files: the same bytes, record by record, through the API of each backend. */
    private static Experiment grid(
        final String name, final String question, final List<Integer> windows, final List<String> segments,
        final List<String> policies)
    {
        return new Experiment(name, "journal", Profile.FAIR, 5, question, (scope) ->
        {
            final List<Integer> lengths = scope.numbers("record-lengths", RECORD_LENGTH, 4 * KIB);
            final List<BenchmarkCase> all = new ArrayList<>(cases(
                scope, PAGE_CACHE, (cases, backend) -> lengths.stream().flatMap((length) -> policies.stream().flatMap(
                    (policy) -> segments.stream().flatMap((origin) -> windows.stream()
                        .filter((window) -> 0 == window || Backend.MAPPED != backend)
                        .map((window) -> stream(cases, backend, length, window, policy, "RECYCLED".equals(origin))
                            .noted("segments", origin)))))));
            lengths.forEach((length) -> backends(scope, PAGE_CACHE).forEach((backend) -> all.add(Articles.plainFile(
                Backend.FILE_CHANNEL == backend || Backend.DIRECT == backend ? "CHANNEL_DIRECT" : backend.name(),
                scope.bytes(BYTES), length))));
            return all;
        });
    }

    private static BenchmarkCase stream(
        final WorkloadCases cases, final Backend backend, final int length, final int window, final String policy,
        final boolean isRecycling)
    {
        final int segmentLength = cases.segmentLength(Workload.SUSTAINED);
        final long bytes = cases.scope().bytes(BYTES);
        final BenchmarkCase made = WorkloadCases.of(
            SubjectKind.ofBackend(backend), Workload.SUSTAINED, String.format(
                Locale.ROOT, "%,d B, window %,d, segments of %,d B %s, %s", length, window, segmentLength,
                isRecycling ? "recycled" : "filled", policy),
            length, segmentLength).argument("isOfFile", true).parameter("windowLength", window)
            .parameter("forcePolicy", policy).parameter("length", bytes)
            .argument("ms", cases.scope().ms(LIMIT_MS)).writing(2 * bytes);
        return isRecycling ? made.argument("recycling", true).argument("keptSegments", KEPT_SEGMENTS) : made;
    }

    private static Stream<BenchmarkCase> paced(
        final WorkloadCases cases, final Backend backend, final String policy, final Integer... rates)
    {
        return cases.scope().numbers("rates", rates).stream().flatMap((rate) -> Stream.of("WRITTEN", "FORCED")
            // With an fsync per record, a written record is durable, so WRITTEN is not measured separately.
            .filter((until) -> "FORCED".equals(until) || !"everyRecord".equals(policy))
            .map((until) -> cases.of(
                SubjectKind.ofBackend(backend), Workload.PACED, cases.scope().number("record-lengths", RECORD_LENGTH),
                1).parameter("forcePolicy", policy).parameter("until", until).parameter("rate", rate)
                .labelled(policy + ", " + until.toLowerCase(Locale.ROOT) + ", " + rate + "/s")));
    }

    private static List<BenchmarkCase> groupCommit(final Scope scope) throws IOException, InterruptedException
    {
        final int ms = scope.ms(GROUP_COMMIT_MS);
        final List<BenchmarkCase> all = new ArrayList<>();
        final Path program = Child.compileC(Journals.class, "overwrite", scope.directory());
        if (null == program)
        {
            scope.notes().add("no C compiler: the loop in Java is the baseline");
        }
        else
        {
            all.add(BenchmarkCase.inOrder(
                "pwrite + fdatasync in C, 1 thread", List.of(program.toString()), FRAME_LENGTH,
                scope.isFull() ? SEGMENT_LENGTH : 4 * MIB, ms, ms).noted("threads", 1)
                .noted("workload", Workload.DURABLE).noted("recordLength", RECORD_LENGTH));
        }
        all.add(new WorkloadCases(scope).of(SubjectKind.JDK_CHANNEL, Workload.DURABLE, RECORD_LENGTH, 1));
        all.addAll(cases(scope, ALL, (cases, backend) -> cases.all(
            SubjectKind.ofBackend(backend), Workload.DURABLE)));
        return all;
    }

    private static Stream<BenchmarkCase> followed(final WorkloadCases cases, final Backend backend)
    {
        return Stream.of("THREAD", "PROCESS").flatMap((where) -> Stream.of("SPIN", "BACKOFF").map((idle) -> cases.of(
            SubjectKind.ofBackend(backend), Workload.FOLLOWED, RECORD_LENGTH, 1)
            .parameter("where", where).parameter("idle", idle)
            .parameter("rate", cases.scope().number("rates", 10_000))
            .labelled(where.toLowerCase(Locale.ROOT) + ", " + idle.toLowerCase(Locale.ROOT))));
    }

    /** Varies one length or number at a time. */
    private static List<BenchmarkCase> growth(final Scope scope)
    {
        final WorkloadCases cases = new WorkloadCases(scope);
        final long bytes = 256L * MIB;
        return backends(scope, TWO).map(SubjectKind::ofBackend).flatMap((kind) -> Stream.of(
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
