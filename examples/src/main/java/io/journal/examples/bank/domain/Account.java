// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

/**
 * An account at one moment.
 *
 * @param accountId  its number.
 * @param owner      name of its owner.
 * @param openedAtMs when it was opened, in milliseconds since 1970-01-01 UTC; 0 if unknown.
 * @param cents      its balance.
 * @param version    number of events that changed it, including the opening.
 */
public record Account(long accountId, String owner, long openedAtMs, long cents, long version)
{
}
