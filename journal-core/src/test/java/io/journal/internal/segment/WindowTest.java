// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WindowTest
{
    private static final int LENGTH = 100_000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(Backend.class)
    void readsAndChangesTheRangeThatItCovers(final Backend backend) throws IOException
    {
        final SegmentStore store = backend.store(directory);
        final byte[] expected = new byte[LENGTH];
        final Random random = new Random(9);
        random.nextBytes(expected);
        try (SegmentFile file = store.create("file", LENGTH))
        {
            file.write(0, ByteBuffer.wrap(expected));
            for (final Window window : List.of(
                Window.of(store, 4096), Window.copying(4096), Window.copying(store, 4096)))
            {
                window.attach(file);
                for (int i = 0; i < 200; i++)
                {
                    final int offset = 8 * random.nextInt(LENGTH / 8 - 2);
                    final int length = 16 + random.nextInt(Math.min(9000, LENGTH - offset - 16) + 1);
                    window.move(offset, length);
                    assertTrue(window.offset() <= offset);
                    assertTrue(window.end() >= offset + length && window.end() <= LENGTH);
                    assertSame(ByteOrder.LITTLE_ENDIAN, window.buffer().order());

                    window.load(offset, offset + length);
                    final int index = offset - window.offset();
                    assertEquals(
                        ByteBuffer.wrap(expected, offset, length), window.buffer().slice(index, length));

                    final long value = random.nextLong();
                    window.buffer().putLong(index, value);
                    window.store(offset, offset + 16);
                    ByteBuffer.wrap(expected).order(ByteOrder.LITTLE_ENDIAN).putLong(offset, value);
                }
                window.detach();
            }
            file.force(0, LENGTH);
        }
        assertArrayEquals(expected, Files.readAllBytes(directory.resolve("file")));
    }

    /** What was verified must not change any more. */
    @ParameterizedTest
    @EnumSource(Backend.class)
    void memoryIsNeverThatOfTheFile(final Backend backend) throws IOException
    {
        final SegmentStore store = backend.store(directory);
        final Window window = Window.of(store, 4096);
        assertEquals(SegmentStore.Memory.MAPPED == store.memory(), window.isMapped());
        assertFalse(Window.copying(1).isMapped());
        try (SegmentFile file = store.create("file", LENGTH))
        {
            for (final boolean isMapped : new boolean[]{ false, true })
            {
                window.attach(file, isMapped);
                window.move(50_000, 8);
                window.load(50_000, 50_008);
                final long before = window.buffer().getLong(50_000 - window.offset());
                window.buffer().putLong(50_000 - window.offset(), before - 1);
                final ByteBuffer target = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
                file.read(50_000, target);
                assertEquals(before, target.getLong(0));

                window.store(50_000, 50_008);
                file.read(50_000, target.clear());
                assertEquals(before - 1, target.getLong(0));
                window.detach();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void memoryThatALongRangeNeededIsReleased(final Backend backend) throws IOException
    {
        final SegmentStore store = backend.store(directory);
        try (SegmentFile file = store.create("file", LENGTH))
        {
            for (final Window window : List.of(
                Window.of(store, 4096), Window.copying(4096), Window.copying(store, 4096)))
            {
                final int before = window.ownLength();
                window.attach(file);
                window.move(1000, 50_000);
                window.detach();
                assertTrue(window.ownLength() >= 50_000);

                window.shrink();
                assertEquals(before, window.ownLength());
                window.attach(file);
                window.move(90_000, 8);
                window.load(90_000, 90_008);
                assertEquals(0, window.buffer().getLong(90_000 - window.offset()));
                window.detach();
            }
        }
    }
}
