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
    private final boolean isNamed;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> parameters = new LinkedHashMap<>();

    private Subject(final String label, final List<String> command, final boolean isNamed)
    {
        this.label = label;
        this.command = command;
        this.isNamed = isNamed;
    }

    /**
     * A class with a main method, in a JVM like this one, without flags; it is told its arguments by name, see
     * {@link Arguments}.
     */
    public static Subject of(final String label, final Class<?> main)
    {
        return of(label, main, List.of());
    }

    /**
     * The same in a JVM with flags, which are what is measured.
     */
    public static Subject of(final String label, final Class<?> main, final List<String> flags)
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(main));
        command.addAll(1, flags);
        final String text = String.join(" ", flags);
        final Subject subject = new Subject(flags.isEmpty() ? label : label + ", " + text, command, true);
        if (!flags.isEmpty())
        {
            subject.parameters.put(JVM_FLAGS, text);
        }
        return subject;
    }

    /**
     * A class or program in another form: it is told its arguments in this order.
     */
    public static Subject inOrder(final String label, final List<String> command, final Object... arguments)
    {
        final Subject subject = new Subject(label, command, false);
        List.of(arguments).forEach((each) -> subject.arguments.add(each.toString()));
        return subject;
    }

    /** Its name in what is printed and written. */
    public String label()
    {
        return label;
    }

    /**
     * Tells it a property that tells it from others, for who compares, draws or sorts results.
     */
    public Subject with(final String name, final Object value)
    {
        parameters.put(name, value.toString());
        return isNamed ? told(name, value) : this;
    }

    /** Tells it what all have in common. */
    public Subject told(final String name, final Object value)
    {
        arguments.add(name + '=' + value);
        return this;
    }

    /** What tells it from the others, by name. */
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
}
