package io.journal.examples.bank.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Programs of this class path in processes of their own. They end when their input does: see {@link Parent}.
 */
public final class JavaProcess
{
    private static final int END_SECONDS = 10;

    private JavaProcess()
    {
    }

    /**
     * {@return a command that is not started yet}
     *
     * @param main        class of the program.
     * @param javaOptions of the JVM.
     * @param options     of the program.
     */
    public static ProcessBuilder of(final Class<?> main, final List<String> javaOptions, final List<String> options)
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(options);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /**
     * Ends processes: ends their input, and kills those that take too long.
     *
     * @param processes to end.
     */
    public static void end(final Process... processes)
    {
        for (final Process process : processes)
        {
            try
            {
                process.getOutputStream().close();
            }
            catch (final IOException ex)
            {
                process.destroyForcibly();
            }
        }
        for (final Process process : processes)
        {
            try
            {
                if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS))
                {
                    process.destroyForcibly();
                }
            }
            catch (final InterruptedException ex)
            {
                process.destroyForcibly();
            }
        }
    }
}
