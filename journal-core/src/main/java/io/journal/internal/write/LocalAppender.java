// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.nio.ByteBuffer;

import io.journal.JournalAppender;
import io.journal.RecordClaim;
import org.agrona.DirectBuffer;

/**
 * Appends to the journal of this process. While no replicated journal is in use this is the only subclass loaded, so
 * calls are monomorphic.
 */
public final class LocalAppender extends JournalAppender
{
    private final AppendPath path;
    private final boolean isShared;

    public LocalAppender(final AppendPath path, final boolean isShared)
    {
        this.path = path;
        this.isShared = isShared;
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final byte[] record, final int offset, final int length)
    {
        path.checkRecord(offset, length, record.length);
        return path.append(isShared, expectedSequence, tag, record, offset, length);
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final ByteBuffer record, final int offset, final int length)
    {
        path.checkRecord(offset, length, record.limit());
        return path.append(isShared, expectedSequence, tag, record, offset, length);
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final DirectBuffer record, final int offset, final int length)
    {
        path.checkRecord(offset, length, record.capacity());
        return path.append(isShared, expectedSequence, tag, record, offset, length);
    }

    @Override
    protected long appendFrames(
        final long expectedSequence, final ByteBuffer frames, final int length, final int longestRecord)
    {
        return path.appendBatch(isShared, expectedSequence, frames, length, longestRecord);
    }

    @Override
    public int maxRecordLength()
    {
        return path.maxRecordLength();
    }

    @Override
    public RecordClaim claim(final int length)
    {
        return path.claim(length);
    }
}
