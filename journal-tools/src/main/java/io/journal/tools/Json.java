package io.journal.tools;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Output for scripts: one JSON object per line.
 */
final class Json
{
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json()
    {
    }

    static ObjectNode object()
    {
        return MAPPER.createObjectNode();
    }

    static String line(final ObjectNode object)
    {
        try
        {
            return MAPPER.writeValueAsString(object);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("cannot be written as JSON: " + object, ex);
        }
    }
}
