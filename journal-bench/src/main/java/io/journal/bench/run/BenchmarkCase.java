// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A case of a benchmark: a program that runs as a process of its own. It receives a directory, then its arguments, and
 * prints its results as {@code key=value} lines, or lines of its own that a parser takes.
 */
public final class BenchmarkCase
{
    /** Parameter for JVM flags, where flags are compared. */
    public static final String JVM_FLAGS = "jvmFlags";
    /** Argument: "fill" if a program is to fill its files and kill itself, or "measure". */
    public static final String STEP = "step";
    /** Argument: a directory in memory. */
    public static final String MEMORY = "memory";

    private static final Pattern RESULT = Pattern.compile("(\\w+)=(.*)");

    /** Cases of a group are measured right before or after each other, since they are compared. */
    String group = "";
    private Function<List<String>, List<RawFile.Line>> parser;
    private Consumer<Map<String, String>> check = (found) ->
    {
    };
    private long writtenBytes;
    private boolean isKilledFirst;
    private long limitMs = TimeUnit.DAYS.toMillis(1);
    private String label;
    private final List<String> program;
    private final boolean isNamed;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> parameters = new LinkedHashMap<>();

    private BenchmarkCase(final String label, final List<String> program, final boolean isNamed)
    {
        this.label = label;
        this.program = program;
        this.isNamed = isNamed;
    }

    /** A main class in a JVM like this one, without flags; its arguments are named, see {@link Arguments}. */
    public static BenchmarkCase of(final String label, final Class<?> main)
    {
        return withFlags(label, main, List.of());
    }

    /** A main class in a JVM with flags, whose effect is measured; none if the text is empty. */
    public static BenchmarkCase of(final String label, final Class<?> main, final String flags)
    {
        return flags.isEmpty() ? of(label, main) :
            withFlags(label + ", " + flags, main, List.of(flags.split(" "))).noted(JVM_FLAGS, flags);
    }

    /** A main class in a JVM with the flags that it needs. */
    public static BenchmarkCase withFlags(final String label, final Class<?> main, final List<String> flags)
    {
        return new BenchmarkCase(label, Child.javaCommand(main, flags), true);
    }

    /** Any command with positional arguments. */
    public static BenchmarkCase inOrder(final String label, final List<String> command, final Object... arguments)
    {
        final BenchmarkCase benchmark = new BenchmarkCase(label, command, false);
        List.of(arguments).forEach((each) -> benchmark.arguments.add(each.toString()));
        return benchmark;
    }

    /** Sets a parameter, and passes it as an argument. */
    public BenchmarkCase parameter(final String name, final Object value)
    {
        noted(name, value);
        return isNamed ? argument(name, value) : this;
    }

    /** Sets a parameter that only the results need. */
    public BenchmarkCase noted(final String name, final Object value)
    {
        parameters.put(name, value.toString());
        return this;
    }

    /** Passes an argument that all cases share; not recorded. */
    public BenchmarkCase argument(final String name, final Object value)
    {
        arguments.add(name + '=' + value);
        return this;
    }

    public BenchmarkCase labelled(final String more)
    {
        label += ", " + more;
        return this;
    }

    public BenchmarkCase inGroup(final String name)
    {
        group = name;
        return this;
    }

    /** A program that prints lines of its own, which are shown as well. */
    public BenchmarkCase parsedBy(final Function<List<String>, List<RawFile.Line>> reading)
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

    /** Has memory used and freed before the case: see {@link BenchmarkRun}. */
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

    /** Fails if it takes longer. */
    public BenchmarkCase endingWithin(final long limit, final TimeUnit unit)
    {
        limitMs = unit.toMillis(limit);
        return this;
    }

    /** Has the JVM of the program start sooner, where nothing is measured. */
    public BenchmarkCase unoptimized()
    {
        if (isNamed)
        {
            program.add(1, "-XX:TieredStopAtLevel=1");
        }
        return this;
    }

    public String label()
    {
        return label;
    }

    public Map<String, String> parameters()
    {
        return parameters;
    }

    public long writtenBytes()
    {
        return writtenBytes;
    }

    long limitMs()
    {
        return limitMs;
    }

    boolean isKilledFirst()
    {
        return isKilledFirst;
    }

    /** Whether a printed line is a result alone, not for the user. */
    boolean isResult(final String line)
    {
        return null == parser && RESULT.matcher(line).matches();
    }

    List<String> command(final Path directory, final Path memory, final String step)
    {
        final List<String> command = new ArrayList<>(program);
        command.add(directory.toString());
        command.addAll(arguments);
        if (isNamed)
        {
            command.addAll(List.of(MEMORY + '=' + memory, STEP + '=' + step));
        }
        return command;
    }

    List<RawFile.Line> parse(final int round, final List<String> printed)
    {
        if (null != parser)
        {
            return parser.apply(printed);
        }
        final Map<String, String> found = new TreeMap<>();
        printed.stream().map(RESULT::matcher).filter(Matcher::matches)
            .forEach((line) -> found.put(line.group(1), line.group(2)));
        check.accept(found);
        return List.of(new RawFile.Line(round, label, Map.of(), found));
    }
}
