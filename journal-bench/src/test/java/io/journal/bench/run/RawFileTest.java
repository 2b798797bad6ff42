// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class RawFileTest
{
    @TempDir
    private Path directory;

    @Test
    void jsonHasAHeaderAndALinePerMeasurement() throws IOException
    {
        assertEquals(
            List.of(
                "{\"version\":2,\"experiment\":\"e\",\"profile\":\"fair\",\"scale\":0.5," +
                    "\"command\":\"e \\\"x\\\"\",\"plan\":\"p\",\"machine\":{\"CPU\":\"c, 2\"}}",
                "{\"round\":3,\"case\":\"a, b\",\"parameters\":{\"length\":8},\"values\":{\"rate\":1.5E-7}}",
                "{\"round\":4,\"case\":\"c\",\"parameters\":{},\"values\":{\"histogram\":\"0x\\\\1\\n\"}}"),
            write("raw.jsonl"));
    }

    @Test
    void lostResultsAreReportedWithTheFile() throws IOException
    {
        final Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "a device of Linux");
        final RawFile raw = RawFile.open(full);

        final UncheckedIOException ex = assertThrows(
            UncheckedIOException.class, () -> raw.add(new RawFile.Line(1, "a", Map.of(), Map.of("rate", "1"))));

        assertTrue(ex.getMessage().contains("/dev/full: No space left on device"), ex.getMessage());
    }

    private List<String> write(final String name) throws IOException
    {
        final Path file = directory.resolve(name);
        try (RawFile raw = RawFile.open(file))
        {
            raw.begin(new RawFile.Header(
                RawFile.VERSION, "e", "fair", 0.5, "e \"x\"", "p", Map.of("CPU", "c, 2")));
            raw.add(new RawFile.Line(3, "a, b", Map.of("length", "8"), Map.of("rate", "1.5E-7")));
            raw.add(new RawFile.Line(4, "c", Map.of(), Map.of("histogram", "0x\\1\n")));
        }

        return Files.readAllLines(file);
    }
}
