/**
 * The bank on a cluster: three members keep the journal, in processes of their own. The command side is their writer,
 * and the read models read the local journal of a member. The rest of the bank does not know the difference.
 */
package io.journal.examples.bank.cluster;
