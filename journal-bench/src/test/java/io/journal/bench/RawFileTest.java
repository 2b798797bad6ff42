package io.journal.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RawFileTest
{
    @TempDir
    private Path directory;

    @Test
    void jsonHasALineForTheRunAndOneForEachMeasurement() throws IOException
    {
        assertEquals(
            List.of(
                "{\"version\":1,\"experiment\":\"e\",\"command\":\"e \\\"x\\\"\",\"machine\":{\"CPU\":\"c, 2\"}}",
                "{\"round\":3,\"case\":\"a, b\",\"values\":{\"rate\":1.5E-7}}",
                "{\"round\":4,\"case\":\"c\",\"values\":{\"histogram\":\"0x\\\\1\\u000a\"}}"),
            write("raw.jsonl"));
    }

    @Test
    void csvHasARowForEachValue() throws IOException
    {
        assertEquals(
            List.of(
                "# version: 1", "# experiment: e", "# command: e \"x\"", "# CPU: c, 2", "round,case,key,value",
                "3,\"a, b\",rate,1.5E-7", "4,c,histogram,\"0x\\1", "\""),
            write("raw.csv"));
    }

    @Test
    void withoutAFileNothingIsWritten() throws IOException
    {
        try (RawFile raw = RawFile.open(null))
        {
            raw.begin("e", "e", Map.of());
            raw.add(1, "a", Map.of("rate", "1"));
        }

        try (Stream<Path> entries = Files.list(directory))
        {
            assertTrue(entries.findAny().isEmpty());
        }
    }

    private List<String> write(final String name) throws IOException
    {
        final Path file = directory.resolve(name);
        try (RawFile raw = RawFile.open(file))
        {
            raw.begin("e", "e \"x\"", Map.of("CPU", "c, 2"));
            raw.add(3, "a, b", Map.of("rate", "1.5E-7"));
            raw.add(4, "c", Map.of("histogram", "0x\\1\n"));
        }

        return Files.readAllLines(file);
    }
}
