package io.journal.bench.run;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Breaks lines between words where a terminal would break them within a word. What continues a line is indented: below
 * the text of a list or of a named fact, as {@link Machine#line} formats it. Not thread-safe.
 */
final class WordWrap extends FilterWriter
{
    private static final int LONGEST_INDENT = 16;
    private static final Pattern BEGINNING = Pattern.compile(" *(- )?(\\S+( \\S+)? {2,}(?=\\S))?");

    private final PrintWriter target;
    private final int columns;
    private final StringBuilder line = new StringBuilder();

    WordWrap(final PrintWriter target, final int columns)
    {
        super(target);
        this.target = target;
        this.columns = columns;
    }

    @Override
    public void write(final char[] text, final int offset, final int length)
    {
        write(new String(text, offset, length), 0, length);
    }

    @Override
    public void write(final String text, final int offset, final int length)
    {
        text.substring(offset, offset + length).chars().forEach(this::write);
    }

    @Override
    public void write(final int character)
    {
        line.append((char)character);
        if ('\n' == character)
        {
            writeLine();
        }
    }

    @Override
    public void flush() throws IOException
    {
        writeLine();
        if (target.checkError())
        {
            throw new IOException("output failed");
        }
    }

    private void writeLine()
    {
        final int length = line.toString().stripTrailing().length();
        final int indent = length > columns ? indent() : 0;
        int from = 0;
        int used = 0;
        while (length - from > columns - used)
        {
            final int space = lastSpace(from, from + columns - used);
            if (space < 0)
            {
                break;
            }
            target.println(line.substring(from, space).stripTrailing());
            target.print(" ".repeat(indent));
            from = space + 1;
            used = indent;
        }
        target.print(line.substring(from));
        line.setLength(0);
    }

    private int indent()
    {
        final Matcher beginning = BEGINNING.matcher(line);
        return beginning.lookingAt() && beginning.end() <= LONGEST_INDENT ? beginning.end() : 0;
    }

    /** Where a line may end so that the next one begins with a word: negative if a word fills it. */
    private int lastSpace(final int from, final int to)
    {
        int space = line.lastIndexOf(" ", to);
        if (line.substring(from, Math.max(from, space)).isBlank())
        {
            space = line.indexOf(" ", to);
        }
        return space;
    }
}
