package io.journal.examples.bank.run;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Arguments of a process: {@code --name=value}.
 */
public final class Options
{
    private final Map<String, String> values = new TreeMap<>();

    /**
     * Reads arguments.
     *
     * @param args  of the process.
     * @param known names of the options there are.
     * @throws IllegalArgumentException if there is another one.
     */
    public Options(final String[] args, final List<String> known)
    {
        for (final String arg : args)
        {
            final int end = arg.indexOf('=');
            final String name = arg.startsWith("--") && end > 0 ? arg.substring(2, end) : "";
            if (!known.contains(name))
            {
                throw new IllegalArgumentException("unknown option: " + arg + "; known: " + known);
            }
            values.put(name, arg.substring(end + 1));
        }
    }

    /**
     * {@return the value of an option}
     *
     * @param name   of it.
     * @param absent if it was not given.
     */
    public String text(final String name, final String absent)
    {
        return values.getOrDefault(name, absent);
    }

    /**
     * {@return the value of an option that is a number}
     *
     * @param name   of it.
     * @param absent if it was not given.
     * @throws IllegalArgumentException if it is no number.
     */
    public int number(final String name, final int absent)
    {
        final String value = values.get(name);
        try
        {
            return null == value ? absent : Integer.parseInt(value);
        }
        catch (final NumberFormatException ex)
        {
            throw new IllegalArgumentException("not a number: --" + name + "=" + value, ex);
        }
    }
}
