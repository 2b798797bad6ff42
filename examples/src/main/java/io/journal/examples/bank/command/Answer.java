// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import io.journal.examples.bank.domain.Rejection;

/**
 * The answer to a command. Everything it depends on is durable.
 *
 * @param sequence   of the command's event; 0 if the command was rejected.
 * @param isRepeated whether the command had been executed before, under the same id.
 * @param rejection  why the command was not executed; null if it was.
 */
public record Answer(long sequence, boolean isRepeated, Rejection rejection)
{
    /** {@return whether the command was executed, now or before} */
    public boolean isExecuted()
    {
        return null == rejection;
    }
}
