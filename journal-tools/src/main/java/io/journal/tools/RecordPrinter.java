package io.journal.tools;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.RecordHandler;
import org.agrona.DirectBuffer;

/**
 * Prints records.
 */
final class RecordPrinter implements RecordHandler
{
    /** How a record is printed. */
    enum Format
    {
        TEXT,
        HEX,
        JSON
    }

    private static final int ROW_LENGTH = 16;

    private final PrintWriter out;
    private final Format format;
    private long count;

    RecordPrinter(final PrintWriter out, final Format format)
    {
        this.out = out;
        this.format = format;
    }

    long count()
    {
        return count;
    }

    @Override
    public void onRecord(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        print(header.sequence(), header.tag(), header.position(), bytes);
    }

    void print(final long sequence, final long tag, final long position, final byte[] bytes)
    {
        final String title = sequence + "  tag " + tag + "  ";
        count++;
        switch (format)
        {
            case JSON:
                printJson(sequence, tag, position, bytes);
                break;

            case HEX:
                out.println(title + Text.count(bytes.length, "byte"));
                printHex(bytes);
                break;

            default:
                out.println(title + text(bytes));
                break;
        }
    }

    private void printJson(final long sequence, final long tag, final long position, final byte[] bytes)
    {
        final ObjectNode object = Json.object()
            .put("sequence", sequence)
            .put("tag", tag)
            .put("position", position)
            .put("length", bytes.length);
        final String text = utf8(bytes);
        out.println(Json.line(null == text ?
            object.put("base64", Base64.getEncoder().encodeToString(bytes)) : object.put("text", text)));
    }

    private void printHex(final byte[] bytes)
    {
        for (int row = 0; row < bytes.length; row += ROW_LENGTH)
        {
            final StringBuilder hex = new StringBuilder();
            final StringBuilder text = new StringBuilder();
            for (int i = row; i < Math.min(bytes.length, row + ROW_LENGTH); i++)
            {
                hex.append(String.format(Locale.ROOT, "%02x ", bytes[i] & 0xFF));
                text.append(bytes[i] >= ' ' && bytes[i] < 0x7F ? (char)bytes[i] : '.');
            }
            out.printf(Locale.ROOT, "  %06x  %-48s %s%n", row, hex, text);
        }
    }

    /**
     * The record as one line, with characters escaped that a terminal would interpret.
     */
    private static String text(final byte[] bytes)
    {
        final String text = utf8(bytes);
        if (null == text)
        {
            return "(not UTF-8, " + Text.count(bytes.length, "byte") + ": --format hex shows it)";
        }

        final StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach((c) ->
        {
            if ('\\' == c)
            {
                line.append("\\\\");
            }
            else if (Text.isObeyed(c))
            {
                line.append('\n' == c ? "\\n" : '\t' == c ? "\\t" : String.format(Locale.ROOT, "\\u%04x", c));
            }
            else
            {
                line.appendCodePoint(c);
            }
        });
        return line.toString();
    }

    private static String utf8(final byte[] bytes)
    {
        try
        {
            return StandardCharsets.UTF_8.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (final CharacterCodingException ex)
        {
            return null;
        }
    }
}
