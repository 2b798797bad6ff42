// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

import io.journal.bench.run.Profile;
import io.journal.bench.run.RawFile;

/** A file of results, written as measuring commands do. */
final class ResultFiles implements AutoCloseable
{
    private final RawFile raw;

    ResultFiles(final Path file, final String experiment, final Profile profile) throws IOException
    {
        this(file, experiment, profile, Map.of("CPU", "c, 2 processors", "JDK", "17"), 1);
    }

    ResultFiles(
        final Path file, final String experiment, final Profile profile, final Map<String, String> machine,
        final double scale) throws IOException
    {
        raw = RawFile.open(file);
        raw.begin(new RawFile.Header(
            RawFile.VERSION, experiment, profile.label(), scale, experiment + " --typed", "as planned", machine));
    }

    /**
     * Adds a case with one value in each of several rounds.
     *
     * @param parameters names and values in turn, "name=value".
     */
    ResultFiles add(final String parameters, final String key, final double... values)
    {
        final Map<String, String> parsed = parameters(parameters);
        for (int round = 1; round <= values.length; round++)
        {
            raw.add(new RawFile.Line(
                round, parameters, parsed, Map.of(key, Double.toString(values[round - 1]))));
        }

        return this;
    }

    /** Names and values in turn, "name=value". */
    static Map<String, String> parameters(final String text)
    {
        final Map<String, String> parameters = new LinkedHashMap<>();
        for (final String each : text.split(" "))
        {
            parameters.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return parameters;
    }

    /** Adds what one case found in one round. */
    ResultFiles add(final int round, final String label, final Map<String, String> parameters,
        final Map<String, String> all)
    {
        raw.add(new RawFile.Line(round, label, parameters, all));
        return this;
    }

    @Override
    public void close()
    {
        raw.close();
    }
}
