/**
 * The read side: models built from the durable events, each in the form its queries need. One in memory, one in SQLite,
 * one in another process.
 */
package io.journal.examples.bank.read;
