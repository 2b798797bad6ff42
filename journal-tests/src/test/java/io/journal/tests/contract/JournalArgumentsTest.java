// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

import io.journal.CorruptJournalException;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class JournalArgumentsTest extends JournalFixture
{
    /** Offsets and lengths that do not lie within 100 bytes. */
    private static final int[][] OUTSIDE = { { -1, 10 }, { 0, -1 }, { 10, -1 }, { 0, 101 }, { 91, 10 }, { 101, 0 },
        { Integer.MAX_VALUE, 10 }, { 10, Integer.MAX_VALUE }, { Integer.MIN_VALUE, Integer.MIN_VALUE },
        { Integer.MAX_VALUE, Integer.MAX_VALUE } };

    private final Map<String, Executable> calls = new LinkedHashMap<>();

    /** Every call is rejected whatever the journal holds and whatever record is expected, and it changes nothing. */
    @EachBackend
    void invalidArgumentIsRejectedAndChangesNothing(final Backend backend) throws IOException
    {
        try (Journal journal = repeatable(backend).open(); JournalReader reader = journal.openReader())
        {
            // Long enough for a mark to be due.
            appendNumbered(journal, 1, 10);
            appendNumbered(journal, 1, 5000);
            assertEquals(2, poll(reader).size());
            final Map<String, String> before = picture(directory());
            final long end = journal.counters().appendedPosition();

            assertEach(IllegalArgumentException.class, () ->
            {
                recordsOutsideTheirMemory(journal.appender());
                recordsOfWrongLength(journal.appender());
                sequencesOutside(journal, reader);
            });
            assertEach(NullPointerException.class, () -> absent(journal, reader));

            assertEquals(before, picture(directory()));
            assertEquals(2, journal.lastSequence());
            assertEquals(end, journal.counters().appendedPosition());
            appendNumbered(journal, 40, 5000);
            assertNumbered(3, 42, poll(reader));
        }
        assertNumbered(1, 42, readAll(directory(), backend));
    }

    private void assertEach(final Class<? extends Throwable> expected, final Runnable listing)
    {
        calls.clear();
        listing.run();
        calls.forEach((name, call) -> assertThrows(expected, call, name));
    }

    private void recordsOutsideTheirMemory(final JournalAppender appender)
    {
        final byte[] array = new byte[100];
        final ByteBuffer bytes = ByteBuffer.allocateDirect(200).limit(100).position(50);
        final DirectBuffer direct = JournalAppender.wrap(ByteBuffer.wrap(new byte[200], 50, 100));
        final RecordBatch batch = new RecordBatch();
        for (final int[] range : OUTSIDE)
        {
            final int from = range[0];
            final int length = range[1];
            final String place = ", from=" + from + ", length=" + length;
            calls.put("array" + place, () -> appender.append(array, from, length));
            calls.put("tagged array" + place, () -> appender.append(1, array, from, length));
            calls.put("byte buffer" + place, () -> appender.append(0, bytes, from, length));
            calls.put("direct buffer" + place, () -> appender.append(direct, from, length));
            calls.put("tagged direct buffer" + place, () -> appender.append(1, direct, from, length));
            for (final long expected : new long[]{ 0, 2, JournalAppender.ANY })
            {
                calls.put(
                    "array if " + expected + place, () -> appender.appendIf(expected, 0, array, from, length));
            }
            calls.put("array of a batch" + place, () -> batch.add(0, array, from, length));
            calls.put("direct buffer of a batch" + place, () -> batch.add(0, direct, from, length));
        }
        calls.put("batch that is still empty", () -> appender.append(batch));
    }

    private void recordsOfWrongLength(final JournalAppender appender)
    {
        final byte[] array = new byte[LARGEST_RECORD + 1];
        calls.put("array", () -> appender.append(array));
        calls.put("byte buffer", () -> appender.append(ByteBuffer.wrap(array)));
        calls.put("direct buffer", () -> appender.append(JournalAppender.wrap(array), 0, array.length));
        calls.put("tagged array", () -> appender.append(1, array));
        calls.put("tagged byte buffer", () -> appender.append(1, ByteBuffer.wrap(array)));
        for (final long expected : new long[]{ 0, 2, JournalAppender.ANY })
        {
            calls.put("array if " + expected, () -> appender.appendIf(expected, 0, array));
            calls.put("empty batch if " + expected, () -> appender.appendIf(expected, new RecordBatch()));
        }
        for (final int length : new int[]{ array.length, -1, Integer.MIN_VALUE, Integer.MAX_VALUE })
        {
            calls.put("claim of " + length, () -> appender.claim(length));
            calls.put("tagged claim of " + length, () -> appender.claim(1, length));
        }
    }

    private void sequencesOutside(final Journal journal, final JournalReader reader)
    {
        for (final long sequence : new long[]{ -1, 3, Long.MIN_VALUE, Long.MAX_VALUE })
        {
            calls.put("await " + sequence, () -> journal.awaitForced(sequence));
            calls.put("await for a time " + sequence, () -> journal.awaitForced(sequence, Duration.ofDays(1)));
        }
        for (final long sequence : new long[]{ 0, 4, Long.MIN_VALUE, Long.MAX_VALUE })
        {
            calls.put("seek " + sequence, () -> reader.seek(sequence));
        }
        calls.put("limit of a poll", () -> reader.poll(IGNORE, -1));
        calls.put("limit backwards", () -> reader.pollBackwards(IGNORE, -1));
        calls.put("limit of a controlled poll", () -> reader.controlledPoll((b, o, l, h) -> null, -1));
        calls.put("limit of a look-up", () -> journal.get(1, -1, IGNORE));
    }

    private void absent(final Journal journal, final JournalReader reader)
    {
        final JournalAppender appender = journal.appender();
        calls.put("array", () -> appender.append((byte[])null));
        calls.put("part of an array", () -> appender.append((byte[])null, 0, 1));
        calls.put("byte buffer", () -> appender.append((ByteBuffer)null));
        calls.put("tagged array", () -> appender.append(1, (byte[])null));
        calls.put("tagged byte buffer", () -> appender.append(1, (ByteBuffer)null));
        calls.put("part of a byte buffer", () -> appender.append(0, (ByteBuffer)null, 0, 1));
        calls.put("direct buffer", () -> appender.append(0, (DirectBuffer)null, 0, 1));
        calls.put("batch", () -> appender.append((RecordBatch)null));
        calls.put("record of a batch", () -> new RecordBatch().add(0, (byte[])null));
        calls.put("timeout", () -> journal.awaitForced(1, null));
        calls.put("handler", () -> reader.poll(null, 1));
        calls.put("handler of no record", () -> reader.poll(null, 0));
        calls.put("controlled handler", () -> reader.controlledPoll(null, 1));
        calls.put("handler of a look-up", () -> journal.get(1, null));
    }

    @Test
    void impossibleSettingsAreRejected()
    {
        final JournalBuilder builder = Journal.builder(directory());
        final Map<IntConsumer, int[]> lengths = Map.of(
            builder::segmentLength, new int[]{ Integer.MIN_VALUE, -65536, -1, 0, 1, 4096, 32768, 65535, 65537,
                65536 + 32768, 1 << 30 | 1 << 16, Integer.MAX_VALUE },
            builder::writeWindow, new int[]{ Integer.MIN_VALUE, -1, JournalBuilder.MAX_WRITE_WINDOW + 1,
                Integer.MAX_VALUE },
            builder::maxRecordLength, new int[]{ Integer.MIN_VALUE, -1, 16 * 1024 * 1024 + 1, Integer.MAX_VALUE });
        lengths.forEach((setting, values) -> Arrays.stream(values).forEach((length) -> assertThrows(
            IllegalArgumentException.class, () -> setting.accept(length), () -> "length=" + length)));
        for (final Executable call : List.<Executable>of(
            () -> builder.backend(null), () -> builder.clock(null), () -> builder.errorHandler(null),
            () -> builder.store(null), () -> builder.force(null), () -> builder.name(null),
            () -> Journal.builder(null), () -> Journal.open((Path)null)))
        {
            assertThrows(NullPointerException.class, call);
        }
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
    void fileInThePlaceOfADirectoryIsRejected(final Backend backend) throws IOException
    {
        Files.writeString(directory(), "a file");
        assertThrows(IllegalArgumentException.class, () -> open(directory(), backend));
        final JournalException refusal =
            assertThrows(JournalException.class, () -> open(directory().resolve("below"), backend));
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
        createWithThree(backend);
        checkRefusedOpening(
            backend, IllegalArgumentException.class, builder(directory(), backend).segmentLength(2 * SEGMENT_LENGTH));
        try (Journal journal = reopen(backend))
        {
            assertEquals(SEGMENT_LENGTH, journal.segmentLength());
        }
    }

    private void createWithThree(final Backend backend)
    {
        try (Journal journal = repeatable(backend).open())
        {
            appendNumbered(journal, 3, 10);
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
        final Path foreign = directory().resolve(name);
        createWithThree(Backend.MAPPED);
        Files.writeString(foreign, "foreign");

        final Throwable refusal = checkRefusedOpening(
            Backend.MAPPED, CorruptJournalException.class, Journal.builder(directory()));
        assertTrue(refusal.getMessage().contains(name), refusal.getMessage());

        Files.delete(foreign);
        assertNumbered(1, 3, readAll(directory(), Backend.MAPPED));
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
        Files.createDirectory(directory().resolve("sub"));
        for (final String name : names)
        {
            Files.writeString(directory().resolve(name), name);
        }

        createWithThree(backend);
        assertNumbered(1, 3, readAll(directory(), backend));

        for (final String name : names)
        {
            assertEquals(name, Files.readString(directory().resolve(name)));
        }
        assertTrue(Files.isDirectory(directory().resolve("sub")));
    }

    /** What lies under the name of a file. */
    private enum Obstacle
    {
        DIRECTORY, LINK
    }

    @EachBackend(and = Obstacle.class)
    void directoryOrLinkUnderTheNameOfAFileIsRejected(final Backend backend, final Obstacle obstacle)
        throws IOException
    {
        createWithThree(backend);
        final Path aside = temp.resolve("aside");
        for (final String name : List.of(
            "journal.control", "journal.lock", JournalFiles.segment(0), JournalFiles.segment(1)))
        {
            final Path path = directory().resolve(name);
            final boolean isThere = Files.exists(path);
            Files.move(isThere ? path : Files.createFile(temp.resolve("empty")), aside);
            final byte[] content = Files.readAllBytes(aside);
            if (Obstacle.LINK == obstacle)
            {
                Files.createSymbolicLink(path, aside);
            }
            else
            {
                Files.createDirectory(path);
            }

            checkRefusedOpening(backend, JournalException.class, Journal.builder(directory()).backend(backend));

            assertEquals(Obstacle.LINK == obstacle, Files.isSymbolicLink(path), name);
            assertArrayEquals(content, Files.readAllBytes(aside), name);
            Files.delete(path);
            Files.move(aside, isThere ? path : temp.resolve("gone"));
        }
        assertNumbered(1, 3, readAll(directory(), backend));
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
