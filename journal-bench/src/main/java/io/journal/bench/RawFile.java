package io.journal.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Everything that was measured, as it comes: a line of JSON each, or of CSV if the file is named so.
 */
final class RawFile implements AutoCloseable
{
    private static final int VERSION = 1;

    private final PrintWriter out;
    private final boolean isCsv;

    private RawFile(final PrintWriter out, final boolean isCsv)
    {
        this.out = out;
        this.isCsv = isCsv;
    }

    /**
     * @param file to be written anew, or null for none.
     */
    static RawFile open(final Path file) throws IOException
    {
        if (null == file)
        {
            return new RawFile(null, false);
        }

        final boolean isCsv = file.toString().endsWith(".csv");
        return new RawFile(new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8)), isCsv);
    }

    /**
     * Begins with what was run where.
     */
    void begin(final String experiment, final String command, final Map<String, String> machine)
    {
        if (null == out)
        {
            return;
        }

        if (isCsv)
        {
            out.println("# version: " + VERSION);
            out.println("# experiment: " + experiment);
            out.println("# command: " + command);
            machine.forEach((key, value) -> out.println("# " + key + ": " + value));
            out.println("round,case,key,value");
        }
        else
        {
            out.println("{\"version\":" + VERSION + ",\"experiment\":" + quoted(experiment) +
                ",\"command\":" + quoted(command) + ",\"machine\":" + object(machine) + '}');
        }
        out.flush();
    }

    /**
     * Adds what one subject found in one round.
     */
    void add(final int round, final String label, final Map<String, String> found)
    {
        if (null == out)
        {
            return;
        }

        if (isCsv)
        {
            found.forEach((key, value) -> out.println(round + "," + cell(label) + "," + cell(key) + "," + cell(value)));
        }
        else
        {
            out.println("{\"round\":" + round + ",\"case\":" + quoted(label) + ",\"values\":" + object(found) + '}');
        }
        // Of a run that is ended early, what was measured by then is there.
        out.flush();
    }

    @Override
    public void close()
    {
        if (null != out)
        {
            out.close();
        }
    }

    private static String object(final Map<String, String> values)
    {
        final StringBuilder text = new StringBuilder("{");
        values.forEach((key, value) ->
        {
            text.append(text.length() > 1 ? "," : "").append(quoted(key)).append(':');
            text.append(isNumber(value) ? value : quoted(value));
        });

        return text.append('}').toString();
    }

    private static boolean isNumber(final String text)
    {
        return text.matches("-?(0|[1-9]\\d*)(\\.\\d+)?(E-?\\d+)?");
    }

    private static String quoted(final String text)
    {
        final StringBuilder quoted = new StringBuilder("\"");
        for (final char c : text.toCharArray())
        {
            if ('"' == c || '\\' == c)
            {
                quoted.append('\\').append(c);
            }
            else if (c < ' ')
            {
                quoted.append(String.format("\\u%04x", (int)c));
            }
            else
            {
                quoted.append(c);
            }
        }

        return quoted.append('"').toString();
    }

    private static String cell(final String text)
    {
        final boolean isPlain = text.chars().noneMatch((c) -> ',' == c || '"' == c || c < ' ');
        return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
