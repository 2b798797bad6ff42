package io.journal.bench.run;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The terminal, if output goes to one.
 */
final class Terminal
{
    private static final int DEFAULT_COLUMNS = 79;

    private Terminal()
    {
    }

    /** Width of standard output; unlimited for a file or a pipe. */
    static int columnsOfOutput()
    {
        return is(1) ? columns() : Integer.MAX_VALUE;
    }

    /**
     * Width without the last column, after which some terminals wrap. Without native code, which newer JDKs warn about.
     */
    static int columns()
    {
        try
        {
            final Process stty = new ProcessBuilder("stty", "size")
                .redirectInput(new File("/dev/tty")).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            final String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
            final int columns = Integer.parseInt(size.substring(size.indexOf(' ') + 1));
            return columns > 1 ? columns - 1 : DEFAULT_COLUMNS;
        }
        catch (final IOException | NumberFormatException ex)
        {
            return DEFAULT_COLUMNS;
        }
    }

    /** Output whose lines fit a terminal; unchanged for a file or a pipe. */
    static PrintWriter wrapping(final PrintWriter out)
    {
        return is(1) ? new PrintWriter(new WordWrap(out, columns())) : out;
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
