// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.format;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.Backend;
import io.journal.tests.format.FormatOracle.SegmentWriter;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.journal.tests.format.FormatOracle.TERM;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@InMemory
class GoldenFileTest extends JournalFixture
{
    private static final String SEGMENT = "00000000000000000000.journal";

    private static Path golden(final String name)
    {
        try
        {
            return Path.of(GoldenFileTest.class.getResource("/golden/v2/" + name).toURI());
        }
        catch (final URISyntaxException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @Override
    protected Journal open(final Backend backend)
    {
        return Journal.builder(directory()).backend(backend).writeWindow(0).open();
    }

    // Files that the library wrote.

    @EachBackend
    void writtenJournalIsReadAndContinued(final Backend backend) throws IOException
    {
        final List<Entry> expected = new ArrayList<>(GoldenFiles.write(temp.resolve("new"), backend, 0));
        copy(golden("written"), directory());

        try (Journal journal = open(backend))
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed(), () -> journal.recoveryReport().toString());
            assertEquals(29, journal.forcedSequence());
            assertEquals(expected, readAll(journal));
            expected.add(new Entry(journal.appender().append(new byte[]{ 1 }), 0, new byte[]{ 1 }));
        }
        assertEquals(expected, readAll(directory(), backend));
    }

    @EachBackend
    void cursorsOfAWrittenJournalAreThere(final Backend backend) throws IOException
    {
        copy(golden("written"), directory());

        final Journal journal = closing(open(backend));
        assertEquals(List.of("consumer", "other"), journal.cursorNames());
        assertEquals(23, journal.cursor("consumer").sequence());
        assertEquals(25, journal.cursor("other").sequence());
    }

    @EachBackend
    void tornJournalIsReadAndContinued(final Backend backend) throws Exception
    {
        final List<Entry> expected = GoldenFiles.tear(temp.resolve("new"), temp.resolve("live"));
        copy(golden("torn"), directory());

        try (Journal journal = open(backend))
        {
            assertFalse(journal.recoveryReport().isCleanlyClosed());
            assertTrue(journal.recoveryReport().tornLength() > 0, () -> journal.recoveryReport().toString());
            assertEquals(expected, readAll(journal));
            assertEquals(40, journal.cursor("consumer").sequence());
            expected.add(new Entry(journal.appender().append(new byte[]{ 1 }), 0, new byte[]{ 1 }));
        }
        assertEquals(expected, readAll(directory(), backend));
    }

    @Test
    void tornJournalIsInARecycledSegment() throws IOException
    {
        copy(golden("torn"), directory());
        final JournalDirectory files = new JournalDirectory(directory());
        assertEquals(1, files.read(JournalDirectory.segmentName(files.newestUsed()))[16]);
        assertTrue(files.state().startPosition() > 0);
        assertFalse(files.state().isClosed());
    }

    @EachBackend
    void writtenJournalIsReadWithoutItsWatermark(final Backend backend) throws IOException
    {
        final List<Entry> expected = GoldenFiles.write(temp.resolve("new"), backend, 0);
        copy(golden("written"), directory());
        new JournalDirectory(directory()).loseForced();

        final Journal journal = closing(open(backend));
        assertTrue(journal.recoveryReport().mayHaveLostAcknowledged());
        assertEquals(expected, readAll(journal));
    }

    @EachBackendAndWindow
    void sameInputStillGivesTheSameBytes(final Backend backend, final int window) throws IOException
    {
        GoldenFiles.write(directory(), backend, window);

        assertEquals(state(golden("written")), state(directory()));
        assertSamePicture(segments(golden("written")), segments(directory()), backend + " " + window);
    }

    private static Map<String, String> segments(final Path directory) throws IOException
    {
        final Map<String, String> picture = new TreeMap<>(pictureOfContent(directory));
        picture.remove(CONTROL);
        return picture;
    }

    private static JournalDirectory.State state(final Path directory)
    {
        return new JournalDirectory(directory).state();
    }

