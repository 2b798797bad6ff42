package io.journal.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What is measured, in a process of its own that is told a directory, then its arguments, and prints lines of
 * {@code key=value}.
 */
final class Subject
{
    private final String label;
    private final List<String> command;
    private final List<String> arguments;

    private Subject(final String label, final List<String> command, final List<String> arguments)
    {
        this.label = label;
        this.command = command;
        this.arguments = arguments;
    }

    /**
     * A class with a main method, in a JVM like this one, without flags.
     */
    static Subject ofClass(final String label, final Class<?> main, final Object... arguments)
    {
        return new Subject(label, Child.javaCommand(main), strings(arguments));
    }

    /**
     * A program.
     */
    static Subject ofProgram(final String label, final Path program, final Object... arguments)
    {
        return new Subject(label, List.of(program.toString()), strings(arguments));
    }

    /**
     * Its name in what is printed and written.
     */
    String label()
    {
        return label;
    }

    List<String> command(final Path directory)
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
