package io.journal.bench.recommend;

import java.io.Console;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Interactive prompt for options. An empty answer or end of input selects the default.
 */
final class Prompt
{
    private final Function<String, String> asking;

    /**
     * @param asking prints a question and returns the typed line, or null at end of input.
     */
    Prompt(final Function<String, String> asking)
    {
        this.asking = asking;
    }

    /**
     * A prompt on the terminal.
     *
     * @return null if input or output is not a terminal.
     */
    static Prompt ofTerminal()
    {
        final Console console = System.console();
        return null == console || !isTerminal(console) ? null :
            new Prompt((question) -> console.readLine("%s", question));
    }

    /**
     * Asks until the answer is valid.
     *
     * @param question as printed.
     * @param standard default for an empty answer.
     * @param allowed  description of valid answers.
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
     * Since JDK 22 there is a console even without a terminal, and a method to distinguish.
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
