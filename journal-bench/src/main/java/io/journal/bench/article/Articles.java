// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.journal.bench.article.FileTrial.Direction;
import io.journal.bench.article.FileTrial.Layout;
import io.journal.bench.article.FileTrial.Sync;
import io.journal.bench.article.KaterinenkoProgram.Case;
import io.journal.bench.article.NadeauWay.Point;
import io.journal.bench.article.ThompsonProgram.Variant;
import io.journal.bench.experiment.Experiment;
import io.journal.bench.experiment.ExperimentCommand;
import io.journal.bench.experiment.Scope;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Child;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Unit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The experiments of four articles and of their comments: as published, fair, durable and cold.
 */
@Command(
    name = "articles",
    description = "Repeats the experiments of four articles on the JDK's file APIs, and of their comments: the " +
        "programs as published (-faithful), and with a fair method.",
    footer = {
        "%nExample: articles sequential-faithful --dir=/on/the/disk",
        "Takes: minutes; readers 80, each with --quick less than two." },
    sortOptions = false)
public final class Articles extends ExperimentCommand
{
    private static final long SMALL = 409_600_000;
    private static final long LARGE = 8_192_000_000L;
    private static final long GIB = 1 << 30;
    private static final int PAGE = 4096;
    private static final int READERS_LENGTH = 100_000_000;
    private static final int SWEEP_LENGTH = 1024 * 1024;
    private static final int SWEEP_MS = 300;
    private static final int LIMIT_MS = 2000;
    private static final String READERS = "readers";
    private static final String C_PREFIX = "C ";
    private static final List<Integer> SIZES =
        IntStream.rangeClosed(0, 27).mapToObj((exponent) -> 1 << exponent).toList();
    /**
     * The flags of the article on readers, one at a time. The threshold has no effect with tiered compilation, which is
     * newer than the article, so one case turns tiered compilation off.
     */
    private static final List<String> FLAGS = List.of(
        "", "-server", "-XX:CompileThreshold=2", "-XX:-TieredCompilation -XX:CompileThreshold=2",
        "-XX:+AggressiveOpts", "-XX:+UseFastAccessorMethods", "-Xmx1000m");

    @Option(names = "--length", description = "File length in bytes instead of the experiment's.")
    private Long length;

    @Override
    protected List<Experiment> experiments()
    {
        return table();
    }

