package io.journal;

import java.nio.ByteBuffer;

import io.journal.internal.write.AppendPath;
import org.agrona.DirectBuffer;

/**
 * Appends to the journal of this process. The only subclass as long as no replicated journal is in use, so calls cost
 * what those of a final class do.
 */
final class LocalAppender extends JournalAppender
{
    private final AppendPath path;
    private final boolean isShared;
    private final RecordClaim claim;

    LocalAppender(final AppendPath path, final boolean isShared)
    {
        this.path = path;
        this.isShared = isShared;
        claim = new RecordClaim(path.claim());
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
    public long appendIf(final long expectedSequence, final RecordBatch batch)
    {
        return path.appendBatch(
            isShared, expectedSequence, batch.frames(), batch.length(), batch.longestRecord());
    }

    @Override
    public int maxRecordLength()
    {
        return path.maxRecordLength();
    }

    @Override
    public RecordClaim claim(final int length)
    {
        return claim.open(length);
    }
}
