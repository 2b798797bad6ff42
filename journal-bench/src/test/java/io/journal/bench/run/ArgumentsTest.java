// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ArgumentsTest
{
    @Test
    void parametersAndSharedArgumentsArePassedByName()
    {
        final List<String> command = BenchmarkCase.of("a", Profile.class, "-Xint -server")
            .argument("ms", 5).parameter("way", "a=b").command(Path.of("d"), Path.of("m"), "measure");

        assertEquals(List.of("-Xint", "-server"), command.subList(1, 3));
        assertEquals(
            List.of("d", "ms=5", "way=a=b", "memory=m", "step=measure"),
            command.subList(command.size() - 5, command.size()));
    }

    @Test
    void onlyParametersAreRecorded()
    {
        final BenchmarkCase benchmark =
            BenchmarkCase.of("a", Profile.class, "-Xint").argument("ms", 5).parameter("way", "x");

        assertEquals(Map.of(BenchmarkCase.JVM_FLAGS, "-Xint", "way", "x"), benchmark.parameters());
        assertEquals("a, -Xint", benchmark.label());
    }

    @Test
    void missingArgumentIsNamed()
    {
        final Arguments args = new Arguments(List.of(), Path.of("d"), Map.of("ms", "5"));

        assertEquals(5, args.number("ms"));
        final IllegalArgumentException ex = assertThrows(IllegalArgumentException.class, () -> args.text("rate"));
        assertTrue(ex.getMessage().contains("name=rate, given=[ms]"), ex.getMessage());
    }
}
