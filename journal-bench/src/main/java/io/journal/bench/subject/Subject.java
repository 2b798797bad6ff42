// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;

import io.journal.RecordHandler;
import org.agrona.DirectBuffer;

/**
 * A measured subject: this journal, another journal, or plain I/O. It offers its cheapest append, its durable append,
 * and its readers, as a user would call them.
 * <p>
 * Errors end the process that measures, so everything may throw.
 */
public interface Subject extends AutoCloseable
{
    /** A word of a record. */
    VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * Appends a record without waiting for anything; called by one thread only, unless opened for several threads
     * ({@link io.journal.bench.workload.Workload#isShared()}).
     */
    void append(byte[] bytes, int offset, int length) throws Exception;

    /** Returns once the appended records would survive the end of this process. No fsync. */
    default void flush() throws Exception
    {
        // Most subjects write each record to the page cache at once.
    }

    /** Appends a record and returns once it is durable; called by any number of threads. */
    void appendDurably(byte[] bytes, int offset, int length) throws Exception;

    /**
     * Appends a record and returns once all but the last {@code inFlight - 1} records are durable; called by one thread
     * only.
     */
    default void appendPipelined(final byte[] bytes, final int offset, final int length, final int inFlight)
        throws Exception
    {
        throw new UnsupportedOperationException();
    }

    /**
     * Registers a listener for the number of durable records, called on a thread of the subject.
     *
     * @return false if it does not tell.
     */
    default boolean onDurable(final LongConsumer listener)
    {
        return false;
    }

    /** Opens a reader of single records, for one thread. */
    default Lookup openLookup()
    {
        throw new UnsupportedOperationException();
    }

    /** Opens a reader of the records that are appended from now on, for one thread. */
    default Follower openFollower()
    {
        throw new UnsupportedOperationException();
    }

    /** The number of the oldest records that the subject has removed. */
    default long removed()
    {
        return 0;
    }

    void replay(Visitor visitor) throws Exception;

    @Override
    void close() throws IOException;

    /** Reads single records by their number, from 0. Ends with its subject. */
    interface Lookup
    {
        void read(long number, Visitor visitor) throws Exception;
    }

    /** Reads records soon after they were appended. Ends with its subject. */
    interface Follower
    {
        /**
         * Passes records that have not been passed yet to a visitor, if there are any; does not wait.
         *
         * @return whether there were any, as far as it knows.
         */
        boolean poll(Visitor visitor);
    }

    /**
     * Receives the words of each record that a reader touches: the first and the last eight bytes, in little-endian
     * order.
     */
    interface Visitor extends RecordHandler
    {
        void visit(long first, long last, int length);

        @Override
        default void onRecord(final DirectBuffer buffer, final int offset, final int length, final Header header)
        {
            visit(buffer, offset, length);
        }

        default void visit(final byte[] record)
        {
            visit((long)WORD.get(record, 0), (long)WORD.get(record, record.length - Long.BYTES), record.length);
        }

        default void visit(final DirectBuffer buffer, final int offset, final int length)
        {
            visit(
                buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN),
                buffer.getLong(offset + length - Long.BYTES, ByteOrder.LITTLE_ENDIAN), length);
        }
    }
}
