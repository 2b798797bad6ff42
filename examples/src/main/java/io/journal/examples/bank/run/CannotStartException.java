// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

/**
 * The bank cannot be started, and trying again would not help. The message is for the person who started it.
 */
public final class CannotStartException extends RuntimeException
{
    private static final long serialVersionUID = 1;

    CannotStartException(final String message)
    {
        super(message, null, false, false);
    }
}
