// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.Journal;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

class SaltSearchTest
{
    private static final int SEGMENT_LENGTH = 64 * 1024;
    private static final int SEGMENTS = 3;

    @TempDir
    Path temp;

    @ParameterizedTest
    @EnumSource(Backend.class)
    void saltIsFoundByTheFirstFrames(final Backend backend) throws IOException
    {
        writeSegments(backend);
        for (int ordinal = 0; ordinal < SEGMENTS; ordinal++)
        {
            final String name = String.format("%020d.journal", ordinal);
            final long salt = ByteBuffer.wrap(Files.readAllBytes(temp.resolve(name)))
                .order(ByteOrder.LITTLE_ENDIAN).getLong(64);
            // The search tries all values of what the mixing drops: here, those of two blocks of 65,536.
            final int block = dropped(salt, SegmentHeader.LENGTH, -FrameHeader.MARK_LENGTH) >>> 16;
            try (SegmentFile file = backend.store(temp).open(name, SegmentStore.Access.READ))
            {
                final SaltSearch search = SaltSearch.of(file, SEGMENT_LENGTH);
                // Too few frames in the last segment to decide.
                assertEquals(ordinal < SEGMENTS - 1 ? salt : null, search.find(block, block + 1));
                assertNull(search.find(block ^ 1, (block ^ 1) + 1));
            }
        }
    }

    /** Segments of which the last one holds a watermark frame and one record. */
    private void writeSegments(final Backend backend)
    {
        try (Journal journal = Journal.builder(temp).backend(backend).segmentLength(SEGMENT_LENGTH).open())
        {
            for (int segment = 1; segment < SEGMENTS; segment++)
            {
                for (int i = 0; i < 10; i++)
                {
                    journal.appender().append(new byte[3000]);
                }
                journal.roll();
            }
        }
    }

    private static int dropped(final long salt, final int offset, final int storedLength)
    {
        final long mix = 0xD6E8_FEB8_6659_FD93L;
        long h = salt ^ (((long)offset << 32) | (storedLength & 0xFFFF_FFFFL));
        h = (h ^ (h >>> 32)) * mix;
        return (int)(((h ^ (h >>> 32)) * mix) >>> 32);
    }
}