    @Test
    void writtenJournalFollowsTheFormat() throws IOException
    {
        final List<Entry> expected = GoldenFiles.write(directory(), Backend.MAPPED, 0);

        final FormatOracle.Content content = FormatOracle.read(golden("written"));

        assertEquals(expected, content.entries());
        assertEquals(SEGMENT_LENGTH, content.segmentLength());
        assertEquals(1, content.count(JournalDirectory.KIND_PADDING));
        assertTrue(content.count(JournalDirectory.KIND_MARK) > 5);
        final JournalDirectory.State state = state(golden("written"));
        assertTrue(state.isClosed());
        assertFalse(state.newest().isEmpty());
        assertEquals(3, state.number());
        assertEquals(1, content.endPosition() / SEGMENT_LENGTH);
    }

    @Test
    void checksumsOfTheTestsAreThoseOfTheFormat()
    {
        final byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);
        assertEquals(0xE306_9283, JournalDirectory.crc(digits, 0, 9));
    }

    // Files that were composed by hand.

    @Test
    void composedJournalsFollowTheFormat() throws IOException
    {
        final Map<String, String> batch = picture(golden("batch"));
        final Map<String, String> critical = picture(golden("critical"));
        GoldenFiles.compose(directory(), GoldenFiles.batch());
        assertSamePicture(picture(directory()), batch, "batch");
        assertEquals(GoldenFiles.batchEntries(), FormatOracle.read(golden("batch")).entries());

        GoldenFiles.compose(directory(), GoldenFiles.critical());
        assertEquals(picture(directory()).get(SEGMENT), critical.get(SEGMENT));
    }

    @EachBackend
    void batchesAreReadAndUnknownControlFramesArePassed(final Backend backend) throws IOException
    {
        final List<Entry> expected = new ArrayList<>(GoldenFiles.batchEntries());
        copy(golden("batch"), directory());

        try (Journal journal = open(backend))
        {
            assertEquals(0, journal.recoveryReport().tornLength(), () -> journal.recoveryReport().toString());
            assertEquals(7, journal.lastSequence());
            assertEquals(7, journal.forcedSequence());
            assertEquals(expected, readAll(journal));
            expected.add(new Entry(journal.appender().append(new byte[9]), 0, new byte[9]));
            assertEquals(expected, readAll(journal));
        }
        assertEquals(expected, readAll(directory(), backend));
    }

    /** What may not follow a record, and how many records a reader delivers before it: 0 if more would be no error. */
    private record Malformed(String name, int delivered, Consumer<SegmentWriter> rest)
    {
        static Malformed mark(final String name, final long... body)
        {
            return new Malformed(
                "mark " + name, 1, (segment) -> segment.control(JournalDirectory.KIND_MARK, SegmentWriter.longs(body)));
        }

        static Malformed frame(final String name, final long kind, final int length)
        {
            return new Malformed(name, 1, (segment) -> segment.control(kind, new byte[length]));
        }

        /** A batch without its last record. */
        static Malformed batch(final String name, final int delivered, final Consumer<SegmentWriter> rest)
        {
            return new Malformed("batch without its last record and " + name, delivered, (segment) ->
            {
                segment.more(2, new byte[4]);
                rest.accept(segment);
            });
        }

        SegmentWriter compose()
        {
            final SegmentWriter segment = GoldenFiles.composedSegment();
            segment.mark(segment.position(), 0).record(1, new byte[3]);
            rest.accept(segment);
            return segment;
        }

        @Override
        public String toString()
        {
            return name;
        }
    }

    static Stream<Arguments> malformed()
    {
        return Stream.of(
            Malformed.mark("of another length", 4096, 0),
            Malformed.mark("without a body"),
            Malformed.mark("that is longer", new long[32]),
            Malformed.mark("with a watermark above its position", 5000, 0, 1, TERM, TERM),
            Malformed.mark("with an impossible watermark", Long.MAX_VALUE, 0, 1, TERM, TERM),
            Malformed.mark("with a watermark below 0", -1, 0, 1, TERM, TERM),
            Malformed.mark("of a term below 0", 0, 0, -1, TERM, TERM),
            Malformed.mark("of an impossible term", 0, 0, 1, 1L << 62, TERM),
            Malformed.mark("after a term below 0", 0, 0, 1, TERM, -1),
            Malformed.mark("of a term before the one before", 0, 0, 0, TERM, TERM),
            Malformed.mark("after a record of another term", 0, 0, 1, TERM, TERM + 8),
            Malformed.frame("padding of nothing else", JournalDirectory.KIND_PADDING, 0),
            Malformed.frame("padding that leaves something", JournalDirectory.KIND_PADDING, 40),
            Malformed.batch("nothing", 0, (segment) -> segment.more(3, new byte[100])),
            Malformed.batch("a mark", 2, (segment) -> segment.mark(4096, 0)),
            Malformed.batch("an unknown kind", 2, (segment) -> segment.control(99, new byte[8])),
            Malformed.batch("the segment's end", 3,
                (segment) -> segment.more(3, new byte[SEGMENT_LENGTH - (int)segment.position() - 24])))
            .flatMap((each) -> Stream.of(Backend.MAPPED, Backend.FILE_CHANNEL)
                .map((backend) -> Arguments.of(each, backend)));
    }

    static Stream<Arguments> malformedForReaders()
    {
        return malformed().filter((arguments) -> ((Malformed)arguments.get()[0]).delivered > 0);
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedFrameWithAValidChecksumIsATornTail(final Malformed malformed, final Backend backend)
        throws IOException
    {
        GoldenFiles.compose(directory(), malformed.compose());
        // The damage is above the durable watermark, so it is an ordinary torn tail.
        final Journal journal = closing(open(backend));
        assertEquals(1, journal.lastSequence());
        assertEquals(4096 + 64 + 32, journal.recoveryReport().endPosition());
        assertTrue(journal.recoveryReport().tornLength() > 0);
        assertEquals(1, readAll(journal).size());
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedFrameThatWasForcedIsCorruption(final Malformed malformed, final Backend backend) throws IOException
    {
        GoldenFiles.forced(directory(), malformed.compose());
        assertRefused(CorruptJournalException.class, backend, SEGMENT);
    }

    /** Composes the frame in an older segment, which opening does not read. */
    @ParameterizedTest
    @MethodSource("malformedForReaders")
    void readerStaysBeforeAMalformedFrame(final Malformed malformed, final Backend backend) throws IOException
    {
        final SegmentWriter segment = malformed.compose();
        if (segment.position() < SEGMENT_LENGTH)
        {
            segment.record(3, new byte[3]);
        }
        GoldenFiles.compose(directory(), segment);
        writeNext(segment);

        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 2; i++)
        {
            final CorruptJournalException refusal = assertThrows(
                CorruptJournalException.class, () -> reader.poll(into(entries), 10));
            assertTrue(refusal.getMessage().contains(SEGMENT), refusal.getMessage());
        }
        assertEquals(malformed.delivered, entries.size());
        assertEquals(1 + malformed.delivered, reader.nextSequence());
        // Other records are found by their sequences.
        assertTrue(journal.get(journal.lastSequence(), into(entries)));
    }

    /** Writes a segment after an existing segment, and everything needed for an opening to begin there. */
    private void writeNext(final SegmentWriter segment) throws IOException
    {
        final SegmentWriter next = new SegmentWriter(
            GoldenFiles.COMPOSED_UUID, 1, SEGMENT_LENGTH, 7, 0, segment.sequence());
        next.mark(segment.position(), 0).record(3, new byte[3]);
        Files.write(segment(directory(), 1), next.bytes());
        Files.write(
            directory().resolve(CONTROL), FormatOracle.forced(
                GoldenFiles.COMPOSED_UUID, SEGMENT_LENGTH, next.position(), next.sequence()));
    }

    @Test
    void segmentWithoutALeadingWatermarkFrameIsEmpty() throws IOException
    {
        GoldenFiles.compose(directory(), GoldenFiles.composedSegment().record(1, new byte[3]));
        final Journal journal = closing(open(Backend.FILE_CHANNEL));
        assertEquals(0, journal.lastSequence());
        assertTrue(journal.recoveryReport().tornLength() > 0);
    }

    // Frames that a newer version may write.

    @EachBackend
    void unknownCriticalFrameIsRejectedWhenOpening(final Backend backend) throws IOException
    {
        copy(golden("batch"), directory());
        copy(golden("critical"), directory());

        assertRefused(UnsupportedFormatException.class, backend, Long.toHexString(GoldenFiles.CRITICAL_KIND));
    }

    @EachBackend
    void unknownCriticalFrameIsRejectedWhenReading(final Backend backend) throws IOException
    {
        // The frame is in an older segment, which opening does not read.
        final SegmentWriter segment = GoldenFiles.critical();
        GoldenFiles.compose(directory(), segment);
        writeNext(segment);

        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        assertEquals(3, journal.lastSequence());
        assertEquals(1, poll(reader, 1).size());
        for (int i = 0; i < 2; i++)
        {
            assertThrows(UnsupportedFormatException.class, () -> poll(reader));
            assertEquals(2, reader.nextSequence());
        }
    }

    @Test
    void newerMajorVersionIsRejected() throws IOException
    {
        for (final String name : List.of(CONTROL, SEGMENT))
        {
            for (final int major : new int[]{ 3, 0x7FFF, 0x8000, 0xFFFF })
            {
                copy(golden("batch"), directory());
                // A newer version may also have another checksum.
                change(name, false, (buffer) -> buffer.putShort(8, (short)major).putInt(4092, 1));
                assertRefused(UnsupportedFormatException.class, Backend.FILE_CHANNEL, name);
                change(name, true, (buffer) -> buffer.putShort(8, (short)major));
                assertRefused(UnsupportedFormatException.class, Backend.FILE_CHANNEL, name);
                deleteTree(directory());
            }
        }
    }

    @Test
    void unknownFeaturesThatForbidWritingAreRejected() throws IOException
    {
        for (final String name : List.of(CONTROL, SEGMENT))
        {
            for (final int offset : new int[]{ 20, 24 })
            {
                for (final int bit : new int[]{ 0, 17, 31 })
                {
                    copy(golden("batch"), directory());
                    change(name, true, (buffer) -> buffer.putInt(offset, 1 << bit));
                    assertRefused(UnsupportedFormatException.class, Backend.FILE_CHANNEL, name);
                    deleteTree(directory());
                }
            }
        }
    }

    @Test
    void newerMinorVersionAndCompatibleFeaturesAreRead() throws IOException
    {
        for (final String name : List.of(CONTROL, SEGMENT))
        {
            copy(golden("batch"), directory());
            change(name, true, (buffer) -> buffer.putShort(10, (short)9).putInt(16, -1));

            assertEquals(GoldenFiles.batchEntries(), readAll(directory(), Backend.FILE_CHANNEL));
            deleteTree(directory());
        }
    }

    @Test
    void olderMajorVersionIsRejected() throws IOException
    {
        copy(golden("batch"), directory());
        change(CONTROL, true, (buffer) -> buffer.putShort(8, (short)1));
        assertRefused(UnsupportedFormatException.class, Backend.FILE_CHANNEL, CONTROL);
    }

    private interface Change
    {
        void apply(ByteBuffer buffer);
    }

    private void change(final String name, final boolean isSealed, final Change change) throws IOException
    {
        final Path path = directory().resolve(name);
        final byte[] bytes = Files.readAllBytes(path);
        change.apply(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        Files.write(path, isSealed ? FormatOracle.seal(bytes, 0) : bytes);
    }

    private void assertRefused(
        final Class<? extends JournalException> refusal, final Backend backend, final String named) throws IOException
    {
        final JournalDirectory files = new JournalDirectory(directory());
        final Map<String, byte[]> before = files.content();
        for (int i = 0; i < 2; i++)
        {
            final JournalException ex = assertThrows(refusal, () -> open(backend).close());
            assertTrue(ex.getMessage().contains(named), ex.getMessage());
            files.assertHolds(before);
        }
    }
}
