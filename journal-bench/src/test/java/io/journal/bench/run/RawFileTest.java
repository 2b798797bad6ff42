package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RawFileTest
{
    @TempDir
    private Path directory;

    @Test
    void jsonHasALineForTheRunAndOneForEachMeasurement() throws IOException
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
    void csvHasARowForEachValue() throws IOException
    {
        assertEquals(
            List.of(
                "# version: 2", "# experiment: e", "# profile: fair", "# scale: 0.5", "# command: e \"x\"", "# plan: p",
                "# CPU: c, 2", "round,case,key,value",
                "3,\"a, b\",rate,1.5E-7", "4,c,histogram,\"0x\\1", "\""),
            write("raw.csv"));
    }

    private List<String> write(final String name) throws IOException
    {
        final Path file = directory.resolve(name);
        try (RawFile raw = RawFile.open(file))
        {
            raw.begin(new RunFacts("e", Profile.FAIR, 0.5, "e \"x\"", "p", Map.of("CPU", "c, 2")));
            raw.add(3, "a, b", Map.of("length", "8"), Map.of("rate", "1.5E-7"));
            raw.add(4, "c", Map.of(), Map.of("histogram", "0x\\1\n"));
        }

        return Files.readAllLines(file);
    }
}
