package io.journal.bench.report;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One run of one experiment, as its file has it.
 *
 * @param name       of its part of a report and of its charts: the file's, told from others of the same name.
 * @param file       it was read from.
 * @param experiment name of the command.
 * @param profile    how it was run.
 * @param scale      1, or the share of it that was run.
 * @param command    as it was typed.
 * @param plan       what was done, in words.
 * @param machine    what describes it, by name.
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
    List<Measured> cases)
{
    /**
     * The same run by another name.
     */
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
     * A fact of the machine, or an empty text.
     */
    String fact(final String name)
    {
        return machine.getOrDefault(name, "");
    }

    /**
     * Rounds that every case was measured in; what stands in round 0 was not measured but concluded.
     */
    int roundCount()
    {
        return cases.stream().filter((each) -> each.rounds().lastKey() > 0)
            .mapToInt((each) -> each.rounds().size()).min().orElse(0);
    }

    /**
     * Names of the values that are numbers, of any case.
     */
    Set<String> keys()
    {
        final Set<String> keys = new LinkedHashSet<>();
        cases.forEach((each) -> keys.addAll(each.keys()));
        return keys;
    }
}
