package io.journal.bench.report;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The contents of a result file: one run of one experiment.
 *
 * @param name       in the report and of its charts: the file name, made unique.
 * @param file       it was read from.
 * @param experiment name of the command.
 * @param profile    profile of the run.
 * @param scale      fraction of the full size that was run, at most 1.
 * @param command    command line as typed.
 * @param plan       description of the run.
 * @param machine    its facts, by name.
 * @param cases      sorted by their parameters.
 */
record ResultFile(
    String name,
    Path file,
    String experiment,
    String profile,
    double scale,
    String command,
    String plan,
    Map<String, String> machine,
    List<CaseResult> cases)
{
    ResultFile named(final String other)
    {
        return new ResultFile(
            other, file, experiment, profile, scale, command, plan, machine, cases);
    }

    boolean isScaled()
    {
        return scale < 1;
    }

    /**
     * A fact of the machine, or an empty string.
     */
    String fact(final String name)
    {
        return machine.getOrDefault(name, "");
    }

    /**
     * Rounds in which every case was measured; round 0 holds conclusions.
     */
    int roundCount()
    {
        return cases.stream().filter((each) -> each.rounds().lastKey() > 0)
            .mapToInt((each) -> each.rounds().size()).min().orElse(0);
    }

    /**
     * Keys of numeric values, of any case.
     */
    Set<String> keys()
    {
        final Set<String> keys = new LinkedHashSet<>();
        cases.forEach((each) -> keys.addAll(each.keys()));
        return keys;
    }
}