    public static List<Experiment> table()
    {
        final List<FileStrategy> all = FileStrategy.OF_PAGES;
        final List<Long> small = List.of(SMALL);
        final List<Integer> page = List.of(PAGE);
        final List<Layout> filled = List.of(Layout.FILLED);
        final List<Sync> channel = List.of(Sync.CHANNEL);
        return List.of(
            sequential("sequential", Profile.FAIR, 5, "Which file API writes and reads fastest, a page at a time?",
                small, page, all, filled, channel, ""),
            sequential("sequential-durable", Profile.DURABLE, 5, "What does each kind of fsync cost?", small, page, all,
                filled, List.of(Sync.CHANNEL, Sync.CHANNEL_CONTENT, Sync.DESCRIPTOR, Sync.MAPPED), ""),
            sequential("sequential-cold", Profile.COLD, 5, "Which reads fastest from the device, with a cold page " +
                "cache?", small, page, all, filled, channel, ""),
            sequential("sequential-layouts", Profile.FAIR, 5, "Does it help to preallocate the file, and how?", small,
                page, List.of(FileStrategy.RANDOM_ACCESS_FILE, FileStrategy.CHANNEL_DIRECT, FileStrategy.MAPPED),
                List.of(Layout.values()), channel, "latency"),
            sequential("sequential-pages", Profile.FAIR, 5, "From which length on do the APIs differ little?", small,
                List.of(Unit.KIB, PAGE, 2 * PAGE, 128 * Unit.KIB, 256 * Unit.KIB, 512 * Unit.KIB), List.of(
                    FileStrategy.STREAM, FileStrategy.RANDOM_ACCESS_FILE, FileStrategy.CHANNEL_HEAP,
                    FileStrategy.CHANNEL_DIRECT),
                filled, channel, ""),
            sequential("sequential-memory", Profile.FAIR, 3,
                "What if the file does not fit into memory? Does a large " +
                    "mapping stall the system?",
                List.of(
                    Machine.memoryBytes() / 20 / PAGE * PAGE, Machine.memoryBytes() / 2 * 3 / PAGE * PAGE),
                page, all,
                filled, channel, "stalls"),
            sequential("sequential-8gb", Profile.FAIR, 3, "The same with the article's 8 GB.", List.of(LARGE), page,
                all, filled, channel, ""),
            faithful("sequential-faithful", "sequential", "The program of 2011: four APIs, 400 MB and 8 GB.",
                (scope) -> Stream.of(SMALL, LARGE).map((full) -> thompson(scope, Variant.ARTICLE, full, PAGE, ""))),
            faithful("sequential-faithful-arrays", "sequential", "A comment's variants: each API also with an array, " +
                "and with a flag for inlining.",
                (scope) -> Stream.of("", "-XX:FreqInlineSize=35")
                    .map((flag) -> thompson(scope, Variant.ARRAYS, SMALL, PAGE, flag))),
            faithful("sequential-faithful-bytes", "sequential", "A comment's variant: a system call per byte.",
                (scope) -> Stream.of(thompson(scope, Variant.BYTES, SMALL / 10, PAGE, ""))),
            faithful("sequential-faithful-pages", "sequential", "A comment's variant: pages of 1, 4 and 8 KiB.",
                (scope) -> Stream.of(Unit.KIB, PAGE, 2 * PAGE).map(
                    (length) -> thompson(scope, Variant.PAGES, SMALL, length, ""))),
            faithful("sequential-faithful-writes", "sequential", "A comment's variants: seven ways to write arrays.",
                (scope) -> Stream.of(thompson(scope, Variant.WRITES, SMALL, PAGE, ""))),
            new Experiment("copy", "copy", Profile.FAIR, 5, "Is copying by the operating system faster than a loop?",
                Articles::copies),
            sweep("buffer-sweep", Profile.FAIR, "Which buffer length suits a stream that is read or written byte by " +
                "byte?"),
            sweep("buffer-sweep-durable", Profile.DURABLE, "The same for writes with an fsync."),
            sweep("buffer-sweep-cold", Profile.COLD, "The same for reads with a cold page cache."),
            faithful("buffer-sweep-faithful", "buffer-sweep", "The procedure of 2017, and the same for writes.",
                (scope) -> Stream.of(BenchmarkCase.of("as published", PureSolProgram.class)
                    .parameter("length", scope.bytes(SWEEP_LENGTH)).argument("repeats", 10)
                    .parsedBy(PureSolProgram::parse))),
            katerinenko("streams-vs-channels", Profile.FAIR, "Are channels faster than streams, direct buffers than " +
                "heap buffers, mapped files fastest?", true, false),
            katerinenko("streams-vs-channels-durable", Profile.DURABLE, "The same for writes with an fsync.", true),
            katerinenko("streams-vs-channels-cold", Profile.COLD, "The same for reads with a cold page cache.", true),
            faithful("streams-vs-channels-faithful", "streams-vs-channels",
                "The java-io-benchmark: eight programs, 50 times each.",
                (scope) -> Stream.of(Unit.KIB, 8 * Unit.KIB).map((buffer) -> katerinenko(scope, buffer))),
            nadeau(READERS, Profile.FAIR, 3, "Which of thirteen ways reads fastest, with which lengths, and how does " +
                "C compare?", SIZES, List.of(NadeauWay.values()), List.of(""), true),
            nadeau("readers-flags", Profile.FAIR, 5, "Do the article's JVM flags help?",
                List.of(NadeauWay.FIXED_LENGTH), List.of(
                    NadeauWay.BUFFERED_INPUT_STREAM_BYTES, NadeauWay.CHANNEL_HEAP_BYTES, NadeauWay.CHANNEL_DIRECT_ARRAY,
                    NadeauWay.MAPPED_BYTES, NadeauWay.MAPPED_ARRAY),
                FLAGS, false),
            new Experiment("readers-lines", READERS, Profile.FAIR, 5, "Is an index of offsets worth it to read lines?",
                (scope) -> Stream.of(LineTrial.Strategy.values()).map((strategy) -> BenchmarkCase
                    .of(strategy + ", lines", LineTrial.class).argument("samplesMs", scope.ms(LineTrial.SAMPLES_MS))
                    .parameter("way", strategy).parameter("length", scope.bytes(READERS_LENGTH))).toList()),
            nadeau("readers-cold", Profile.COLD, 3, "Which reads fastest from the device?",
                List.of(PAGE, 2 * PAGE, 128 * Unit.KIB), List.of(NadeauWay.values()), List.of(""), false),
            faithful("readers-faithful", READERS, "The thirteen ways of 2008 in one JVM, with lengths from 1 B to " +
                "128 MB.",
                (scope) -> Stream.of(BenchmarkCase.of("as published", NadeauProgram.class)
                    .parameter("length", scope.bytes(READERS_LENGTH)).argument("limitMs", scope.ms(LIMIT_MS))
                    .argument("sizes", String.join("/", (scope.isFull() ? SIZES : List.of(1, PAGE)).stream()
                        .map(Object::toString).toList()))
                    .parsedBy(NadeauProgram::parse))));
    }

