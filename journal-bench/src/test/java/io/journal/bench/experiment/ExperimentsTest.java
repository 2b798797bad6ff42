// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.experiment;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.journal.bench.article.Articles;
import io.journal.bench.jmh.JmhRatios;
import io.journal.bench.report.ResultFile;
import io.journal.bench.report.Tables;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.RawFile;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Terminal;
import io.journal.bench.subject.SubjectKind;
import io.journal.bench.workload.Journals;
import io.journal.bench.workload.Peers;
import io.journal.bench.workload.Workload;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Every experiment runs, at a small part of its size; each case verifies what it does. A case is a process, whose start
 * takes most of the time, so the default form runs one of each experiment.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class ExperimentsTest
{
    private static final double SCALE = 1.0 / 8192;
    private static final int SOAK_CASES = 3;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    static Stream<Experiment> experiments()
    {
        return Stream.of(Articles.table(), Journals.table(), Peers.table(), JmhRatios.table()).flatMap(List::stream);
    }

    /** The last case, such as the program in C of {@code readers}. */
    @ParameterizedTest
    @MethodSource("experiments")
    void experimentMeasuresAndPrintsNarrowTables(final Experiment experiment) throws Exception
    {
        final List<BenchmarkCase> all = experiment.cases().of(scope(Map.of("subjects", List.of("JOURNAL_MAPPED"))));
        check(experiment, all.subList(all.size() - 1, all.size()));
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("experiments")
    void casesOfEachExperimentMeasureAndPrintNarrowTables(final Experiment experiment) throws Exception
    {
        final List<BenchmarkCase> all = experiment.cases().of(scope(Map.of("subjects", List.of(
            "JOURNAL_MAPPED", "JOURNAL_FILE_CHANNEL", "JDK_CHANNEL"))));
        check(experiment, IntStream.range(0, Math.min(SOAK_CASES, all.size()))
            .mapToObj((i) -> all.get(i * Math.max(0, all.size() - 1) / Math.max(1, SOAK_CASES - 1))).distinct()
            .toList());
    }

    private void check(final Experiment experiment, final List<BenchmarkCase> some) throws Exception
    {
        final ResultFile result = run(experiment, some);

        assertTrue(result.cases().size() >= some.size(), out.toString());
        final StringWriter tables = new StringWriter();
        new Tables(result).print(new PrintWriter(tables));
        tables.toString().lines().forEach((line) -> assertTrue(
            line.length() <= Terminal.COLUMNS || !line.strip().contains(" "), line));
        assertFalse(new Tables(result).answer().isEmpty());
    }

    /** Without JOURNAL_MAPPED, which the experiments measure, and subjects that differ in a setting alone. */
    @ParameterizedTest
    @EnumSource(
        mode = EnumSource.Mode.MATCH_NONE,
        names = { "JOURNAL_MAPPED.*", "JOURNAL_RANDOM_ACCESS_FILE", "AERON_ARCHIVE_CRC", "JDK_MAPPED_CRC" })
    void eachSubjectAppendsAndReadsBack(final SubjectKind kind) throws Exception
    {
        runOn(kind, List.of(Stream.of(Workload.SUSTAINED, Workload.DURABLE, Workload.REPLAY, Workload.PIPELINED)
            .filter(kind::measures).findFirst().orElse(Workload.IDLE)));
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource
    void eachSubjectRunsEachOfItsWorkloads(final SubjectKind kind) throws Exception
    {
        runOn(kind, Stream.of(Workload.values()).filter(kind::measures).toList());
    }

    private void runOn(final SubjectKind kind, final List<Workload> workloads) throws Exception
    {
        assumeTrue(kind.isBuilt(), "this build does not contain " + kind.title());
        for (final Experiment experiment : Peers.table())
        {
            if (workloads.stream().map(Peers::name).anyMatch(experiment.name()::equals))
            {
                final List<BenchmarkCase> cases =
                    experiment.cases().of(scope(Map.of("subjects", List.of(kind.name()))));
                assertEquals(cases.size(), run(experiment, cases).cases().size());
            }
        }
    }

    @Test
    void namesAreUnique()
    {
        final List<String> names = experiments().map(Experiment::name).toList();
        assertEquals(names.size(), names.stream().distinct().count(), names::toString);
    }

    private Scope scope(final Map<String, List<String>> chosen) throws IOException
    {
        return new Scope(Files.createDirectories(directory.resolve("shared")), SCALE, chosen);
    }

    private ResultFile run(final Experiment experiment, final List<BenchmarkCase> cases) throws Exception
    {
        final RunOptions options = new RunOptions();
        options.directory = directory;
        options.isQuiet = true;
        final CommandSpec spec = CommandSpec.create().name("small");
        new CommandLine(spec).setOut(new PrintWriter(out)).parseArgs();
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, experiment.name()))
        {
            // No memory is used and freed first, and no disk comes to rest: nothing is measured here.
            cases.forEach((each) -> each.writing(0).unoptimized());
            run.measure(cases, 1, () -> false);
            final RawFile.Header header = new RawFile.Header(
                RawFile.VERSION, experiment.kind(), experiment.profile().label(), SCALE, "small", "plan", Map.of());
            return ResultFile.of(experiment.name(), header, run.lines());
        }
    }
}
