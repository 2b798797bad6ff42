/**
 * A journal on several machines: a {@link io.journal.replicated.ReplicatedJournal} appends, and each
 * {@link io.journal.replicated.JournalMember} keeps what is committed in an ordinary local journal.
 * <p>
 * Consensus is that of an {@link io.journal.replicated.spi.Engine}, by default Aeron Cluster.
 */
package io.journal.replicated;
