// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

/**
 * The bank cannot take a command now, and nothing has changed: too many are on their way, or the disk is full. The
 * client may send it again, later.
 */
public final class BankBusyException extends Exception
{
    private static final long serialVersionUID = 1;

    BankBusyException(final String message)
    {
        super(message, null, false, false);
    }
}
