/**
 * What the bank needs of its journal, and the journal in a directory of this machine. Another one, kept by a cluster,
 * is in {@code bank.cluster}.
 */
package io.journal.examples.bank.journal;
