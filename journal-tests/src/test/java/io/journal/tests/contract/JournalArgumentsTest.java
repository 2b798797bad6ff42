// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.journal.Internals;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class JournalArgumentsTest extends JournalFixture
{
    @EachBackend
    void recordOutsideItsArrayIsRejected(final Backend backend) throws IOException
    {
        final byte[] array = new byte[100];
        final JournalAppender[] appender = new JournalAppender[1];
        checkRefusals(
            backend,
            (journal) -> appender[0] = journal.appender(),
            IllegalArgumentException.class,
            () -> appender[0].append(array, -1, 10),
            () -> appender[0].append(array, 0, -1),
            () -> appender[0].append(array, 10, -1),
            () -> appender[0].append(array, 0, 101),
            () -> appender[0].append(array, 91, 10),
            () -> appender[0].append(array, 101, 0),
            () -> appender[0].append(array, Integer.MAX_VALUE, 10),
            () -> appender[0].append(array, 10, Integer.MAX_VALUE),
            () -> appender[0].append(array, Integer.MIN_VALUE, Integer.MIN_VALUE),
            () -> appender[0].append(array, Integer.MAX_VALUE, Integer.MAX_VALUE),
            () -> appender[0].append(1, array, 91, 10));
    }

    @EachBackend
    void recordOutsideItsByteBufferIsRejected(final Backend backend) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(200).limit(100).position(50);
        final JournalAppender[] appender = new JournalAppender[1];
        checkRefusals(
            backend,
            (journal) -> appender[0] = journal.appender(),
            IllegalArgumentException.class,
            () -> appender[0].append(0, buffer, -1, 10),
            () -> appender[0].append(0, buffer, 0, -1),
            () -> appender[0].append(0, buffer, 0, 101),
            () -> appender[0].append(0, buffer, 91, 10),
            () -> appender[0].append(0, buffer, 101, 0),
            () -> appender[0].append(0, buffer, Integer.MAX_VALUE, 10),
            () -> appender[0].append(0, buffer, 10, Integer.MAX_VALUE),
            () -> appender[0].append(0, buffer, Integer.MIN_VALUE, Integer.MIN_VALUE));
        assertEquals(50, buffer.position());
        assertEquals(100, buffer.limit());
    }

    @EachBackend
    void recordOutsideItsDirectBufferIsRejected(final Backend backend) throws IOException
    {
        final DirectBuffer buffer = JournalAppender.wrap(ByteBuffer.wrap(new byte[200], 50, 100));
        final JournalAppender[] appender = new JournalAppender[1];
        checkRefusals(
            backend,
            (journal) -> appender[0] = journal.appender(),
            IllegalArgumentException.class,
            () -> appender[0].append(buffer, -1, 10),
            () -> appender[0].append(buffer, 0, -1),
            () -> appender[0].append(buffer, 0, 101),
            () -> appender[0].append(buffer, 91, 10),
            () -> appender[0].append(buffer, 101, 0),
            () -> appender[0].append(buffer, Integer.MAX_VALUE, 10),
            () -> appender[0].append(buffer, 10, Integer.MAX_VALUE),
            () -> appender[0].append(1, buffer, Integer.MIN_VALUE, Integer.MIN_VALUE));
    }

    @EachBackend
    void recordOverTheLargestIsRejected(final Backend backend) throws IOException
    {
        final byte[] array = new byte[LARGEST_RECORD + 1];
        final JournalAppender[] appender = new JournalAppender[1];
        checkRefusals(
            backend,
            (journal) -> appender[0] = journal.appender(),
            IllegalArgumentException.class,
            () -> appender[0].append(array),
            () -> appender[0].append(ByteBuffer.wrap(array)),
            () -> appender[0].append(JournalAppender.wrap(array), 0, array.length),
            () -> appender[0].append(1, array),
            () -> appender[0].append(1, ByteBuffer.wrap(array)),
            () -> appender[0].claim(array.length),
            () -> appender[0].claim(1, array.length),
            () -> appender[0].claim(1, -1),
            () -> appender[0].claim(Integer.MAX_VALUE),
            () -> appender[0].claim(-1),
            () -> appender[0].claim(Integer.MIN_VALUE));
    }

    @EachBackend
    void absentRecordIsRejected(final Backend backend) throws IOException
    {
        final JournalAppender[] appender = new JournalAppender[1];
        checkRefusals(
            backend,
            (journal) -> appender[0] = journal.appender(),
            NullPointerException.class,
            () -> appender[0].append((byte[])null),
            () -> appender[0].append((byte[])null, 0, 1),
            () -> appender[0].append((ByteBuffer)null),
            () -> appender[0].append(1, (byte[])null),
            () -> appender[0].append(1, (ByteBuffer)null),
            () -> appender[0].append(0, (ByteBuffer)null, 0, 1),
            () -> appender[0].append(0, (DirectBuffer)null, 0, 1));
    }

    @EachBackend
    void absentSequenceIsRejected(final Backend backend) throws IOException
    {
        final Journal[] opened = new Journal[1];
        checkRefusals(
            backend,
            (journal) -> opened[0] = journal,
            IllegalArgumentException.class,
            () -> opened[0].awaitForced(-1),
            () -> opened[0].awaitForced(opened[0].lastSequence() + 1),
            () -> opened[0].awaitForced(Long.MIN_VALUE),
            () -> opened[0].awaitForced(Long.MAX_VALUE),
            () -> seek(opened[0], 0),
            () -> seek(opened[0], opened[0].lastSequence() + 2),
            () -> seek(opened[0], Long.MIN_VALUE),
            () -> seek(opened[0], Long.MAX_VALUE));
    }

    private static void seek(final Journal journal, final long sequence)
    {
        try (JournalReader reader = journal.openReader())
        {
            reader.seek(sequence);
        }
    }

    private interface Preparation
    {
        void accept(Journal journal);
    }

    /** Checks that each call is rejected, changes no byte of any file, and that appending continues. */
    private void checkRefusals(
        final Backend backend,
        final Preparation preparation,
        final Class<? extends Throwable> refusal,
        final Executable... calls) throws IOException
    {
        try (Journal journal = repeatable(backend).open())
        {
            preparation.accept(journal);
            // Long enough for a mark to be due.
            appendNumbered(journal, 1, 10);
            appendNumbered(journal, 1, 5000);
            final Map<String, String> before = picture(directory());
            final long end = journal.counters().appendedPosition();

            for (int i = 0; i < calls.length; i++)
            {
                final int index = i;
                assertThrows(refusal, calls[i], () -> "call " + index);
            }

            assertEquals(before, picture(directory()));
            assertEquals(2, journal.lastSequence());
            assertEquals(end, journal.counters().appendedPosition());
            appendNumbered(journal, 40, 5000);
            assertNumbered(1, 42, readAll(journal));
        }
        assertNumbered(1, 42, readAll(directory(), backend));
    }

    @Test
    void impossibleSettingsAreRejected()
    {
        final JournalBuilder builder = Journal.builder(directory());
        for (final int length : new int[]{
            Integer.MIN_VALUE, -65536, -1, 0, 1, 4096, 32768, 65535, 65537, 65536 + 32768, 1 << 30 | 1 << 16,
            Integer.MAX_VALUE })
        {
            assertThrows(IllegalArgumentException.class, () -> builder.segmentLength(length));
        }
        for (final int length : new int[]{
            Integer.MIN_VALUE, -1, JournalBuilder.MAX_WRITE_WINDOW + 1, Integer.MAX_VALUE })
        {
            assertThrows(IllegalArgumentException.class, () -> builder.writeWindow(length));
        }
        for (final int length : new int[]{ Integer.MIN_VALUE, -1, 16 * 1024 * 1024 + 1, Integer.MAX_VALUE })
        {
            assertThrows(IllegalArgumentException.class, () -> builder.maxRecordLength(length));
        }
        assertThrows(NullPointerException.class, () -> builder.backend(null));
        assertThrows(NullPointerException.class, () -> builder.clock(null));
        assertThrows(NullPointerException.class, () -> builder.errorHandler(null));
        assertThrows(NullPointerException.class, () -> builder.store(null));
        assertThrows(NullPointerException.class, () -> Journal.builder(null));
        assertThrows(NullPointerException.class, () -> Journal.open((Path)null));
        assertFalse(Files.exists(directory()));
    }

    @Test
    void extremeSettingsArePossible()
    {
        final JournalBuilder builder = Journal.builder(directory());
        for (int length = JournalBuilder.MIN_SEGMENT_LENGTH; length > 0; length <<= 1)
        {
            builder.segmentLength(length);
            assertEquals(length, Internals.segmentLength(builder));
        }
        assertEquals(JournalBuilder.MAX_SEGMENT_LENGTH, Internals.segmentLength(builder));
        builder.writeWindow(JournalBuilder.MAX_WRITE_WINDOW).writeWindow(0);
        builder.retention(Retention.age(Duration.ofSeconds(Long.MAX_VALUE))).retention(Retention.none());
        builder.maxRecordLength(16 * 1024 * 1024).maxRecordLength(0);
    }

    @EachBackend
    void smallestWriteWindowsAndRecordsAreEnough(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(1).maxRecordLength(0).open())
        {
            appendNumbered(journal, 5000, 0);
            assertThrows(IllegalArgumentException.class, () -> journal.appender().append(new byte[1]));
            assertNumbered(1, 5000, readAll(journal));
        }
        assertNumbered(1, 5000, readAll(directory(), backend));
    }

    @EachBackend
    void fileIsNoDirectoryForAJournal(final Backend backend) throws IOException
    {
        Files.writeString(directory(), "a file");

        assertThrows(IllegalArgumentException.class, () -> open(directory(), backend));

        assertEquals("a file", Files.readString(directory()));
        assertEquals(1, picture(temp).size());
    }

    @EachBackend
    void fileInThePathToTheDirectoryIsRejected(final Backend backend) throws IOException
    {
        Files.writeString(directory(), "a file");

        final JournalException refusal = assertThrows(
            JournalException.class, () -> open(directory().resolve("below"), backend));

        assertTrue(refusal.getMessage().contains(directory().toString()), refusal.getMessage());
        assertEquals("a file", Files.readString(directory()));
        assertEquals(1, picture(temp).size());
    }

    @EachBackend
    void linkThatLeadsNowhereIsRejected(final Backend backend) throws IOException
    {
        Files.createSymbolicLink(directory(), temp.resolve("nowhere"));

        assertThrows(RuntimeException.class, () -> open(directory(), backend));

        assertEquals(Map.of("journal", "no file"), picture(temp));
    }

    @EachBackend
    void otherSegmentLengthThanTheJournalsIsRejected(final Backend backend) throws IOException
    {
        try (Journal journal = open(directory(), backend))
        {
            appendNumbered(journal, 3, 10);
        }

        checkRefusedOpening(
            backend,
            IllegalArgumentException.class,
            Journal.builder(directory()).backend(backend).writeWindow(0).segmentLength(2 * SEGMENT_LENGTH));
        assertEquals(SEGMENT_LENGTH, segmentLength(backend));
    }

    private int segmentLength(final Backend backend)
    {
        try (Journal journal = Journal.builder(directory()).backend(backend).writeWindow(0).open())
        {
            return journal.segmentLength();
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(
        strings = {
            "x.journal",
            ".journal",
            "0.journal",
            "0000000000000000000.journal",
            "000000000000000000000.journal",
            "0000000000000000000a.journal",
            "-0000000000000000001.journal",
            "+0000000000000000001.journal",
            "99999999999999999999.journal",
            "\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660" +
                "\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661.journal"
        })
    void nameThatResemblesASegmentIsRejected(final String name) throws IOException
    {
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")) ||
            StandardCharsets.US_ASCII.newEncoder().canEncode(name), "file names are not Unicode here");
        for (final Backend backend : UsableBackends.in(temp))
        {
            final Path foreign = directory().resolve(name);
            try (Journal journal = open(directory(), backend))
            {
                appendNumbered(journal, 3, 10);
            }
            Files.writeString(foreign, "foreign");

            final Throwable refusal = checkRefusedOpening(
                backend, CorruptJournalException.class, Journal.builder(directory()).backend(backend).writeWindow(0));

            assertTrue(refusal.getMessage().contains(name), refusal.getMessage());
            Files.delete(foreign);
            assertNumbered(1, 3, readAll(directory(), backend));
            deleteAll(directory());
        }
    }

    @EachBackend
    void directoryWithAForeignSegmentDoesNotBecomeAJournal(final Backend backend) throws IOException
    {
        for (final String name : List.of("x.journal", "00000000000000000000.journal", "00000000000000000001.journal"))
        {
            Files.createDirectory(directory());
            Files.writeString(directory().resolve(name), "foreign");

            checkRefusedOpening(
                backend, CorruptJournalException.class, builder(directory(), backend));

            deleteAll(directory());
        }
    }

    @EachBackend
    void otherFilesInTheDirectoryAreKept(final Backend backend) throws IOException
    {
        final List<String> names = List.of(
            "notes.txt", "x.journal.bak", "journal", "00000000000000000000.journal~", "Journal.meta", ".hidden");
        Files.createDirectory(directory());
        for (final String name : names)
        {
            Files.writeString(directory().resolve(name), name);
        }
        Files.createDirectory(directory().resolve("sub"));

        try (Journal journal = open(directory(), backend))
        {
            assertTrue(journal.recoveryReport().isNew());
            appendNumbered(journal, 3, 10);
        }
        assertNumbered(1, 3, readAll(directory(), backend));

        for (final String name : names)
        {
            assertEquals(name, Files.readString(directory().resolve(name)));
        }
        assertTrue(Files.isDirectory(directory().resolve("sub")));
    }

    @EachBackend
    void directoryUnderTheNameOfAFileIsRejected(final Backend backend) throws IOException
    {
        for (final String name : List.of(
            "journal.control", "journal.lock", "00000000000000000000.journal",
            "00000000000000000001.journal"))
        {
            try (Journal journal = repeatable(backend).open())
            {
                appendNumbered(journal, 3, 10);
            }
            final Path aside = temp.resolve("aside");
            final Path path = directory().resolve(name);
            final boolean isThere = Files.exists(path);
            if (isThere)
            {
                Files.move(path, aside);
            }
            Files.createDirectory(path);

            checkRefusedOpening(
                backend, JournalException.class, Journal.builder(directory()).backend(backend).writeWindow(0));

            Files.delete(path);
            if (isThere)
            {
                Files.move(aside, path);
            }
            assertNumbered(1, 3, readAll(directory(), backend));
            deleteAll(directory());
        }
    }

    @EachBackend
    void linkUnderTheNameOfAFileIsNotFollowed(final Backend backend) throws IOException
    {
        for (final String name : List.of(
            "journal.control", "journal.lock", "00000000000000000000.journal"))
        {
            try (Journal journal = open(directory(), backend))
            {
                appendNumbered(journal, 3, 10);
            }
            final Path aside = temp.resolve("aside");
            final Path path = directory().resolve(name);
            Files.move(path, aside);
            final byte[] content = Files.readAllBytes(aside);
            Files.createSymbolicLink(path, aside);

            checkRefusedOpening(
                backend, JournalException.class, Journal.builder(directory()).backend(backend).writeWindow(0));

            assertTrue(Files.isSymbolicLink(path));
            assertEquals(ByteBuffer.wrap(content), ByteBuffer.wrap(Files.readAllBytes(aside)));
            Files.delete(path);
            Files.move(aside, path);
            assertNumbered(1, 3, readAll(directory(), backend));
            deleteAll(directory());
        }
    }

    @EachBackend
    void directoryThatMustNotBeWrittenIsRejected(final Backend backend) throws IOException
    {
        assumeTrue(
            temp.getFileSystem().supportedFileAttributeViews().contains("posix"), "no permissions here");
        final Path locked = Files.createDirectory(temp.resolve("locked"));
        Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-x------"));
        assumeFalse(Files.isWritable(locked), "permissions do not bind this user");
        try
        {
            assertThrows(
                JournalException.class, () -> open(locked.resolve("journal"), backend));
            assertThrows(JournalException.class, () -> open(locked, backend));
            assertEquals(Map.of(), picture(locked));
        }
        finally
        {
            Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("rwx------"));
        }
        final Journal journal = closing(open(locked, backend));
        appendNumbered(journal, 1, 10);
    }

    /**
     * Checks that opening is rejected twice in the same way, which shows that the lock is released, and that nothing in
     * the directory changes except the text that names the writer.
     */
    private Throwable checkRefusedOpening(
        final Backend backend, final Class<? extends Throwable> refusal, final JournalBuilder builder)
        throws IOException
    {
        final Map<String, String> before = pictureOfContent(directory());
        assertThrows(refusal, builder::open, backend::name);
        assertEquals(before, pictureOfContent(directory()));
        final Throwable again = assertThrows(refusal, builder::open, backend::name);
        assertEquals(before, pictureOfContent(directory()));
        assertFalse(again instanceof JournalLockedException, again::toString);

        return again;
    }

    private static void deleteAll(final Path directory) throws IOException
    {
        for (final String name : picture(directory).descendingKeySet())
        {
            Files.delete(directory.resolve(name));
        }
        Files.delete(directory);
    }
}
