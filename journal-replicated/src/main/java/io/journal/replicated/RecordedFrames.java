// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

import io.aeron.archive.Archive;
import io.aeron.archive.codecs.RecordingDescriptorDecoder;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;

import static io.aeron.logbuffer.FrameDescriptor.FRAME_ALIGNMENT;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The frames in the newest file of a recording. The archive writes a data frame with a checksum in place of the session
 * id, and only the header of a padding frame. For one thread.
 */
final class RecordedFrames implements AutoCloseable
{
    private static final int HEADER_LENGTH = DataHeaderFlyweight.HEADER_LENGTH;

    private final RecordingDescriptorDecoder recording;
    private final long filePosition;
    private final ByteBuffer file;
    private final CRC32C crc = new CRC32C();
    // The offset at which {@link #findEnd} met no whole frame.
    private int brokenOffset;

    /**
     * @param filePosition of the file's first byte in the recording.
     */
    RecordedFrames(final FileChannel channel, final RecordingDescriptorDecoder recording, final long filePosition)
        throws IOException
    {
        this.recording = recording;
        this.filePosition = filePosition;
        file = channel.map(
            FileChannel.MapMode.READ_ONLY, 0, Math.min(channel.size(), recording.segmentFileLength()));
        file.order(LITTLE_ENDIAN);
    }

    /** {@return the end of the last whole frame} Torn frames before it are not truncated: a replay reports them. */
    long findEnd()
    {
        int offset = (int)Math.max(0, recording.startPosition() - filePosition);
        int end = offset;
        for (int length = lengthOfFrame(offset); length > 0; length = lengthOfFrame(offset))
        {
            end = isPadding(offset) || isWhole(offset, length) ? offset + length : end;
            offset += length;
        }

        brokenOffset = offset;
        return filePosition + end;
    }

    /**
     * {@return whether a whole frame follows so far after the place where {@link #findEnd} stopped that the archive
     * wrote it later} If members fsync, the archive fsyncs each block before it writes the next, so all earlier blocks
     * were whole then. Within a block, a power loss may leave any part of the written bytes.
     */
    boolean isWholeFrameLater()
    {
        final long first = (long)brokenOffset + Archive.Configuration.fileIoMaxLength();
        for (long offset = first; offset + HEADER_LENGTH <= file.capacity(); offset += FRAME_ALIGNMENT)
        {
            final int length = lengthOfFrame((int)offset);
            if (length > HEADER_LENGTH && !isPadding((int)offset) && isWhole((int)offset, length))
            {
                return true;
            }
        }

        return false;
    }

    /** {@return the length of the frame with its padding, or 0 if there is none} */
    private int lengthOfFrame(final int offset)
    {
        if (offset > file.capacity() - HEADER_LENGTH)
        {
            return 0;
        }

        final long position = filePosition + offset;
        final int length = file.getInt(offset + DataHeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET);
        final int termLength = recording.termBufferLength();
        final int termOffset = (int)(position & (termLength - 1));
        final int termId = LogBufferDescriptor.computeTermIdFromPosition(
            position, LogBufferDescriptor.positionBitsToShift(termLength), recording.initialTermId());
        final boolean isFrame = length >= HEADER_LENGTH && length <= termLength - termOffset &&
            termOffset == file.getInt(offset + DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET) &&
            termId == file.getInt(offset + DataHeaderFlyweight.TERM_ID_FIELD_OFFSET) &&
            recording.streamId() == file.getInt(offset + DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET);
        final int alignedLength = isFrame ? BitUtil.align(length, FRAME_ALIGNMENT) : 0;
        return alignedLength <= file.capacity() - offset ? alignedLength : 0;
    }

    private boolean isPadding(final int offset)
    {
        return DataHeaderFlyweight.HDR_TYPE_PAD == file.getShort(offset + DataHeaderFlyweight.TYPE_FIELD_OFFSET);
    }

    private boolean isWhole(final int offset, final int length)
    {
        crc.reset();
        crc.update(file.limit(offset + length).position(offset + HEADER_LENGTH));
        file.clear();
        return (int)crc.getValue() == file.getInt(offset + DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET);
    }

    /** Unmaps the file. */
    @Override
    public void close()
    {
        BufferUtil.free(file);
    }
}
