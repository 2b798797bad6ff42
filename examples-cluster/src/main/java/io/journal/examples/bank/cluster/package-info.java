/**
 * The bank on a cluster: three members that keep the journal, in processes of their own, and the bank's process, whose
 * command side is their writer and whose read models read the local journal of a member. The bank itself does not know
 * this package: it is in a module of its own, and with it the dependency on {@code journal-replicated}.
 */
package io.journal.examples.bank.cluster;
