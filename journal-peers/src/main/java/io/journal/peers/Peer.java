package io.journal.peers;

import java.io.IOException;

/**
 * A journal under comparison: its cheapest append, its durable append and its replay, as a user would call them.
 * <p>
 * Errors of a peer end the process that measures it, so everything may throw.
 */
interface Peer extends AutoCloseable
{
    /**
     * Appends a record without waiting for anything; called by one thread only.
     */
    void append(byte[] bytes, int offset, int length) throws Exception;

    /**
     * Returns once the appended records would survive the end of this process. No fsync.
     */
    void flush() throws Exception;

    /**
     * Appends a record and returns once it is durable; called by any number of threads.
     */
    void appendDurably(byte[] bytes, int offset, int length) throws Exception;

    /**
     * Passes all records to a visitor, in order.
     */
    void replay(Visitor visitor) throws Exception;

    @Override
    void close() throws IOException;

    /** Receives what a reader touches of each record: its first and its last eight bytes, in little-endian order. */
    interface Visitor
    {
        void visit(long first, long last, int length);
    }
}
