/**
 * How events and snapshots are stored, byte by byte.
 */
package io.journal.examples.bank.codec;
