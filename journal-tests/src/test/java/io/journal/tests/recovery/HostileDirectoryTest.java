// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.Backend;
import io.journal.tests.format.FormatOracle;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.UsableBackends;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalVerifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Directories prepared so that opening them would hang, exhaust memory, or mistake other files for a journal's. */
@Timeout(value = 900, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileDirectoryTest extends RecoveryFixture
{
    private static final int JUNK = 5_000;
    private static final int GIB = 1024 * 1024 * 1024;

    /** Something else in the place of a file. */
    private enum Thing
    {
        FIFO((path) -> run("mkfifo", path.toString())),
        SOCKET((path) ->
        {
            // Closing does not take the name away.
            try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX))
            {
                channel.bind(UnixDomainSocketAddress.of(path));
            }
        }),

        /** An endless file: reading all of it never returns. */
        DEVICE((path) -> run("mknod", path.toString(), "c", "1", "5")),
        DIRECTORY((path) -> Files.createDirectory(path)),
        LINK((path) -> Files.createSymbolicLink(path, Path.of("/dev/zero")));

        final ThrowingConsumer<Path> making;

        Thing(final ThrowingConsumer<Path> making)
        {
            this.making = making;
        }

        private static void run(final String... command) throws IOException
        {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try
            {
                final String output = new String(process.getInputStream().readAllBytes());
                assumeTrue(0 == process.waitFor(), () -> String.join(" ", command) + ": " + output);
            }
            catch (final InterruptedException ex)
            {
                throw new AssertionError(ex);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Thing.class)
    void nonRegularFileIsRejectedOrIgnored(final Thing thing) throws Throwable
    {
        for (final Backend backend : UsableBackends.in(temp))
        {
            crashWithCursor(backend);
            final Map<String, byte[]> image = crashed.content();
            for (final String name : List.of(CONTROL, "journal.lock", segmentName(0), segmentName(1)))
            {
                replace(name, thing, image);
                final JournalException ex = assertThrows(JournalException.class, () ->
                {
                    try (Journal journal = open(crashed, backend))
                    {
                        readAll(journal);
                    }
                }, () -> backend + " " + name);
                assertTrue(ex.getMessage().contains(name), ex::getMessage);
                assertTyped(name);
                Files.delete(crashed.file(name));
            }
            final String spare = "spare-00000000000000000007";
            replace(spare, thing, image);
            assertTyped(spare);
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertEquals(3, journal.cursor("a").sequence());
            }
            Files.deleteIfExists(crashed.file(spare));
        }
    }

    private void assertTyped(final String name)
    {
        assertTyped(name, () -> JournalRepair.rebuildable(crashed.path));
        assertTyped(name, () -> JournalRepair.open(crashed.path).close());
        assertTyped(name, () -> JournalVerifier.verify(crashed.path));
        assertTyped(name, () ->
        {
            try (ReadOnlyJournal followed = Journal.openReadOnly(crashed.path);
                JournalReader reader = followed.openReader())
            {
                followed.cursors();
                reader.poll((buffer, offset, length, header) -> assertTrue(length > 0), 1000);
            }
        });
    }

    private static void assertTyped(final String name, final Executable executable)
    {
        try
        {
            executable.execute();
        }
        catch (final JournalException ex)
        {
            assertTrue(null != ex.getMessage(), name);
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(name, ex);
        }
    }

    private void replace(final String name, final Thing thing, final Map<String, byte[]> image) throws Throwable
    {
        crashed.restore(image);
        final Path path = crashed.file(name);
        Files.deleteIfExists(path);
        thing.making.accept(path);
    }

    private boolean isThere(final String name)
    {
        return Files.exists(crashed.file(name), LinkOption.NOFOLLOW_LINKS);
    }

    @Tag("slow")
    @Test
    void unrelatedNamesAreIgnored() throws IOException
    {
        crashWithCursor(Backend.MAPPED);
        for (int i = 0; i < JUNK; i++)
        {
            Files.createFile(crashed.file(i % 2 == 0 ? i + ".junk" : String.format("%020d.JOURNAL", i)));
        }
        for (final String name : List.of(
            segmentName(9) + " ", segmentName(9).toUpperCase(), " " + CONTROL, CONTROL + " ", "JOURNAL.CONTROL",
            "Journal.lock",
            "Spare-1"))
        {
            Files.writeString(crashed.file(name), name);
        }

        for (final Backend backend : UsableBackends.in(temp))
        {
            try (Journal journal = open(crashed, backend))
            {
                model.appendInto(journal, crashed.newestUsed() + 1, 5000);
                journal.force();
                model.assertHolds(journal);
            }
        }
        assertTyped("junk");
        assertEquals(List.of(), JournalVerifier.open(crashed.path).info().strayFiles());
        assertTrue(isThere(segmentName(9) + " ") && isThere(JUNK - 2 + ".junk"));
    }

    @Test
    void largestSegmentsWithNothingInThemAreReadOnceOrTwice()
    {
        final UUID uuid = UUID.randomUUID();
        crashed.restore(Map.of(CONTROL, FormatOracle.control(uuid, GIB, 6)));
        for (int ordinal = 0; ordinal < 2; ordinal++)
        {
            sparse(segmentName(ordinal), GIB, SegmentHeader.encode(uuid, ordinal, GIB, 5, 6, false));
        }

        // Opening reads at positions, with any backend.
        try (Journal journal = Journal.builder(crashed.path).backgroundThread(false).open())
        {
            assertEquals(1, journal.appender().append(new byte[10]));
        }
        finally
        {
            deleteSegments();
        }

        // Zeros where a header should be, and no journal.control either.
        crashed.restore(Map.of());
        sparse(segmentName(0), GIB, ByteBuffer.allocate(0));
        try
        {
            assertThrows(CorruptJournalException.class, () -> Journal.open(crashed.path));
            assertThrows(CorruptJournalException.class, () -> JournalRepair.rebuildable(crashed.path));
        }
        finally
        {
            deleteSegments();
        }
    }

    @EachBackend
    void claimedLengthsAllocateNothing(final Backend backend)
    {
        crashWithCursor(backend);
        final Map<String, byte[]> image = crashed.content();
        for (final String name : List.of(CONTROL, segmentName(0), segmentName(1)))
        {
            crashed.restore(image);
            sparse(name, 1L << 40, ByteBuffer.wrap(image.get(name)));

            assertTyped(name, () -> open(crashed, backend).close());
            assertTyped(name);
            crashed.cut(name, image.get(name).length);
        }
    }

    @EachBackend
    void segmentsThatClaimToBeEachOtherAreRejected(final Backend backend)
    {
        crashWithForcedSegments(backend, 2, 5000);
        final Map<String, byte[]> image = crashed.content();
        // Rings of segments that refer to each other, and segments that all refer to the same.
        for (final int[] ring : new int[][]{ { 1, 2, 0 }, { 2, 0, 1 }, { 0, 0, 0 }, { 2, 2, 2 }, { 0, 2, 2 } })
        {
            for (int ordinal = 0; ordinal < ring.length; ordinal++)
            {
                crashed.put(segmentName(ordinal), image.get(segmentName(ring[ordinal])));
            }
            assertThrows(CorruptJournalException.class, () ->
            {
                try (Journal journal = open(crashed, backend))
                {
                    readAll(journal);
                }
            });
            assertTyped("ring");
        }
    }

    private void crashWithCursor(final Backend backend)
    {
        model = new RecordModel();
        final JournalDirectory source = directory("source-" + backend);
        try (Journal journal = open(source, backend))
        {
            model.appendInto(journal, 1, 5000);
            journal.cursor("a").save(3);
            source.copyTo(crashed.path);
        }
    }

    private void deleteSegments()
    {
        crashed.ordinals().forEach((ordinal) -> crashed.delete(segmentName(ordinal)));
    }

    private void sparse(final String name, final long length, final ByteBuffer content)
    {
        try (FileChannel channel = FileChannel.open(
            crashed.file(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.SPARSE))
        {
            channel.write(content, 0);
            channel.write(ByteBuffer.allocate(1), length - 1);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
