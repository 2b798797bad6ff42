// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

/** A running member of the cluster, without its journal. Thread-safe. */
interface Member extends AutoCloseable
{
    boolean isLeader();

    /** {@return the id of the leader as far as this member knows, or {@link JournalMember#NO_LEADER}} */
    int leaderId();

    /** {@return how far the log is committed, in bytes, as far as this member knows} */
    long commitPosition();

    /**
     * Requests a snapshot of all members, if this member leads and no snapshot is in progress. Does not wait for it.
     *
     * @return whether the request was taken.
     */
    boolean requestSnapshot();

    /**
     * Drops the beginning of this member's log, as far as its files allow. Blocks.
     *
     * @param logPosition that a snapshot of each member has reached, in bytes of the log.
     */
    void truncateLog(long logPosition);

    /** {@return a client in this process, on the member's buffers; to be closed before the member} */
    Proposer connect(Proposer.Replies replies);

    /** Ends the member; the first failure stays, and is reported. Does not wait. */
    void fail(Throwable ex);

    /** {@return why the member ended by itself, or null} */
    Throwable failure();

    /** Leaves the cluster and ends all threads of the member. Idempotent. */
    @Override
    void close();
}
