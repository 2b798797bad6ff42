package io.journal.replicated.aeron;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

import io.aeron.archive.Archive;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.journal.replicated.aeron.RecordingEnds.Recording;
import org.agrona.BitUtil;

import static io.aeron.logbuffer.FrameDescriptor.FRAME_ALIGNMENT;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The frames in the newest file of a recording. The archive writes the checksum of a data frame in place of the session
 * id; of a padding frame it writes the header alone. For one thread.
 */
final class RecordedFrames
{
    private static final int HEADER_LENGTH = DataHeaderFlyweight.HEADER_LENGTH;
    private static final int BUFFER_LENGTH = 1024 * 1024;
    // A frame is part of one datagram.
    private static final int MAX_FRAME_LENGTH = 64 * 1024;

    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH).order(LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private boolean isWithoutChecksums;
    private long brokenPosition;

    /**
     * Looks for the end of the last frame that is whole. Torn frames before it are left: a replay reports them.
     *
     * @param filePosition of the file's first byte.
     * @param start        where the first frame begins.
     * @return a position from start on.
     */
    long findEnd(final FileChannel channel, final Recording recording, final long filePosition, final long start)
        throws IOException
    {
        isWithoutChecksums = false;
        final long limit = filePosition + Math.min(channel.size(), recording.segmentLength);
        long end = start;
        long position = start;
        buffer.limit(0);
        while (position + HEADER_LENGTH <= limit)
        {
            if (buffer.remaining() < MAX_FRAME_LENGTH)
            {
                fill(channel, position - filePosition);
            }

            final int length = lengthOfFrame(recording, position);
            if (length <= 0 || position + length > limit)
            {
                break;
            }

            position += length;
            end = isWhole(recording, length) ? position : end;
            buffer.position(Math.min(buffer.limit(), buffer.position() + length));
        }

        brokenPosition = position;
        return end;
    }

    /**
     * {@return whether a whole frame lies so far behind the place where the last {@link #findEnd} met none that the
     * archive wrote it later} Each block is fsynced before the next one, if members do: what the frame follows was
     * whole then. Within a block, the loss of power may leave any part of what was written.
     */
    boolean isWholeFrameBehind(final FileChannel channel, final Recording recording, final long filePosition)
        throws IOException
    {
        final long limit = filePosition + Math.min(channel.size(), recording.segmentLength);
        long position = brokenPosition + Archive.Configuration.fileIoMaxLength();
        buffer.limit(0);
        while (position + HEADER_LENGTH <= limit)
        {
            if (buffer.remaining() < MAX_FRAME_LENGTH && position + buffer.remaining() < limit)
            {
                fill(channel, position - filePosition);
            }

            final int length = lengthOfFrame(recording, position);
            if (length > HEADER_LENGTH && position + length <= limit && !isPadding() && isWhole(recording, length))
            {
                return true;
            }

            position += FRAME_ALIGNMENT;
            buffer.position(Math.min(buffer.limit(), buffer.position() + FRAME_ALIGNMENT));
        }

        return false;
    }

    /** {@return whether the archive that wrote the frames was one that writes no checksums} */
    boolean isWithoutChecksums()
    {
        return isWithoutChecksums;
    }

    private void fill(final FileChannel channel, final long offset) throws IOException
    {
        buffer.clear();
        while (buffer.hasRemaining() && channel.read(buffer, offset + buffer.position()) > 0)
        {
            Thread.onSpinWait();
        }
        buffer.flip();
    }

    /** {@return the length of the frame with its padding, or 0 if there is none} */
    private int lengthOfFrame(final Recording recording, final long position)
    {
        if (buffer.remaining() < HEADER_LENGTH)
        {
            return 0;
        }

        final int index = buffer.position();
        final int length = buffer.getInt(index + DataHeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET);
        final int termOffset = (int)(position & (recording.termLength - 1));
        final int termId = LogBufferDescriptor.computeTermIdFromPosition(
            position, LogBufferDescriptor.positionBitsToShift(recording.termLength), recording.initialTermId);
        final boolean isFrame = length >= HEADER_LENGTH && length <= recording.termLength - termOffset &&
            termOffset == buffer.getInt(index + DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET) &&
            termId == buffer.getInt(index + DataHeaderFlyweight.TERM_ID_FIELD_OFFSET) &&
            recording.streamId == buffer.getInt(index + DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET);
        return isFrame ? BitUtil.align(length, FRAME_ALIGNMENT) : 0;
    }

    private boolean isPadding()
    {
        return DataHeaderFlyweight.HDR_TYPE_PAD ==
            buffer.getShort(buffer.position() + DataHeaderFlyweight.TYPE_FIELD_OFFSET);
    }

    private boolean isWhole(final Recording recording, final int length)
    {
        final int index = buffer.position();
        if (isPadding())
        {
            return true;
        }
        if (length > buffer.remaining())
        {
            return false;
        }

        crc.reset();
        crc.update(buffer.array(), index + HEADER_LENGTH, length - HEADER_LENGTH);
        final int checksum = buffer.getInt(index + DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET);
        isWithoutChecksums |= (int)crc.getValue() != checksum && recording.sessionId == checksum;
        return (int)crc.getValue() == checksum;
    }
}