    private static Experiment faithful(
        final String name, final String kind, final String question,
        final Function<Scope, Stream<BenchmarkCase>> cases)
    {
        return new Experiment(name, kind, Profile.FAITHFUL, 1, question, (scope) -> cases.apply(scope).toList());
    }

    private static BenchmarkCase trial(
        final String label, final String flags, final FileStrategy strategy, final Direction direction,
        final int array, final int buffer)
    {
        return BenchmarkCase.of(label, FileTrial.class, flags).argument("strategy", strategy)
            .argument("direction", direction).argument("array", array).argument("buffer", buffer);
    }

    private static Experiment sequential(
        final String name, final Profile profile, final int rounds, final String question, final List<Long> lengths,
        final List<Integer> pages, final List<FileStrategy> strategies, final List<Layout> layouts,
        final List<Sync> syncs, final String also)
    {
        return new Experiment(name, "sequential", profile, rounds, question, (scope) ->
        {
            final List<BenchmarkCase> cases = new ArrayList<>();
            for (final Layout layout : layouts)
            {
                if (!layout.isPossible(scope.directory()))
                {
                    scope.notes().add("skipped: " + layout + ", which needs the program fallocate and support by the " +
                        "disk");
                    continue;
                }
                lengths.forEach((full) -> pages.forEach((page) -> syncs.forEach((sync) -> strategies.forEach(
                    (strategy) -> cases.add(plainFile(strategy.name(), scope.bytes(full), page, layout, sync)
                        .argument("profile", profile).argument("latency", "latency".equals(also))
                        .argument("stalls", "stalls".equals(also)))))));
            }
            return cases;
        });
    }

    /** The case of one API, as a baseline for other experiments. */
    public static BenchmarkCase plainFile(final String strategy, final long length, final int page)
    {
        return plainFile(strategy, length, page, Layout.FILLED, Sync.CHANNEL).argument("profile", Profile.FAIR);
    }

    private static BenchmarkCase plainFile(
        final String strategy, final long length, final int page, final Layout layout, final Sync sync)
    {
        final String label = String.format(
            Locale.ROOT, "%s, %,d B, pages of %,d B, %s%s", strategy, length, page, lower(layout),
            Sync.CHANNEL == sync ? "" : ", fsynced by " + lower(sync));
        final FileStrategy api = FileStrategy.valueOf(strategy);
        // A buffered stream bypasses a buffer that is not longer than the given array.
        return trial(label, "", api, Direction.BOTH, page, FileStrategy.BUFFERED_STREAM == api ? 2 * page : page)
            .noted("way", strategy).parameter("length", length).noted("pageLength", page).parameter("layout", layout)
            .parameter("sync", sync).writing(length);
    }

