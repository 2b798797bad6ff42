// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;
import java.nio.file.Path;

import io.journal.internal.format.Block;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SegmentTest
{
    private static final int LENGTH = 64 * 1024;

    @Test
    void segmentThatItsLastUserHasClosedIsNotUsedAgain(@TempDir final Path temp) throws IOException
    {
        final Segment segment = Segment.of(
            Backend.FILE_CHANNEL.store(temp).create("segment", LENGTH), Block.allocate(1), 0, LENGTH);
        assertTrue(segment.retain());
        segment.close();
        assertTrue(segment.retain());
        segment.close();

        segment.close();
        assertFalse(segment.retain());
        assertFalse(segment.retain());
    }
}
