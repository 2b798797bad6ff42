// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.Arrays;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonSubTypes.Type;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.journal.examples.bank.domain.Command;

/**
 * Parses JSON strictly: a field that is unknown, missing or duplicated is an error, and so is text in place of a
 * number. The constructors of the domain check the values.
 *
 * <pre>
 * {"id": "…", "command": {"type": "open", "accountId": 1, "owner": "Ada"}}
 * {"id": "…", "command": {"type": "deposit", "accountId": 1, "cents": 5000}}
 * {"id": "…", "command": {"type": "withdraw", "accountId": 1, "cents": 5000}, "expectedVersion": 3}
 * {"id": "…", "command": {"type": "transfer", "accountId": 1, "toAccountId": 2, "cents": 5000}}
 * </pre>
 */
final class Json
{
    static final ObjectMapper MAPPER = JsonMapper.builder()
        .addMixIn(Command.class, Types.class)
        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .build();

    /** The names of commands in JSON. They are declared here so that the domain does not depend on JSON. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes(
        {
            @Type(value = Command.OpenAccount.class, name = "open"),
            @Type(value = Command.Deposit.class, name = "deposit"),
            @Type(value = Command.Withdraw.class, name = "withdraw"),
            @Type(value = Command.Transfer.class, name = "transfer")
        }
    )
    private interface Types
    {
    }

    private Json()
    {
    }

    static <T> T body(final Context context, final Class<T> type)
    {
        try
        {
            final T value = MAPPER.readValue(context.bodyAsBytes(), type);
            if (null == value || value instanceof Object[] array && Arrays.asList(array).contains(null))
            {
                throw new BadRequestResponse("not the expected JSON: null");
            }
            return value;
        }
        catch (final JsonProcessingException ex)
        {
            final boolean isRule = ex.getCause() instanceof IllegalArgumentException;
            throw new BadRequestResponse(
                isRule ? ex.getCause().getMessage() : "not the expected JSON: " + ex.getOriginalMessage());
        }
        catch (final IOException ex)
        {
            throw new BadRequestResponse("the body cannot be read");
        }
    }
}
