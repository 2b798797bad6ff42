// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

/**
 * The bank cannot take a command now, because too many are in flight or the disk is full. Nothing has changed. The
 * client may send the command again later.
 */
public final class BankBusyException extends Exception
{
    private static final long serialVersionUID = 1;

    BankBusyException(final String message)
    {
        super(message, null, false, false);
    }
}
