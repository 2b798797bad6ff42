// SPDX-License-Identifier: Apache-2.0
/**
 * A journal on several machines: a {@link io.journal.replicated.ReplicatedJournal} appends, and each
 * {@link io.journal.replicated.JournalMember} keeps what is committed in an ordinary local journal.
 * Consensus is that of Aeron Cluster.
 * <p>
 * <b>Preview:</b> this module is built and tested with the others, but its API, its protocol and its files may change
 * in any release, without an upgrade path.
 */
package io.journal.replicated;
