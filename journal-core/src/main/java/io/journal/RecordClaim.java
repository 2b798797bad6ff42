// SPDX-License-Identifier: Apache-2.0
package io.journal;

import org.agrona.MutableDirectBuffer;

/**
 * Memory for one record, which {@link #commit()} copies into the journal. Closing the journal makes that fail, and need
 * not wait for it.
 * <p>
 * Obtained from {@link JournalAppender#claim(int)} and used by the same thread. {@link #close()} without
 * {@link #commit()} discards the record. The object is reused by the next claim.
 */
public interface RecordClaim extends AutoCloseable
{
    /**
     * {@return the record's memory: its capacity is the record's length, its bytes are initially zero} Fill it, and do
     * not wrap it around other memory. Do not use it after commit or close, when its capacity is 0.
     */
    MutableDirectBuffer buffer();

    /** {@return the length of the record in bytes} */
    int length();

    /**
     * Sets the tag the record will carry.
     *
     * @param tag the user's value.
     * @return this claim.
     */
    RecordClaim tag(long tag);

    /**
     * Appends the record, with the guarantees of {@link JournalAppender#append(byte[], int, int)}.
     *
     * @return sequence of the record.
     * @throws IllegalStateException if the claim was committed or closed before, the journal is closed, or the buffer
     *                               was wrapped around other memory; nothing was appended.
     * @throws JournalFullException  if there is no space for it; nothing was appended.
     * @throws JournalException      if storage failed: nothing more is acknowledged, reopen to recover.
     */
    long commit();

    /** Discards the record, unless it was committed. Idempotent. */
    @Override
    void close();
}
