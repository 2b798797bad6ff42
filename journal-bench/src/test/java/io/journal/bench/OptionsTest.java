package io.journal.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.journal.bench.run.BenchmarkRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OptionsTest
{
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {
        "copy --rounds=0", "copy --rounds=2147483647", "copy --scale=NaN", "copy --size=0", "copy --buffer-lengths=0",
        "copy --buffer-lengths=4096,-1", "sequential --page-sizes=0", "sequential --page-sizes=4096,-4096",
        "sequential --profile=faithful --page-sizes=0", "sequential --sizes=NaNx", "sequential --jvm-flags= ",
        "buffer-sweep --length=0", "buffer-sweep --repeats=0", "buffer-sweep --ms=-1", "buffer-sweep --buffers=-1",
        "buffer-sweep --buffers=2097152", "streams-vs-channels --length=0", "streams-vs-channels --repeats=0",
        "streams-vs-channels --buffers=1", "readers --length=0", "readers --length=2147483648", "readers --sizes=0",
        "readers --limit-ms=-1", "readers --flags= ", "journal --record-lengths=0", "journal --record-lengths=70000000",
        "journal --write-windows=-1", "journal --write-windows=70000000", "journal --segment-lengths=100000",
        "journal --segment-lengths=0", "journal --bytes=0", "journal --seconds=0", "journal --seconds=2147484",
        "journal --force=every100000000ms", "journal --force=every99999999ms", "latency --rates=-5",
        "latency --rates=1000000001", "latency --warm-up-ms=-1", "latency --ms=0", "latency --record-length=-1",
        "latency --segment-length=1000", "latency --force=never", "latency --rates=0", "follow --rate=0",
        "follow --record-length=7",
        "follow --record-length=16777217", "follow --warm-up-ms=-1", "follow --ms=-1", "follow --segment-length=65537",
        "seek --records=0", "seek --records=1000,-1", "seek --seeks=0", "seek --record-length=-1",
        "seek --segment-length=1", "sustained --bytes=0", "sustained --warm-up-bytes=-1", "sustained --kept=0",
        "sustained --record-length=0", "sustained --segment-length=-65536", "group-commit --threads=0",
        "group-commit --threads=1,-2", "group-commit --ms=0", "group-commit --warm-up-ms=-1",
        "group-commit --record-length=-1", "group-commit --segment-length=3", "recommend --rate=0", "all --rounds=0",
        "all --scale=0" })
    void invalidValueIsRejectedWithTheNameOfItsOption(final String command)
    {
        assertEquals(CommandLine.ExitCode.USAGE, execute(command), out.toString());

        final String option = command.substring(command.lastIndexOf(" --") + 1, command.lastIndexOf('='));
        assertTrue(out.toString().startsWith(option), out.toString());
        assertFalse(Files.exists(directory.resolve("files")));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "follow --rate=9 --ms=100", "follow --rate=100 --scale=0.001", "sustained --bytes=100 --record-length=101",
        "sustained --bytes=1000000 --record-length=1000 --scale=0.0001" })
    void emptySelectionIsRejected(final String command)
    {
        assertEquals(CommandLine.ExitCode.USAGE, execute(command), out.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "sequential --sizes=Infinityx", "sequential --sizes=9223372036854775807",
        "copy --size=5000000000000000000", "buffer-sweep --length=9223372036854775807 --direction=read",
        "streams-vs-channels --length=9000000000000000000", "journal --bytes=9000000000000000000",
        "seek --records=5000000000000000000", "latency --rates=1000000000 --ms=2000000000",
        "follow --rate=1000000000 --ms=2000000000", "group-commit --ms=2000000000",
        "sustained --kept=100000 --segment-length=1073741824 --bytes=9000000000000000000" })
    void absurdSizesAreRejectedForLackOfSpace(final String command)
    {
        assertEquals(CommandLine.ExitCode.USAGE, execute(command), out.toString());

        assertTrue(out.toString().contains("--dir has too little space: needed="), out.toString());
        assertFalse(Files.exists(directory.resolve("files")));
    }

    @ParameterizedTest
    @CsvSource({
        "sequential --profile=faithful --variant=BYTES --sizes=40960000, 20, 80",
        "sequential --rounds=1 --ways=STREAM --page-sizes=64 --sizes=100000000, 3, 10",
        "copy --rounds=1 --buffer-lengths=1 --size=10000000, 6, 30",
        "seek --rounds=1 --backends=MAPPED --records=1000 --seeks=10, 0.3, 2",
        "seek --rounds=1 --backends=MAPPED --records=3000000 --seeks=10, 3, 12",
        "seek --rounds=1 --backends=MAPPED --records=1000 --seeks=100000, 5, 20",
        "sustained --rounds=1 --backends=MAPPED --record-length=8 --bytes=100000000 --warm-up-bytes=10000000, 4, 16" })
    void estimateIsThatOfTheDominatingPart(final String command, final double least, final double most)
    {
        final double[] seconds = new double[1];
        final CommandLine bench = Bench.commandLine().setOut(new PrintWriter(out));
        bench.setExecutionExceptionHandler((ex, failing, result) ->
        {
            seconds[0] = ((BenchmarkRun.PlanOnlyException)ex).seconds();
            return CommandLine.ExitCode.OK;
        });

        bench.execute((command + " --plan --dir=" + directory).split(" "));

        assertTrue(least <= seconds[0] && seconds[0] <= most, "seconds=" + seconds[0]);
    }

    @Test
    void planStatesTheTimeIfNoRateIsSustained()
    {
        assertEquals(CommandLine.ExitCode.OK, execute("latency --rounds=1 --backends=MAPPED"), out.toString());

        assertTrue(out.toString().contains("about 45 s, up to 2 min if no rate is sustained"), out.toString());
    }

    @Test
    void planDoesNotTouchFiles() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("earlier"), "earlier");

        for (final String command : List.of(
            "latency --output=" + file + " --hlog=" + file, "copy --output=" + file, "jmh --jmh-output=" + file))
        {
            assertEquals(CommandLine.ExitCode.OK, execute(command), out.toString());
        }

        assertEquals("earlier", Files.readString(file));
    }

    @ParameterizedTest
    @ValueSource(strings = { "latency --hlog=", "jmh --jmh-output=", "copy --output=", "copy --report=" })
    void aFileThatCannotBeWrittenIsRefused(final String command) throws IOException
    {
        final Path file = command.contains("--report") ? Files.writeString(directory.resolve("file"), "") :
            directory.resolve("not/there");

        assertEquals(CommandLine.ExitCode.USAGE, run(command + file), out.toString());

        assertTrue(out.toString().contains("be written: " + file), out.toString());
        assertFalse(Files.exists(directory.resolve("files")));
    }

    /** With --plan, so that accepted options do not start a run. */
    private int execute(final String command)
    {
        return run(command + " --plan");
    }

    private int run(final String command)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(command.split(" (?=--)")));
        args.add("--dir=" + directory.resolve("files"));
        args.add("--quiet");
        final PrintWriter writer = new PrintWriter(out, true);
        return Bench.commandLine().setOut(writer).setErr(writer).execute(args.toArray(String[]::new));
    }
}
