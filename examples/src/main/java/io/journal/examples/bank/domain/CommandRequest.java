package io.journal.examples.bank.domain;

import java.util.Objects;
import java.util.UUID;

/**
 * A command as a client sends it.
 *
 * @param id              chosen by the client, a different one for each command. A client that got no answer sends the
 *                        command again with the same id: it is executed once.
 * @param command         to execute.
 * @param expectedVersion of the command's account, as the client has seen it (optimistic concurrency); {@link #ANY} to
 *                        execute the command whatever has changed meanwhile.
 */
public record CommandRequest(UUID id, Command command, long expectedVersion)
{
    /** As expected version: no matter which. */
    public static final long ANY = -1;

    public CommandRequest
    {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(command, "command");
        if (expectedVersion < ANY)
        {
            throw new IllegalArgumentException("version must be 0 or more: expectedVersion=" + expectedVersion);
        }
    }

    /**
     * {@return a request that expects no version}
     *
     * @param id      chosen by the client.
     * @param command to execute.
     */
    public static CommandRequest of(final UUID id, final Command command)
    {
        return new CommandRequest(id, command, ANY);
    }
}
