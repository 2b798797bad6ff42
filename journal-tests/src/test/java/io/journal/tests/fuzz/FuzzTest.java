// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

/**
 * Runs the committed fuzzing inputs, each of which adds coverage, and many random inputs. {@code CONTRIBUTING.md} says
 * how to find more.
 */
class FuzzTest
{
    private static final int SOAK_INPUTS = 50_000;
    private static final Map<String, Consumer<byte[]>> FUZZERS = Map.of(
        "OpenFuzzer", OpenFuzzer::fuzzerTestOneInput,
        "FollowFuzzer", FollowFuzzer::fuzzerTestOneInput,
        "RepairFuzzer", RepairFuzzer::fuzzerTestOneInput,
        "SettingsFuzzer", SettingsFuzzer::fuzzerTestOneInput);

    @ParameterizedTest
    @ValueSource(strings = { "OpenFuzzer", "FollowFuzzer", "RepairFuzzer", "SettingsFuzzer" })
    void corpusInputsKeepThePromises(final String fuzzer) throws IOException, URISyntaxException
    {
        final URL directory = FuzzTest.class.getResource(fuzzer);
        assertNotNull(directory);
        try (Stream<Path> files = Files.list(Path.of(directory.toURI())))
        {
            final List<Path> inputs = files.sorted().toList();
            assertFalse(inputs.isEmpty());
            for (final Path input : inputs)
            {
                run(fuzzer, Files.readAllBytes(input), input.getFileName().toString());
            }
        }
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = { "OpenFuzzer", "FollowFuzzer", "RepairFuzzer", "SettingsFuzzer" })
    void randomInputsKeepThePromises(final String fuzzer)
    {
        final long first = Long.getLong("journal.test.seed", System.nanoTime());
        final long start = System.nanoTime();
        for (long seed = first; seed < first + SOAK_INPUTS; seed++)
        {
            final Random random = new Random(seed);
            final byte[] bytes = new byte[3 + random.nextInt(80)];
            random.nextBytes(bytes);
            // Prefer small numbers, because they have more meanings.
            for (int i = random.nextInt(2 * bytes.length); i < bytes.length; i++)
            {
                bytes[i] &= (byte)7;
            }
            run(fuzzer, bytes, "seed=" + seed);
        }
        System.out.printf(
            "%s: first seed=%d, inputs=%d, seconds=%d%n", fuzzer, first, SOAK_INPUTS,
            (System.nanoTime() - start) / 1_000_000_000);
    }

    private static void run(final String fuzzer, final byte[] bytes, final String place)
    {
        try
        {
            FUZZERS.get(fuzzer).accept(bytes);
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(fuzzer + ", " + place, ex);
        }
    }
}
