package io.journal.replicated.spi;

/**
 * A member that an {@link Engine} has started. Thread-safe.
 */
public interface Member extends AutoCloseable
{
    /** {@return what this member is now} */
    Role role();

    /** {@return the member that leads as far as this one knows, or {@link Members#NONE}} */
    int leaderId();

    /** {@return how far the log is committed, in bytes, as far as this member knows} */
    long commitPosition();

    /**
     * Requests a snapshot of all members, if this one leads and none is in progress. Does not wait for it.
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

    /**
     * Prepares the way of a client in this process to the leader, as {@link Engine#connect} does, with what the member
     * has. It must be closed before the member.
     *
     * @param replies called by {@link Proposer#poll()} only.
     * @return the way to the leader.
     */
    Proposer connect(Replies replies);

    /** {@return why the member ended by itself, or null} */
    Throwable failure();

    /**
     * Leaves the cluster and ends all threads of the member. Idempotent.
     */
    @Override
    void close();
}
