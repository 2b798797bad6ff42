package io.journal.bench.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is measured, in a process of its own that is told a directory, then its arguments, and prints lines of
 * {@code key=value}.
 */
public final class Subject
{
    /** Parameter that has the flags of a JVM, where they are measured. */
    public static final String JVM_FLAGS = "jvmFlags";

    private final String label;
    private final List<String> command;
    private final List<String> arguments;
    private final Map<String, String> parameters = new LinkedHashMap<>();

    private Subject(final String label, final List<String> command, final List<String> arguments)
    {
        this.label = label;
        this.command = command;
        this.arguments = arguments;
    }

    /**
     * A class with a main method, in a JVM like this one, without flags.
     */
    public static Subject ofClass(final String label, final Class<?> main, final Object... arguments)
    {
        return new Subject(label, Child.javaCommand(main), strings(arguments));
    }

    /**
     * A program.
     */
    public static Subject ofProgram(final String label, final Path program, final Object... arguments)
    {
        return new Subject(label, List.of(program.toString()), strings(arguments));
    }

    /**
     * A class with a main method, in a JVM with flags, which are what is measured.
     */
    public static Subject ofClassWithFlags(
        final String label, final List<String> flags, final Class<?> main, final Object... arguments)
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(main));
        command.addAll(1, flags);
        return new Subject(label, command, strings(arguments)).with(JVM_FLAGS, String.join(" ", flags));
    }

    /**
     * Its name in what is printed and written.
     */
    public String label()
    {
        return label;
    }

    /**
     * Says what it is by a property of its own, for who compares, draws or sorts results.
     *
     * @return this.
     */
    public Subject with(final String name, final Object value)
    {
        parameters.put(name, value.toString());
        return this;
    }

    /**
     * What tells it from the others, by name.
     */
    public Map<String, String> parameters()
    {
        return parameters;
    }

    public List<String> command(final Path directory)
    {
        final List<String> all = new ArrayList<>(command);
        all.add(directory.toString());
        all.addAll(arguments);
        return all;
    }

    @Override
    public String toString()
    {
        return label;
    }

    private static List<String> strings(final Object... arguments)
    {
        final List<String> strings = new ArrayList<>();
        for (final Object argument : arguments)
        {
            strings.add(argument.toString());
        }

        return strings;
    }
}
