// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

import java.util.UUID;

/**
 * A command as a client sends it.
 *
 * @param id              chosen by the client, a different one for each command. A client that got no answer sends the
 *                        command again with the same id: it is executed once.
 * @param command         to execute.
 * @param expectedVersion of the command's account, as the client has seen it (optimistic concurrency); null to execute
 *                        the command regardless of the version.
 */
public record CommandRequest(UUID id, Command command, Long expectedVersion)
{
    public CommandRequest
    {
        if (null == id || null == command)
        {
            throw new IllegalArgumentException("A request has an id and a command.");
        }
    }

    /** {@return a request that expects no version} */
    public static CommandRequest of(final UUID id, final Command command)
    {
        return new CommandRequest(id, command, null);
    }
}