    private static BenchmarkCase thompson(
        final Scope scope, final Variant variant, final long full, final int page, final String flag)
    {
        final long length = scope.bytes(full) / page * page;
        final String file = (SMALL == length ? "400MB file" : LARGE == length ? "8GB File" : length + " B file") +
            (PAGE == page ? "" : ", pages of " + page + " B");
        return BenchmarkCase.of(file, ThompsonProgram.class, flag).parameter("length", length)
            .parameter("pageLength", page).parameter("variant", variant)
            .argument("heading", variant.hasHeading() ? file : "").writing(length)
            .parsedBy((printed) -> ThompsonProgram.parse(file + (flag.isEmpty() ? "" : ", " + flag), printed));
    }

    private static List<BenchmarkCase> copies(final Scope scope)
    {
        final List<BenchmarkCase> cases = new ArrayList<>();
        List.of(PAGE, 64 * Unit.KIB).forEach((buffer) -> cases.add(copy(
            scope, String.format(Locale.ROOT, "loop, buffer of %,d B", buffer), CopyTrial.Strategy.LOOP, buffer)));
        cases.add(copy(scope, "FileChannel.transferTo", CopyTrial.Strategy.TRANSFER_TO, 0));
        cases.add(copy(scope, "FileChannel.transferFrom", CopyTrial.Strategy.TRANSFER_FROM, 0));
        cases.add(copy(scope, "Files.copy", CopyTrial.Strategy.FILES_COPY, 0));
        return cases;
    }

    private static BenchmarkCase copy(
        final Scope scope, final String label, final CopyTrial.Strategy strategy, final int buffer)
    {
        return BenchmarkCase.of(label, CopyTrial.class).parameter("way", strategy)
            .parameter("length", scope.bytes(SMALL)).parameter("bufferLength", buffer).writing(2 * scope.bytes(SMALL));
    }

    private static Experiment sweep(final String name, final Profile profile, final String question)
    {
        return new Experiment(name, "buffer-sweep", profile, 5, question, (scope) -> Stream.of(
            Direction.READ, Direction.WRITE)
            .filter((direction) -> Direction.READ == direction ? Profile.DURABLE != profile : Profile.COLD != profile)
            .flatMap((direction) -> PureSolProgram.BUFFERS_KB.stream().map((kb) ->
            {
                final boolean isWriting = Direction.WRITE == direction;
                final FileStrategy strategy = kb > 0 ? FileStrategy.BUFFERED_STREAM :
                    isWriting ? FileStrategy.STREAM_TRUNCATING : FileStrategy.STREAM;
                final BenchmarkCase made = trial(
                    PureSolProgram.label(isWriting, kb * Unit.KIB), "", strategy, direction, 0, kb * Unit.KIB)
                    .argument("profile", profile).argument("layout", Layout.EXTEND)
                    .argument("sync", Profile.DURABLE == profile ? Sync.CHANNEL : Sync.NONE)
                    .argument("ms", scope.ms(SWEEP_MS)).parameter("length", scope.bytes(SWEEP_LENGTH));
                PureSolProgram.parameters(isWriting, kb * Unit.KIB).forEach(made::noted);
                return made;
            })).toList());
    }

