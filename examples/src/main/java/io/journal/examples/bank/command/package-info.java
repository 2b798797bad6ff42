/**
 * The command side: one thread decides commands and appends their events, many per fsync; a command is answered when
 * its event is durable. Start with {@link io.journal.examples.bank.command.CommandSide}.
 */
package io.journal.examples.bank.command;
