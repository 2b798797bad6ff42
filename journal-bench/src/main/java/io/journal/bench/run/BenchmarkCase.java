package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A case of a benchmark: a program that runs as a process of its own. It receives a directory, then its arguments, and
 * prints its results as {@code key=value} lines.
 *
 * @param group       of cases that are compared with each other, if they are to be measured in turn.
 * @param label       name of the case in output and results.
 * @param isNamed     whether the program takes its arguments by name.
 * @param measurement null if the case is a program.
 * @param parameters  properties in which cases differ, recorded with the results.
 */
public record BenchmarkCase(
    String group, String label, List<String> program, boolean isNamed, Measurement measurement, List<String> arguments,
    Map<String, String> parameters)
{
    /** Parameter for JVM flags, where flags are compared. */
    public static final String JVM_FLAGS = "jvmFlags";

    /** Measures in this process, or in processes that it starts itself. */
    public interface Measurement
    {
        Map<String, String> measure(Path directory) throws IOException, InterruptedException;
    }

    private BenchmarkCase(
        final String group, final String label, final List<String> program, final boolean isNamed,
        final Measurement measurement)
    {
        this(group, label, program, isNamed, measurement, new ArrayList<>(), new LinkedHashMap<>());
    }

    /** A main class in a JVM like this one, without flags; its arguments are named, see {@link Arguments}. */
    public static BenchmarkCase of(final String label, final Class<?> main)
    {
        return new BenchmarkCase("", label, Child.javaCommand(main), true, null);
    }

    /** A main class in a JVM with flags, whose effect is measured. */
    public static BenchmarkCase of(final String label, final Class<?> main, final List<String> flags)
    {
        if (flags.isEmpty())
        {
            return of(label, main);
        }

        final List<String> command = new ArrayList<>(Child.javaCommand(main));
        command.addAll(1, flags);
        final String text = String.join(" ", flags);
        final BenchmarkCase benchmark = new BenchmarkCase("", label + ", " + text, command, true, null);
        benchmark.parameters.put(JVM_FLAGS, text);
        return benchmark;
    }

    /** Any command with positional arguments. */
    public static BenchmarkCase inOrder(final String label, final List<String> command, final Object... arguments)
    {
        final BenchmarkCase benchmark = new BenchmarkCase("", label, command, false, null);
        List.of(arguments).forEach((each) -> benchmark.arguments.add(each.toString()));
        return benchmark;
    }

    /** A case that is measured right before or after the others of its group, since it is compared with them. */
    public static BenchmarkCase ofGroup(final String group, final String label, final Measurement measurement)
    {
        return new BenchmarkCase(group, group + ", " + label, List.of(), false, measurement);
    }

    /** Sets a parameter, and passes it as an argument. */
    public BenchmarkCase parameter(final String name, final Object value)
    {
        parameters.put(name, value.toString());
        return isNamed ? argument(name, value) : this;
    }

    /** Passes an argument that all cases share; not recorded. */
    public BenchmarkCase argument(final String name, final Object value)
    {
        arguments.add(name + '=' + value);
        return this;
    }

    public List<String> command(final Path directory)
    {
        final List<String> all = new ArrayList<>(program);
        all.add(directory.toString());
        all.addAll(arguments);
        return all;
    }

    @Override
    public String toString()
    {
        return label;
    }
}
