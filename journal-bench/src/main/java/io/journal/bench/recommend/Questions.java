package io.journal.bench.recommend;

import java.io.Console;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Asks for what was not given as options. An empty answer takes the default, and so does the end of the input.
 */
final class Questions
{
    private final Function<String, String> asking;

    /**
     * @param asking prints a question and returns the line that was typed, or null if there will be none.
     */
    Questions(final Function<String, String> asking)
    {
        this.asking = asking;
    }

    /**
     * Who sits at the terminal.
     *
     * @return null if nobody does: input or output is no terminal.
     */
    static Questions ofTerminal()
    {
        final Console console = System.console();
        return null == console || !isTerminal(console) ? null :
            new Questions((question) -> console.readLine("%s", question));
    }

    /**
     * Asks until the answer will do.
     *
     * @param question as printed.
     * @param standard what an empty answer means.
     * @param allowed  what to say of other answers than these.
     */
    String ask(final String question, final String standard, final String allowed, final Predicate<String> isAllowed)
    {
        String prefix = "";
        while (true)
        {
            final String line = asking.apply(prefix + question + " [" + standard + "] ");
            if (null == line || line.isBlank())
            {
                return standard;
            }

            if (isAllowed.test(line.strip()))
            {
                return line.strip();
            }
            prefix = "Please answer with " + allowed + ".\n";
        }
    }

    /**
     * From 22 on there is a console also where there is no terminal, and a method that tells.
     */
    private static boolean isTerminal(final Console console)
    {
        try
        {
            return (boolean)Console.class.getMethod("isTerminal").invoke(console);
        }
        catch (final ReflectiveOperationException ex)
        {
            return true;
        }
    }
}
