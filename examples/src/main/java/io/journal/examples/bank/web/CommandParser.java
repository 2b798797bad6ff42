package io.journal.examples.bank.web;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;

/**
 * Reads commands from JSON:
 *
 * <pre>
 * {"id": "…", "type": "open", "account": 1, "owner": "Ada"}
 * {"id": "…", "type": "deposit", "account": 1, "cents": 5000}
 * {"id": "…", "type": "withdraw", "account": 1, "cents": 5000, "expectedVersion": 3}
 * {"id": "…", "type": "transfer", "account": 1, "to": 2, "cents": 5000}
 * </pre>
 *
 * {@code id} is a UUID of the client's choice; {@code expectedVersion} may always be there.
 */
final class CommandParser
{
    private static final Map<String, List<String>> FIELDS = Map.of(
        "open", List.of("id", "type", "expectedVersion", "account", "owner"),
        "deposit", List.of("id", "type", "expectedVersion", "account", "cents"),
        "withdraw", List.of("id", "type", "expectedVersion", "account", "cents"),
        "transfer", List.of("id", "type", "expectedVersion", "account", "to", "cents"));

    private CommandParser()
    {
    }

    static CommandRequest parse(final JsonNode object) throws HttpError
    {
        final String type = Json.text(object, "type");
        final List<String> fields = FIELDS.get(type);
        if (null == fields)
        {
            throw new HttpError(400, "unknown type of command");
        }
        Json.checkFields(object, fields);

        try
        {
            return new CommandRequest(
                Json.id(Json.text(object, "id")), command(type, object), expectedVersion(object));
        }
        catch (final IllegalArgumentException ex)
        {
            throw new HttpError(400, ex.getMessage());
        }
    }

    private static long expectedVersion(final JsonNode object) throws HttpError
    {
        if (!object.has("expectedVersion"))
        {
            return CommandRequest.ANY;
        }

        final long version = Json.number(object, "expectedVersion");
        if (version < 0)
        {
            throw new HttpError(400, "a version is 0 or more");
        }
        return version;
    }

    private static Command command(final String type, final JsonNode object) throws HttpError
    {
        final long account = Json.number(object, "account");
        return switch (type)
        {
            case "open" -> new Command.OpenAccount(account, Json.text(object, "owner"));
            case "deposit" -> new Command.Deposit(account, Json.number(object, "cents"));
            case "withdraw" -> new Command.Withdraw(account, Json.number(object, "cents"));
            default -> new Command.Transfer(account, Json.number(object, "to"), Json.number(object, "cents"));
        };
    }
}
