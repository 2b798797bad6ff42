package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A case of a benchmark: a program that runs as a process of its own. It receives a directory, then its arguments, and
 * prints its results as {@code key=value} lines, or lines of its own that a parser takes.
 */
public final class BenchmarkCase
{
    /** Parameter for JVM flags, where flags are compared. */
    public static final String JVM_FLAGS = "jvmFlags";
    /** Argument of a program that runs twice: it fills its files and kills itself, then opens what it left. */
    public static final String STEP = "step";
    /** Argument for a directory in memory. */
    public static final String MEMORY = "memory";

    private final String group;
    private String label;
    private final List<String> program;
    private final boolean isNamed;
    private final Measurement measurement;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> parameters = new LinkedHashMap<>();
    private Parser parser;
    private Consumer<Map<String, String>> check = (found) ->
    {
    };
    private long writtenBytes;
    private boolean isKilledFirst;
    private boolean isSharingMemory;

    /** Measures in this process, or in processes that it starts itself. */
    public interface Measurement
    {
        Map<String, String> measure(Path directory) throws IOException, InterruptedException;
    }

    /** Turns what a program printed into results. */
    public interface Parser
    {
        List<RawFile.Line> parse(List<String> printed);
    }

    private BenchmarkCase(
        final String group, final String label, final List<String> program, final boolean isNamed,
        final Measurement measurement)
    {
        this.group = group;
        this.label = label;
        this.program = program;
        this.isNamed = isNamed;
        this.measurement = measurement;
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
        final String text = String.join(" ", flags);
        final BenchmarkCase benchmark = withFlags(label + ", " + text, main, flags);
        benchmark.parameters.put(JVM_FLAGS, text);
        return benchmark;
    }

    /** A main class in a JVM with the flags that it needs. */
    public static BenchmarkCase withFlags(final String label, final Class<?> main, final List<String> flags)
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(main));
        command.addAll(1, flags);
        return new BenchmarkCase("", label, command, true, null);
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

    /** Sets a parameter that only the results need. */
    public BenchmarkCase noted(final String name, final Object value)
    {
        parameters.put(name, value.toString());
        return this;
    }

    /** Adds to the name of the case. */
    public BenchmarkCase labelled(final String more)
    {
        label += ", " + more;
        return this;
    }

    /** Passes an argument that all cases share; not recorded. */
    public BenchmarkCase argument(final String name, final Object value)
    {
        arguments.add(name + '=' + value);
        return this;
    }

    /** A program that prints lines of its own, which are shown as well. */
    public BenchmarkCase parsedBy(final Parser reading)
    {
        parser = reading;
        return this;
    }

    /** Has the results of a program checked that does not check them itself. */
    public BenchmarkCase checkedBy(final Consumer<Map<String, String>> checking)
    {
        check = checking;
        return this;
    }

    /** Has memory used and freed before the case: see {@link WarmMemory}. */
    public BenchmarkCase writing(final long bytes)
    {
        writtenBytes = bytes;
        return this;
    }

    /** A program that first fills its files and kills itself. */
    public BenchmarkCase killedFirst()
    {
        isKilledFirst = true;
        return this;
    }

    /** A program that shares memory with other processes, in a directory in memory. */
    public BenchmarkCase sharingMemory()
    {
        isSharingMemory = true;
        return this;
    }

    public String group()
    {
        return group;
    }

    public String label()
    {
        return label;
    }

    public Map<String, String> parameters()
    {
        return parameters;
    }

    Measurement measurement()
    {
        return measurement;
    }

    Parser parser()
    {
        return parser;
    }

    void check(final Map<String, String> found)
    {
        check.accept(found);
    }

    long writtenBytes()
    {
        return writtenBytes;
    }

    boolean isKilledFirst()
    {
        return isKilledFirst;
    }

    boolean isSharingMemory()
    {
        return isSharingMemory;
    }

    /** The command, with further arguments at its end. */
    List<String> command(final Path directory, final List<String> further)
    {
        final List<String> all = new ArrayList<>(program);
        all.add(directory.toString());
        all.addAll(arguments);
        all.addAll(further);
        return all;
    }

    @Override
    public String toString()
    {
        return label;
    }
}
