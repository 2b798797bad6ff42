// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.experiment;

import java.io.IOException;
import java.util.List;

import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Profile;

/**
 * An experiment, which is a row of the table of a command.
 *
 * @param name     by which it is run, and of its result file.
 * @param kind     what is measured, which determines tables and charts.
 * @param rounds   unless others are asked for.
 * @param question that it answers.
 */
public record Experiment(String name, String kind, Profile profile, int rounds, String question, Cases cases)
{
    public interface Cases
    {
        List<BenchmarkCase> of(Scope scope) throws IOException, InterruptedException;
    }
}
