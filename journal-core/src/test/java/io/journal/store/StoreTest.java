// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.journal.store.SegmentStore.Access;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class StoreTest
{
    private static final int LENGTH = 100_000;

    @TempDir
    private Path parent;

    private Path directory()
    {
        return parent.resolve("store");
    }

    private SegmentStore store(final Backend backend) throws IOException
    {
        final SegmentStore store = backend.store(directory());
        assumeFileSystem(store);
        store.makeDirectory();
        return store;
    }

    static void assumeFileSystem(final SegmentStore store) throws IOException
    {
        try
        {
            store.checkFileSystem();
        }
        catch (final SegmentStore.UnsupportedFileSystemException ex)
        {
            assumeTrue(false, ex.getMessage());
        }
    }

    static Stream<Arguments> backendsAndAccess()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Arrays.stream(Access.values()).map((access) -> Arguments.of(backend, access)));
    }

    static Stream<Arguments> writersAndReaders()
    {
        return Arrays.stream(Backend.values())
            .flatMap((writer) -> Arrays.stream(Backend.values()).map((reader) -> Arguments.of(writer, reader)));
    }

    // The directory.

    @ParameterizedTest
    @EnumSource(Backend.class)
    void storeOfADirectoryCreatesNothing(final Backend backend) throws IOException
    {
        final SegmentStore store = backend.store(directory());
        assertEquals(List.of(), store.list());
        assertFalse(Files.exists(directory()));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void directoryIsCreatedForItsOwnerOnly(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        assertTrue(Files.isDirectory(directory()));
        store.makeDirectory();

        assumeTrue(knowsPermissions(), "no permissions here");
        assertEquals("rwx------", permissions(directory()));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void missingParentIsNotCreated(final Backend backend)
    {
        final Path missing = parent.resolve("missing");
        assertThrows(NoSuchFileException.class, () -> backend.store(missing.resolve("store")).makeDirectory());
        assertFalse(Files.exists(missing));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void existingDirectoryKeepsItsPermissions(final Backend backend) throws IOException
    {
        assumeTrue(knowsPermissions(), "no permissions here");
        Files.createDirectories(directory());
        Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxr-x---"));

        store(backend);

        assertEquals("rwxr-x---", permissions(directory()));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void childIsADirectoryOfItsOwn(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        final SegmentStore child = store.child("child");
        child.create("file", 10).close();
        store.child("child");

        assertEquals(List.of("child"), store.list());
        assertEquals(List.of("file"), child.list());
        assertEquals(10, Files.size(directory().resolve("child").resolve("file")));
        assumeTrue(knowsPermissions(), "no permissions here");
        assertEquals("rwx------", permissions(directory().resolve("child")));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void fileInPlaceOfAChildIsReported(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        store.create("child", 10).close();

        assertThrows(FileAlreadyExistsException.class, () -> store.child("child"));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void listNamesEveryEntry(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        store.create("b", 1).close();
        store.create("a", 0).close();
        Files.createDirectory(directory().resolve("c"));
        Files.createSymbolicLink(directory().resolve("d"), directory().resolve("nowhere"));

        assertEquals(new TreeSet<>(List.of("a", "b", "c", "d")), new TreeSet<>(store.list()));
        assertEquals(4, store.list().size());
        store.force();
    }

    // Creating, renaming, deleting.

    @ParameterizedTest
    @EnumSource(Backend.class)
    void createdFileIsFullOfZerosAndItsOwnersOnly(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        for (final int length : new int[]{ 0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, LENGTH })
        {
            final String name = "file" + length;
            try (SegmentFile file = store.create(name, length))
            {
                assertEquals(length, file.length());
                assertArrayEquals(new byte[length], Files.readAllBytes(directory().resolve(name)));
                file.force(0, length);
            }
            if (knowsPermissions())
            {
                assertEquals("rw-------", permissions(directory().resolve(name)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void existingFileIsNotCreatedAgain(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        Files.writeString(directory().resolve("file"), "old");
        Files.createDirectory(directory().resolve("directory"));
        Files.createSymbolicLink(directory().resolve("link"), directory().resolve("nowhere"));

        for (final String name : List.of("file", "directory", "link"))
        {
            assertThrows(FileAlreadyExistsException.class, () -> store.create(name, 10));
            // Also where there is no space for it.
            assertThrows(FileAlreadyExistsException.class, () -> store.create(name, Long.MAX_VALUE));
        }
        assertEquals("old", Files.readString(directory().resolve("file")));
        assertFalse(Files.exists(directory().resolve("nowhere")));
        assertEquals(3, store.list().size());
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void renamedFileHasItsNewNameOnly(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        try (SegmentFile file = store.create("from", 10))
        {
            store.rename("from", "to");
            store.force();
            file.write(0, ByteBuffer.wrap(new byte[]{ 1, 2, 3 }));
            assertEquals(List.of("to"), store.list());
        }
        assertArrayEquals(
            new byte[]{ 1, 2, 3, 0, 0, 0, 0, 0, 0, 0 }, Files.readAllBytes(directory().resolve("to")));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void renameDoesNotReplaceAnExistingFile(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        Files.writeString(directory().resolve("from"), "from");
        Files.writeString(directory().resolve("file"), "file");
        Files.createDirectory(directory().resolve("directory"));
        Files.createSymbolicLink(directory().resolve("link"), directory().resolve("nowhere"));

        for (final String name : List.of("file", "directory", "link", "from"))
        {
            assertThrows(IOException.class, () -> store.rename("from", name));
        }

        assertEquals("from", Files.readString(directory().resolve("from")));
        assertEquals("file", Files.readString(directory().resolve("file")));
        assertTrue(Files.isSymbolicLink(directory().resolve("link")));
        assertThrows(IOException.class, () -> store.rename("absent", "free"));
        assertEquals(4, store.list().size());
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void deleteRemovesAFileAndAcceptsAnAbsentOne(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        store.create("file", 10).close();
        store.delete("file");
        store.delete("file");
        store.delete("never");
        store.force();

        assertEquals(List.of(), store.list());
    }

    // Opening.

    @ParameterizedTest
    @MethodSource("backendsAndAccess")
    void absentFileIsNotOpened(final Backend backend, final Access access) throws IOException
    {
        final SegmentStore store = store(backend);
        assertThrows(NoSuchFileException.class, () -> store.open("absent", access));
        assertEquals(List.of(), store.list());
    }

    @ParameterizedTest
    @MethodSource("backendsAndAccess")
    void directoryIsNotOpened(final Backend backend, final Access access) throws IOException
    {
        final SegmentStore store = store(backend);
        Files.createDirectory(directory().resolve("directory"));
        final IOException ex = assertThrows(IOException.class, () -> store.open("directory", access));
        assertFalse(ex instanceof NoSuchFileException, ex::toString);
    }

    @ParameterizedTest
    @MethodSource("backendsAndAccess")
    void linkIsNotFollowed(final Backend backend, final Access access) throws IOException
    {
        final SegmentStore store = store(backend);
        store.create("file", 10).close();
        Files.createSymbolicLink(directory().resolve("link"), directory().resolve("file"));
        Files.createSymbolicLink(directory().resolve("dangling"), directory().resolve("nowhere"));

        assertThrows(IOException.class, () -> store.open("link", access));
        assertThrows(IOException.class, () -> store.open("dangling", access));
        assertFalse(Files.exists(directory().resolve("nowhere")));
    }

    @ParameterizedTest
    @MethodSource("backendsAndAccess")
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void pipeIsRejectedWithoutBlocking(final Backend backend, final Access access)
        throws IOException, InterruptedException
    {
        final SegmentStore store = store(backend);
        final Path pipe = directory().resolve("pipe");
        assumeTrue(makePipe(pipe), "no mkfifo here");

        assertThrows(IOException.class, () -> store.open("pipe", access));
    }

    private static boolean makePipe(final Path path) throws InterruptedException
    {
        try
        {
            final Process process = new ProcessBuilder("mkfifo", path.toString()).start();
            return 0 == process.waitFor();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void fileOpenForReadingIsNotChanged(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        store.create("file", LENGTH).close();
        try (SegmentFile file = store.open("file", Access.READ))
        {
            assertThrows(Exception.class, () -> file.write(0, ByteBuffer.wrap(new byte[]{ 1 })));
            assertTrue(file.map().isReadOnly());
        }
        assertArrayEquals(new byte[LENGTH], Files.readAllBytes(directory().resolve("file")));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void fileMayBeClosedTwice(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        final SegmentFile file = store.create("file", LENGTH);
        file.map();
        file.close();
        file.close();

        assertThrows(Exception.class, () -> file.read(0, ByteBuffer.allocate(1)));
        assertThrows(Exception.class, () -> file.write(0, ByteBuffer.allocate(1)));
    }

    // Reading and writing.

    @ParameterizedTest
    @MethodSource("writersAndReaders")
    void everyBackendReadsWhatAnotherWrote(final Backend writer, final Backend reader) throws IOException
    {
        final Random random = new Random(5);
        final byte[] expected = new byte[LENGTH];
        final SegmentStore store = store(writer);
        try (SegmentFile written = store.create("file", LENGTH);
            SegmentFile read = reader.store(directory()).open("file", Access.READ))
        {
            for (int i = 0; i < 200; i++)
            {
                final int offset = random.nextInt(LENGTH);
                final int length = random.nextInt(Math.min(20_000, LENGTH - offset) + 1);
                random.nextBytes(expected);
                final byte[] bytes = Arrays.copyOfRange(expected, offset, offset + length);
                written.write(offset, buffer(i, bytes));

                final ByteBuffer target = buffer(i + 1, new byte[length]);
                final ByteBuffer copy = target.duplicate();
                read.read(offset, target);
                assertEquals(target.limit(), target.position());
                assertEquals(ByteBuffer.wrap(bytes), copy);
                assertEquals(ByteBuffer.wrap(bytes), read.map().slice(offset, length));
            }
        }
    }

    // Of each kind, in the middle of something larger.
    private static ByteBuffer buffer(final int kind, final byte[] bytes)
    {
        final ByteBuffer whole = 0 == kind % 2 ?
            ByteBuffer.allocate(bytes.length + 20) : ByteBuffer.allocateDirect(bytes.length + 20);
        final ByteBuffer part = 0 == kind % 3 ? whole.slice(5, bytes.length + 10) : whole;
        final int start = 0 == kind % 5 ? 0 : 7;
        part.position(start).put(bytes).limit(start + bytes.length).position(start);
        return part;
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void readingChangesNothingOutsideTheTargetsRange(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        try (SegmentFile file = store.create("file", LENGTH))
        {
            for (final ByteBuffer target : List.of(ByteBuffer.allocate(100), ByteBuffer.allocateDirect(100)))
            {
                for (int i = 0; i < 100; i++)
                {
                    target.put(i, (byte)1);
                }
                file.read(10, target.limit(60).position(40));
                for (int i = 0; i < 100; i++)
                {
                    assertEquals(i >= 40 && i < 60 ? 0 : 1, target.limit(100).get(i), "index=" + i);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void writeAcceptsReadOnlyBuffersAndAdvancesTheirPosition(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        try (SegmentFile file = store.create("file", LENGTH))
        {
            final ByteBuffer source = ByteBuffer.wrap(new byte[]{ 1, 2, 3, 4 }).asReadOnlyBuffer().position(1);
            file.write(5, source);
            assertEquals(4, source.position());
            assertEquals(4, source.limit());

            final ByteBuffer target = ByteBuffer.allocate(5);
            file.read(4, target);
            assertArrayEquals(new byte[]{ 0, 2, 3, 4, 0 }, target.array());
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndAccess")
    void readBeyondTheEndReportsFileAndOffset(final Backend backend, final Access access) throws IOException
    {
        final SegmentStore store = store(backend);
        store.create("file", 1000).close();
        try (SegmentFile file = store.open("file", access))
        {
            for (final long offset : new long[]{ 1000, 2000, 999, 990, Integer.MAX_VALUE + 1000L })
            {
                for (final ByteBuffer target : List.of(ByteBuffer.allocate(100), ByteBuffer.allocateDirect(100)))
                {
                    final EOFException ex = assertThrows(EOFException.class, () -> file.read(offset, target));
                    assertTrue(ex.getMessage().contains(directory().resolve("file").toString()), ex.getMessage());
                }
            }
            file.read(900, ByteBuffer.allocate(100));
            file.read(1000, ByteBuffer.allocate(0));
        }
    }

    @ParameterizedTest
    @MethodSource("backendsAndAccess")
    void truncatedFileReportsItsNewLength(final Backend backend, final Access access) throws IOException
    {
        final SegmentStore store = store(backend);
        store.create("file", 1000).close();
        try (SegmentFile file = store.open("file", access))
        {
            cut("file", 500);
            assertEquals(500, file.length());
            assertThrows(EOFException.class, () -> file.read(450, ByteBuffer.allocate(100)));
            file.read(400, ByteBuffer.allocate(100));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void forceFailsIfTheFileWasTruncated(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        for (final boolean isMapped : new boolean[]{ false, true })
        {
            try (SegmentFile file = store.create("file" + isMapped, LENGTH))
            {
                if (isMapped)
                {
                    file.map();
                }
                file.write(0, ByteBuffer.wrap(new byte[]{ 1 }));
                file.force(0, LENGTH);

                cut("file" + isMapped, 5000);
                final IOException ex = assertThrows(IOException.class, () -> file.force(0, LENGTH));
                assertTrue(ex.getMessage().contains("file" + isMapped), ex.getMessage());
                file.force(0, 5000);
            }
        }
    }

    private void cut(final String name, final long length) throws IOException
    {
        try (FileChannel channel = FileChannel.open(directory().resolve(name), StandardOpenOption.WRITE))
        {
            channel.truncate(length);
        }
    }

    // Shared memory.

    @ParameterizedTest
    @EnumSource(Backend.class)
    void mapIsTheFile(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        try (SegmentFile file = store.create("file", LENGTH))
        {
            final ByteBuffer map = file.map();
            assertSame(map, file.map());
            assertEquals(LENGTH, map.capacity());
            assertSame(ByteOrder.LITTLE_ENDIAN, map.order());

            map.putInt(99_996, 0x04030201);
            file.write(0, ByteBuffer.wrap(new byte[]{ 5 }));
            file.force(0, LENGTH);

            final ByteBuffer target = ByteBuffer.allocate(4);
            file.read(99_996, target);
            assertArrayEquals(new byte[]{ 1, 2, 3, 4 }, target.array());
            assertEquals(5, map.get(0));
        }
        final byte[] bytes = Files.readAllBytes(directory().resolve("file"));
        assertEquals(5, bytes[0]);
        assertEquals(4, bytes[99_999]);
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void warmingChangesNoByte(final Backend backend) throws IOException
    {
        final SegmentStore store = store(backend);
        final byte[] bytes = new byte[LENGTH];
        new Random(3).nextBytes(bytes);
        try (SegmentFile file = store.create("file", LENGTH))
        {
            file.write(0, ByteBuffer.wrap(bytes));
            file.map();
            file.warm(0, (int)file.length());
            file.warm(0, (int)file.length());
        }
        assertArrayEquals(bytes, Files.readAllBytes(directory().resolve("file")));
    }

    @ParameterizedTest
    @EnumSource(value = Backend.class, names = "DIRECT", mode = EnumSource.Mode.EXCLUDE)
    void warmingEndsWhenTheFileIsReleasedAndClosed(final Backend backend) throws Exception
    {
        final int length = 4 * 1024 * 1024;
        final SegmentStore store = store(backend);
        store.create("file", length).close();
        final Random random = new Random(7);
        for (int i = 0; i < 300; i++)
        {
            final SegmentFile file = store.open("file", Access.APPEND);
            file.map();
            final CountDownLatch started = new CountDownLatch(1);
            final CompletableFuture<Void> warming = CompletableFuture.runAsync(() ->
            {
                started.countDown();
                assertDoesNotThrow(() -> file.warm(0, length));
            });
            started.await();
            final long endNs = System.nanoTime() + random.nextInt(500_000);
            while (System.nanoTime() - endNs < 0)
            {
                Thread.onSpinWait();
            }
            // Memory that is touched after this crashes the JVM.
            file.release();
            file.close();
            warming.get(10, TimeUnit.MINUTES);
        }
    }

    // Interrupts.

    @ParameterizedTest
    @EnumSource(Backend.class)
    void interruptDoesNotEndAnOperation(final Backend backend) throws Exception
    {
        final SegmentStore store = store(backend);
        final byte[] bytes = new byte[LENGTH];
        new Random(3).nextBytes(bytes);
        interrupted(() ->
        {
            try (SegmentFile file = store.create("spare", LENGTH))
            {
                for (int i = 0; i < 3; i++)
                {
                    file.write(0, ByteBuffer.wrap(bytes));
                    file.force(0, LENGTH);
                    assertEquals(LENGTH, file.length());
                    final ByteBuffer target = ByteBuffer.allocateDirect(LENGTH);
                    file.read(0, target);
                    assertEquals(ByteBuffer.wrap(bytes), target.flip());
                    assertEquals(ByteBuffer.wrap(bytes), file.map());
                    file.force(0, LENGTH);
                    assertThrows(EOFException.class, () -> file.read(LENGTH, ByteBuffer.allocate(1)));
                }
            }
            store.rename("spare", "file");
            store.force();
            try (SegmentFile file = store.open("file", Access.READ))
            {
                assertEquals(LENGTH, file.length());
                assertEquals(ByteBuffer.wrap(bytes), file.map());
            }
            store.child("child").create("file", 10).close();
            assertEquals(2, store.list().size());
            store.delete("file");
            store.force();
        });
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void replacedFileIsNotReopenedAfterAnInterrupt(final Backend backend) throws Exception
    {
        final SegmentStore store = store(backend);
        Files.writeString(directory().resolve("other"), "B".repeat(1000));
        try (SegmentFile file = store.create("file", 1000))
        {
            Files.move(
                directory().resolve("other"), directory().resolve("file"), StandardCopyOption.REPLACE_EXISTING);
            interrupted(() ->
            {
                final ByteBuffer target = ByteBuffer.allocate(1000);
                try
                {
                    file.read(0, target);
                    assertArrayEquals(new byte[1000], target.array());
                }
                catch (final IOException ex)
                {
                    assertTrue(ex.getMessage().contains("replaced"), ex.getMessage());
                }
                try
                {
                    file.write(0, ByteBuffer.wrap(new byte[1000]));
                }
                catch (final IOException ex)
                {
                    assertTrue(ex.getMessage().contains("replaced"), ex.getMessage());
                }
            });
        }
        assertEquals("B".repeat(1000), Files.readString(directory().resolve("file")));
    }

    private static void interrupted(final Executable task) throws InterruptedException
    {
        final Throwable[] failure = new Throwable[1];
        final Thread thread = new Thread(() ->
        {
            try
            {
                Thread.currentThread().interrupt();
                task.execute();
                assertTrue(Thread.currentThread().isInterrupted());
            }
            catch (final Throwable ex)
            {
                failure[0] = ex;
            }
        });
        thread.start();
        thread.join();
        if (null != failure[0])
        {
            throw new AssertionError(failure[0]);
        }
    }

    private boolean knowsPermissions()
    {
        return parent.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static String permissions(final Path path) throws IOException
    {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void changesThroughReleasedMemoryAreForcedAndSeenWhenMappedAgain(final Backend backend) throws IOException
    {
        final int length = 64 * 1024;
        try (SegmentFile file = store(backend).create("file", length))
        {
            file.release();
            file.map().putLong(4096, 42);
            file.release();
            file.release();
            file.force(0, length);

            final ByteBuffer read = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            file.read(4096, read);
            assertEquals(42, read.getLong(0));
            assertEquals(42, file.map().getLong(4096));
        }
    }
}
