package io.journal.bench.run;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The terminal that is written to, if there is one.
 */
final class Terminal
{
    private static final int DEFAULT_COLUMNS = 79;

    private Terminal()
    {
    }

    /** Of the standard output; a file or a pipe is as wide as it is asked to be. */
    static int columnsOfOutput()
    {
        return is(1) ? columns() : Integer.MAX_VALUE;
    }

    /**
     * Its width without the last column, in which some terminals begin a new line. Without native code, of which JDKs
     * warn.
     */
    static int columns()
    {
        try
        {
            final Process stty = new ProcessBuilder("stty", "size")
                .redirectInput(new File("/dev/tty")).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            final String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
            final int columns = Integer.parseInt(said.substring(said.indexOf(' ') + 1));
            return columns > 1 ? columns - 1 : DEFAULT_COLUMNS;
        }
        catch (final IOException | NumberFormatException ex)
        {
            return DEFAULT_COLUMNS;
        }
    }

    static boolean is(final int descriptor)
    {
        try
        {
            final String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        }
        catch (final IOException | RuntimeException ex)
        {
            return null != System.console();
        }
    }
}
