// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

/**
 * Ends a command with a message for its user and an exit code.
 */
final class CommandException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    CommandException(final int exitCode, final String message)
    {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode()
    {
        return exitCode;
    }
}