    /** The original's cases with a fair method: by arrays of half a buffer, which no stream bypasses, or by bytes. */
    private static Experiment katerinenko(
        final String name, final Profile profile, final String question, final Boolean... areArrays)
    {
        return new Experiment(name, "streams-vs-channels", profile, 5, question,
            (scope) -> Stream.of(Unit.KIB, 8 * Unit.KIB)
                .flatMap((buffer) -> Stream.of(areArrays).flatMap((isArray) -> Stream.of(Case.values())
                    .filter((each) -> each.isGenerator() ? Profile.COLD != profile : Profile.DURABLE != profile)
                    .map((each) ->
                    {
                        final String granularity = isArray ? "ARRAY" : "BYTE";
                        final FileStrategy strategy = switch (each)
                        {
                            case DirectGen, DirectIn -> FileStrategy.CHANNEL_DIRECT;
                            case StreamsGen, StreamsIn -> FileStrategy.BUFFERED_STREAM;
                            case IndirectGen, IndirectIn -> FileStrategy.CHANNEL_HEAP_COPY;
                            case MmapGen, MmapIn -> FileStrategy.MAPPED;
                        };
                        return trial(
                            each + ", buffer of " + buffer + " B, by " + granularity.toLowerCase(Locale.ROOT), "",
                            strategy, each.isGenerator() ? Direction.WRITE : Direction.READ, isArray ? buffer / 2 : 0,
                            buffer)
                            .argument("profile", profile).argument("layout", Layout.EXTEND)
                            .argument("sync", Profile.DURABLE == profile ? Sync.CHANNEL : Sync.NONE)
                            .argument("allocations", each.name().contains("irect")).noted("way", each)
                            .noted("bufferLength", buffer).parameter("length", scope.bytes(GIB))
                            .noted("granularity", granularity).writing(scope.bytes(GIB));
                    })))
                .toList());
    }

    private static BenchmarkCase katerinenko(final Scope scope, final int buffer)
    {
        final long length = scope.bytes(GIB);
        return BenchmarkCase.of("as published, buffer of " + buffer + " B", KaterinenkoProgram.class)
            .parameter("length", length).parameter("bufferLength", buffer)
            .argument("repeats", scope.isFull() ? 50 : 3).writing(length)
            .parsedBy((printed) -> KaterinenkoProgram.parse(length, buffer, printed));
    }

    private static Experiment nadeau(
        final String name, final Profile profile, final int rounds, final String question, final List<Integer> sizes,
        final List<NadeauWay> ways, final List<String> flags, final boolean isWithC)
    {
        return new Experiment(name, READERS, profile, rounds, question, (scope) ->
        {
            final long length = scope.bytes(READERS_LENGTH);
            final Path file = scope.directory().resolve("read.dat");
            final List<BenchmarkCase> cases = new ArrayList<>();
            for (final String flag : flags)
            {
                final String refusal = flag.isEmpty() ? null : Child.refusal(flag);
                if (null != refusal)
                {
                    scope.notes().add(flag + " is not supported: " + refusal);
                    continue;
                }
                ways.forEach((way) -> way.points(sizes).forEach(
                    (point) -> cases.add(noted(trial(
                        point.label(), flag, way.strategy, Direction.READ, point.arrayLength(),
                        point.bufferLength()), point).argument("file", file).argument("profile", profile)
                        .argument("limitMs", scope.ms(LIMIT_MS)).parameter("length", length))));
            }
            final Path program = isWithC ? Child.compileC(Articles.class, READERS, scope.directory()) : null;
            if (null != program)
            {
                Content.write(file, length);
                Stream.of("fread", "mmap", "read").forEach((how) -> sizes.forEach((size) ->
                {
                    final Point point = new Point(C_PREFIX + how, "array", 0, size);
                    cases.add(noted(BenchmarkCase.inOrder(
                        point.label(), List.of(program.toString()), file, length, how, size, scope.ms(LIMIT_MS)), point)
                        .noted("length", length).checkedBy((found) -> Content.check(
                            "checksum: case=" + point.label(),
                            Content.sum(Long.parseLong(found.get(FileTrial.READ_LENGTH))),
                            Long.parseLong(found.get("sum")))));
                }));
            }
            else if (isWithC)
            {
                scope.notes().add("no C compiler: C is skipped");
            }
            return cases;
        });
    }

    private static BenchmarkCase noted(final BenchmarkCase made, final Point point)
    {
        NadeauProgram.parameters(point).forEach(made::noted);
        return made;
    }

    private static String lower(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
