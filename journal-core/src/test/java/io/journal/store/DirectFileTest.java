// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.journal.store.SegmentStore.Access;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Files that are appended to past the page cache hold what was written, and nothing else changes. */
@Tag("slow")
class DirectFileTest
{
    private static final int LENGTH = 512 * 1024;

    @TempDir
    private Path directory;

    private SegmentStore store() throws IOException
    {
        final SegmentStore store = Backend.DIRECT.store(directory);
        StoreTest.assumeFileSystem(store);
        return store;
    }

    /** Creates a file that holds something already, as recycled ones do. */
    private byte[] createUsed(final SegmentStore store, final String name, final int length) throws IOException
    {
        final byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        try (SegmentFile file = store.create(name, length))
        {
            file.write(0, ByteBuffer.wrap(bytes));
            file.force(0, length);
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = { LENGTH, LENGTH + 1, LENGTH - 1, 4096, 4095, 100 })
    void writesChangeTheirOwnBytesOnly(final int length) throws IOException
    {
        final SegmentStore store = store();
        final byte[] expected = createUsed(store, "file", length);
        final Random random = new Random(1);
        try (SegmentFile file = store.open("file", Access.APPEND); SegmentFile read = store.open("file", Access.READ))
        {
            for (int i = 0; i < 300; i++)
            {
                final int offset = random.nextInt(length);
                final int most = random.nextInt(10) == 0 ? length : 10_000;
                write(file, offset, Math.min(random.nextInt(most), length - offset), expected, random);
                assertArrayEquals(expected, content(0 == i % 2 ? file : read));
            }
            file.force(0, length);
            assertEquals(ByteBuffer.wrap(expected), read.map());
        }
        assertArrayEquals(expected, Files.readAllBytes(directory.resolve("file")));
    }

    @ParameterizedTest
    @ValueSource(ints = { 40, 296, 4096, 5000, 70_000, 300_000 })
    void recordsThatFollowOneAnotherAreAllThere(final int length) throws IOException
    {
        final SegmentStore store = store();
        final byte[] expected = createUsed(store, "file", LENGTH);
        final Random random = new Random(2);
        try (SegmentFile file = store.open("file", Access.APPEND))
        {
            int offset = 4096;
            while (offset < LENGTH)
            {
                // Behind each record a zero that the next one overwrites.
                final int to = Math.min(LENGTH, offset + length + 8);
                write(file, offset, to - offset, expected, random);
                offset += length;
            }
        }
        assertArrayEquals(expected, Files.readAllBytes(directory.resolve("file")));
    }

    @Test
    void filesOfOneStoreTakeTurns() throws IOException
    {
        final SegmentStore store = store();
        final byte[] first = createUsed(store, "first", LENGTH);
        final byte[] second = createUsed(store, "second", LENGTH - 4096);
        final Random random = new Random(3);
        try (SegmentFile a = store.open("first", Access.APPEND); SegmentFile b = store.open("second", Access.APPEND))
        {
            for (int i = 0; i < 200; i++)
            {
                write(a, 1000 + i * 296, 300, first, random);
                write(b, 2000 + i * 500, 508, second, random);
            }
        }
        assertArrayEquals(first, Files.readAllBytes(directory.resolve("first")));
        assertArrayEquals(second, Files.readAllBytes(directory.resolve("second")));
    }

    @Test
    void writeAfterTheFileWasExtendedKeepsWhatIsThere() throws IOException
    {
        final SegmentStore store = store();
        final byte[] bytes = Arrays.copyOf(createUsed(store, "file", 10_000), 20_000);
        final Random random = new Random(4);
        try (SegmentFile file = store.open("file", Access.APPEND))
        {
            write(file, 100, 50, bytes, random);
            write(file, 8000, 12_000, bytes, random);
            write(file, 200, 50, bytes, random);
            write(file, 9990, 20, bytes, random);
            assertEquals(20_000, file.length());
        }
        assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("file")));
    }

    @Test
    void readersSeeEachRecordOnceItIsWritten() throws Exception
    {
        final int recordLength = 40;
        final int count = LENGTH / recordLength;
        final SegmentStore store = store();
        createUsed(store, "file", LENGTH);
        final AtomicInteger written = new AtomicInteger();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (SegmentFile file = store.open("file", Access.APPEND);
            SegmentFile read = Backend.FILE_CHANNEL.store(directory).open("file", Access.READ))
        {
            final ByteBuffer mapped = read.map();
            final Thread reader = new Thread(() -> follow(read, mapped, written, count, recordLength, failure));
            reader.start();
            final ByteBuffer record = ByteBuffer.allocate(recordLength);
            for (int i = 0; i < count && null == failure.get(); i++)
            {
                for (int at = 0; at < recordLength; at += Integer.BYTES)
                {
                    record.putInt(at, Integer.reverseBytes(i));
                }
                file.write((long)i * recordLength, record.clear());
                written.setRelease(i + 1);
            }
            reader.join();
        }
        assertNull(failure.get());
    }

    // Reads the newest records again and again, around a block's end more often than not.
    private static void follow(
        final SegmentFile read,
        final ByteBuffer mapped,
        final AtomicInteger written,
        final int count,
        final int recordLength,
        final AtomicReference<Throwable> failure)
    {
        try
        {
            final ByteBuffer target = ByteBuffer.allocate(10 * recordLength);
            int seen = 0;
            while (seen < count)
            {
                seen = written.getAcquire();
                final int from = Math.max(0, seen - 10);
                read.read((long)from * recordLength, target.clear().limit((seen - from) * recordLength));
                for (int at = 0; at < target.limit(); at += Integer.BYTES)
                {
                    final int expected = from + at / recordLength;
                    assertEquals(expected, Integer.reverseBytes(target.getInt(at)));
                    assertEquals(expected, mapped.getInt(from * recordLength + at));
                }
            }
        }
        catch (final Throwable ex)
        {
            failure.set(ex);
        }
    }

    @Test
    void interruptedWriteIsCompleted() throws IOException
    {
        final SegmentStore store = store();
        final byte[] expected = createUsed(store, "file", LENGTH);
        final Random random = new Random(5);
        try (SegmentFile file = store.open("file", Access.APPEND))
        {
            for (int i = 0; i < 20; i++)
            {
                Thread.currentThread().interrupt();
                write(file, 1000 + i * 5000, 5000, expected, random);
                assertTrue(Thread.interrupted());
            }
            file.force(0, LENGTH);
        }
        assertArrayEquals(expected, Files.readAllBytes(directory.resolve("file")));
    }

    @Test
    void fileThatWasTruncatedMeanwhileIsNotForced() throws IOException
    {
        final SegmentStore store = store();
        createUsed(store, "file", LENGTH);
        try (SegmentFile file = store.open("file", Access.APPEND); SegmentFile other = store.open("file", Access.WRITE))
        {
            file.write(100, ByteBuffer.allocate(100));
            try (SeekableByteChannel channel = Files.newByteChannel(
                directory.resolve("file"), StandardOpenOption.WRITE))
            {
                channel.truncate(4096);
            }
            assertThrows(IOException.class, () -> file.force(100, 200));
            assertEquals(4096, other.length());
        }
    }

    @Test
    void fileThatIsAppendedToIsNotMapped() throws IOException
    {
        final SegmentStore store = store();
        createUsed(store, "file", LENGTH);
        try (SegmentFile file = store.open("file", Access.APPEND))
        {
            assertThrows(UnsupportedOperationException.class, file::map);
        }
    }

    @Test
    void checkLeavesNothing() throws IOException
    {
        final Path absent = directory.resolve("a").resolve("b");
        final SegmentStore store = Backend.DIRECT.store(absent);
        StoreTest.assumeFileSystem(store);
        StoreTest.assumeFileSystem(store());

        try (Stream<Path> entries = Files.list(directory))
        {
            assertEquals(List.of(), entries.toList());
        }
    }

    @Test
    void fileSystemWithoutDirectIoIsRefusedByName() throws IOException
    {
        final Path zip = directory.resolve("a.zip");
        try (FileSystem fileSystem = FileSystems.newFileSystem(zip, Map.of("create", "true")))
        {
            final SegmentStore store = Backend.DIRECT.store(fileSystem.getPath("/journal"));

            final UnsupportedFileSystemException ex =
                assertThrows(UnsupportedFileSystemException.class, store::checkFileSystem);

            assertTrue(ex.getMessage().contains("fileSystem=zipfs"), ex::toString);
            assertTrue(ex.getMessage().contains("path=/journal"), ex::toString);
            assertFalse(Files.exists(fileSystem.getPath("/journal")));
        }
    }

    @Test
    void otherOperatingSystemsAreRefused() throws IOException
    {
        final String name = System.getProperty("os.name");
        System.setProperty("os.name", "Plan 9");
        try
        {
            final UnsupportedFileSystemException ex = assertThrows(
                UnsupportedFileSystemException.class, Backend.DIRECT.store(directory)::checkFileSystem);

            assertTrue(ex.getMessage().contains("only on Linux"), ex::toString);
        }
        finally
        {
            System.setProperty("os.name", name);
        }
    }

    private static void write(
        final SegmentFile file, final int offset, final int length, final byte[] expected, final Random random)
        throws IOException
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, expected, offset, length);
        final ByteBuffer source =
            random.nextBoolean() ? ByteBuffer.allocateDirect(length + 10) : ByteBuffer.allocate(length + 10);
        source.position(5).put(bytes).flip().position(5);
        file.write(offset, source);
        assertEquals(source.limit(), source.position());
    }

    private static byte[] content(final SegmentFile file) throws IOException
    {
        final byte[] bytes = new byte[(int)file.length()];
        file.read(0, ByteBuffer.wrap(bytes));
        return bytes;
    }
}
