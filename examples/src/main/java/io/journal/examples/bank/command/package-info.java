/**
 * The command side: one thread decides and appends, and clients get their answers when these are durable.
 */
package io.journal.examples.bank.command;
