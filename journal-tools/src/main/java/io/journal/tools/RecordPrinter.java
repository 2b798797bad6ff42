// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.UUID;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.RecordHandler;
import io.journal.internal.streams.EventRecord;
import io.journal.streams.EventView;
import org.agrona.DirectBuffer;
import org.agrona.PrintBufferUtil;

/**
 * Prints records.
 */
final class RecordPrinter implements RecordHandler
{
    private final PrintWriter out;
    private final boolean isJson;
    private final boolean isHex;
    private long count;

    RecordPrinter(final PrintWriter out, final boolean isJson, final boolean isHex)
    {
        this.out = out;
        this.isJson = isJson;
        this.isHex = isHex;
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
        final String text = utf8(bytes);
        final EventView event = EventRecord.decode(buffer, offset, length, header);
        count++;
        if (isJson)
        {
            final ObjectNode object = Json.object()
                .put("sequence", header.sequence())
                .put("tag", header.tag())
                .put("position", header.position())
                .put("length", length);
            if (null != event)
            {
                object.set("event", json(event));
            }
            out.println((null == text ? object.put("base64", Base64.getEncoder().encodeToString(bytes)) :
                object.put("text", text)).toString());
            return;
        }

        final String content = isHex ? Text.count(length, "byte") : null != event ? escaped(text(event)) :
            null == text ? "(not UTF-8, " + Text.count(length, "byte") + ": --hex shows it)" : escaped(text);
        out.println(header.sequence() + "  tag " + header.tag() + "  " + content);
        if (isHex)
        {
            out.println(PrintBufferUtil.prettyHexDump(buffer, offset, length));
        }
    }

    private static ObjectNode json(final EventView event)
    {
        final ObjectNode object = Json.object().put("type", event.type()).put("time", event.time().toString());
        event.tags().forEach(object.putArray("tags")::add);
        if (null != event.stream())
        {
            object.put("stream", event.stream()).put("version", event.version());
        }
        final UUID id = event.id();
        if (null != id)
        {
            object.put("id", id.toString());
        }

        return object.put("length", event.length());
    }

    private static String text(final EventView event)
    {
        return "event " + event.type() + ", tags " + event.tags() +
            (null == event.stream() ? "" : ", stream " + event.stream() + " version " + event.version()) +
            (null == event.id() ? "" : ", id " + event.id()) + ", " + Text.count(event.length(), "byte");
    }

    /**
     * Returns a record as one line. Characters that a terminal would interpret are escaped.
     */
    private static String escaped(final String text)
    {
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

    /** Decodes bytes as UTF-8; returns null if they are not valid UTF-8. */
    private static String utf8(final byte[] bytes)
    {
        try
        {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (final CharacterCodingException ex)
        {
            return null;
        }
    }
}
