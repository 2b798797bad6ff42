package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.Collection;
import java.util.Iterator;
import java.util.UUID;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * JSON in its strict form: no field that is not known, none that is there twice, nothing after the end, no text where a
 * number is expected.
 */
final class Json
{
    static final ObjectMapper MAPPER = JsonMapper.builder()
        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();

    private Json()
    {
    }

    static JsonNode parse(final byte[] body) throws HttpError
    {
        try
        {
            final JsonNode node = MAPPER.readTree(body);
            if (null == node || node.isMissingNode())
            {
                throw new HttpError(400, "the body is empty");
            }
            return node;
        }
        catch (final JsonProcessingException ex)
        {
            throw new HttpError(400, "not JSON: " + ex.getOriginalMessage());
        }
        catch (final IOException ex)
        {
            throw new HttpError(400, "not JSON");
        }
    }

    static byte[] bytes(final Object value)
    {
        try
        {
            return MAPPER.writeValueAsBytes(value);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("cannot be written as JSON", ex);
        }
    }

    static void checkFields(final JsonNode object, final Collection<String> known) throws HttpError
    {
        if (!object.isObject())
        {
            throw new HttpError(400, "not an object");
        }
        for (final Iterator<String> names = object.fieldNames(); names.hasNext();)
        {
            final String name = names.next();
            if (!known.contains(name))
            {
                throw new HttpError(400, "unknown field: " + name);
            }
        }
    }

    static long number(final JsonNode object, final String name) throws HttpError
    {
        final JsonNode value = object.get(name);
        if (null == value || !value.isIntegralNumber() || !value.canConvertToLong())
        {
            throw new HttpError(400, "a whole number is expected: field=" + name);
        }
        return value.longValue();
    }

    static String text(final JsonNode object, final String name) throws HttpError
    {
        final JsonNode value = object.get(name);
        if (null == value || !value.isTextual())
        {
            throw new HttpError(400, "a text is expected: field=" + name);
        }
        return value.textValue();
    }

    static UUID id(final String text) throws HttpError
    {
        try
        {
            final UUID id = UUID.fromString(text);
            // It also takes shorter forms: two texts for one id.
            if (id.toString().equalsIgnoreCase(text))
            {
                return id;
            }
        }
        catch (final IllegalArgumentException ignore)
        {
            // Answered below.
        }
        throw new HttpError(400, "a UUID is expected");
    }
}
