// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Output for scripts: one JSON object per line, with the names of a record's components.
 */
final class Json
{
    private static final ObjectMapper MAPPER = JsonMapper.builder()
        .visibility(PropertyAccessor.ALL, Visibility.NONE)
        .visibility(PropertyAccessor.FIELD, Visibility.ANY)
        .build();

    private Json()
    {
    }

    static ObjectNode object()
    {
        return MAPPER.createObjectNode();
    }

    /** Returns the components of a record; returns a node as it is. */
    static ObjectNode of(final Object result)
    {
        return result instanceof final ObjectNode node ? node : MAPPER.valueToTree(result);
    }
}
