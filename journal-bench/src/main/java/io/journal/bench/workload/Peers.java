// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.journal.bench.experiment.Experiment;
import io.journal.bench.experiment.ExperimentCommand;
import io.journal.bench.experiment.Scope;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Profile;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.subject.SubjectKind;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * This journal compared with other journals and with plain I/O of the JDK, on the same workloads.
 */
@Command(
    name = "peers",
    description = "Runs this journal, other journals and plain I/O of the JDK on the same workloads, each case in a " +
        "JVM of its own. Every case reads back what it appended, and fails if the number of records differs or, of " +
        "one thread, their order or content. The run goes on, and its exit code is 1.",
    footer = {
        "%nExample: peers durable --dir=/on/the/disk --subjects=JOURNAL_MAPPED,ROCKSDB",
        "Takes: interleaved two hours, one workload some minutes." },
    sortOptions = false)
public final class Peers extends ExperimentCommand
{
    private static final String INTERLEAVED = "interleaved";
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

    /** The name of the experiment with a workload. */
    public static String name(final Workload workload)
    {
        return switch (workload)
        {
            case PREPARED -> "burst";
            case SUSTAINED -> "stream";
            default -> workload.name().toLowerCase(Locale.ROOT).replace('_', '-');
        };
    }

    /** One experiment for each workload, then all workloads in one interleaved run. */
    public static List<Experiment> table()
    {
        final List<Experiment> all = new ArrayList<>();
        final List<Workload> compared =
            Arrays.stream(Workload.values()).filter((each) -> !each.question.isEmpty()).toList();
        compared.forEach((workload) -> all.add(new Experiment(
            name(workload), "peers",
            workload.isDurable() ? Profile.DURABLE : Profile.FAIR, 5, workload.question,
            (scope) -> cases(scope, Stream.of(workload), false))));
        all.add(new Experiment(INTERLEAVED, "peers", Profile.FAIR, 5, "How does this journal compare with others, on " +
            "every workload, in one interleaved run?", (scope) -> cases(scope, compared.stream(), true)));
        return all;
    }

    @Override
    protected boolean isOneOfAll(final Experiment experiment)
    {
        return !INTERLEAVED.equals(experiment.name());
    }

    private static List<BenchmarkCase> cases(
        final Scope scope, final Stream<Workload> workloads, final boolean isOfAll)
    {
        final List<SubjectKind> subjects = scope.constants(
            SubjectKind.class, "subjects", List.of(SubjectKind.values())).stream()
            .filter((kind) -> SubjectKind.JOURNAL_DIRECT != kind ||
                BackendConfig.isUsable(Backend.DIRECT, scope.directory()))
            .toList();
        if (!subjects.stream().allMatch(SubjectKind::isBuilt))
        {
            scope.notes().add("skipped: other journals, which this build does not contain; build without a profile");
        }
        final WorkloadCases cases = new WorkloadCases(scope);
        // A quick look at all workloads measures only those that differ most.
        final Stream<Workload> measured = scope.isFull() || !isOfAll ? workloads :
            Stream.of(Workload.PREPARED, Workload.DURABLE, Workload.REPLAY);
        return measured.flatMap((workload) -> subjects.stream()
            .filter((kind) -> kind.isBuilt() && kind.measures(workload))
            .flatMap((kind) -> cases.all(kind, workload))).toList();
    }
}
