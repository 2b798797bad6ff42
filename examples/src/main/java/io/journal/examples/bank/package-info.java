// SPDX-License-Identifier: Apache-2.0
/**
 * A bank that separates commands from queries (CQRS), with a journal between them (event sourcing):
 *
 * <pre>
 * web      HTTP, the page
 * domain   the rules: a command becomes an event, or is rejected
 * command  one thread decides and appends; a command is answered when its event is durable
 * journal  what the bank needs of its journal; cluster is the same on three members
 * codec    events and snapshots as bytes
 * read     models for queries, built from the durable events
 * run      the processes: the bank, the follower, the supervisor that kills and restarts
 * </pre>
 *
 * {@code mvn -q -Pbank package} opens it in the browser.
 */
package io.journal.examples.bank;
