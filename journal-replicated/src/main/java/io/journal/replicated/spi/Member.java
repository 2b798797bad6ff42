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

    /** {@return why the member ended by itself, or null} */
    Throwable failure();

    /**
     * Leaves the cluster and ends all threads of the member. Idempotent.
     */
    @Override
    void close();
}
