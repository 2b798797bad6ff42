// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

/**
 * Thrown if the bank cannot be started and a retry would not help. The message is for the user.
 */
public final class CannotStartException extends RuntimeException
{
    private static final long serialVersionUID = 1;

    CannotStartException(final String message)
    {
        super(message, null, false, false);
    }
}
