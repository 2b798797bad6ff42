package io.journal.bench.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Compiles the C programs that serve as baselines, if there is a compiler.
 */
public final class CProgram
{
    private static final int COMPILE_SECONDS = 60;

    private CProgram()
    {
    }

    /**
     * Compiles a source that is a resource next to a class.
     *
     * @param directory for the source and the program.
     * @return the program, or null if there is no compiler, or none that can compile it.
     */
    public static Path compile(final Class<?> neighbour, final String name, final Path directory)
        throws IOException, InterruptedException
    {
        final Path source = directory.resolve(name + ".c");
        final Path program = directory.resolve(name);
        try (InputStream text = neighbour.getResourceAsStream(name + ".c"))
        {
            Files.copy(text, source);
        }

        final Process compiler;
        try
        {
            compiler = new ProcessBuilder("cc", "-O2", "-o", program.toString(), source.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        }
        catch (final IOException ex)
        {
            return null;
        }
        final boolean isDone = compiler.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) && 0 == compiler.exitValue();
        compiler.destroyForcibly();

        return isDone ? program : null;
    }
}
