// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import io.journal.Journal;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.format.FormatOracle.SegmentWriter;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.JournalFixture.Entry;
import io.journal.tests.support.JournalFixture.TestClock;

import static io.journal.tests.support.JournalFixture.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalFixture.record;

/**
 * The sources of the journals under {@code src/test/resources/golden/v2}. Journals of a released format are never made
 * again; {@link #main} makes those of a new format.
 * <ul>
 * <li>{@code written}: by the library, in two lives and two segments, with a cut and cursors, and closed;</li>
 * <li>{@code torn}: by the library, pruned, in a recycled segment, and killed while its last two were written;</li>
 * <li>{@code batch}: composed after {@code docs/format.md}, holds what this version reads and does not write;</li>
 * <li>{@code critical}: a segment to take the place of that in {@code batch}.</li>
 * </ul>
 */
final class GoldenFiles
{
    static final UUID COMPOSED_UUID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");
    static final long CRITICAL_KIND = 5 | JournalDirectory.KIND_CRITICAL;

    private static final long SALT = 0xC0FF_EE00_1234_5678L;
    private static final long TIME_MS = 1_600_000_000_000L;

    private GoldenFiles()
    {
    }

    /** Creates the journal {@code written} and returns its records. */
    static List<Entry> write(final Path directory, final Backend backend, final int writeWindow)
    {
        final TestClock clock = new TestClock();
        final List<Entry> entries = new ArrayList<>();
        try (Journal journal = JournalFixture.repeatable(directory, backend, 42)
            .writeWindow(writeWindow).clock(clock).open())
        {
            append(journal, entries, 0, "one".getBytes(StandardCharsets.UTF_8));
            append(journal, entries, -1, new byte[0]);
            append(journal, entries, Long.MIN_VALUE, record(3, 1000));
            try (RecordClaim claim = journal.appender().claim(3000))
            {
                claim.buffer().setMemory(0, 3000, (byte)0xAA);
            }
            final byte[] claimed = record(4, 333);
            try (RecordClaim claim = journal.appender().claim(claimed.length))
            {
                claim.buffer().putBytes(0, claimed);
                entries.add(new Entry(claim.tag(44).commit(), 44, claimed));
            }
            for (int i = 5; i < 20; i++)
            {
                append(journal, entries, i, record(i, i * 50));
                clock.advance(200);
                if (0 == i % 5)
                {
                    journal.force();
                }
            }
            append(journal, entries, 20, record(20, 40_000));
            append(journal, entries, 21, record(21, 20_000));
            journal.force();
        }

        clock.advance(60_000);
        try (Journal journal = JournalFixture.repeatable(directory, backend, 43)
            .writeWindow(writeWindow).clock(clock).open())
        {
            for (int i = 22; i < 34; i++)
            {
                append(journal, entries, i, record(i, i));
            }
            journal.cursor("consumer").save(23);
            journal.cursor("other").save(30);
            journal.truncateAfter(25);
            entries.subList(25, entries.size()).clear();
            for (int i = 26; i < 30; i++)
            {
                append(journal, entries, i, record(i, i));
            }
        }

        return entries;
    }

    /**
     * Creates the journal {@code torn} and returns its records.
     *
     * @param scratch where the library writes what is copied, and torn.
     */
    static List<Entry> tear(final Path directory, final Path scratch) throws Exception
    {
        final TestClock clock = new TestClock();
        final List<Entry> entries = new ArrayList<>();
        final JournalDirectory live = new JournalDirectory(scratch);
        final JournalDirectory torn = new JournalDirectory(directory);
        try (Journal journal = JournalFixture.repeatable(scratch, Backend.FILE_CHANNEL, 44)
            .recycleSegments(true).writeWindow(0).clock(clock).open())
        {
            for (int i = 1; i <= 40; i++)
            {
                append(journal, entries, i, record(i, 6000));
                if (0 == i % 8)
                {
                    journal.force();
                    journal.backgroundAgent().doWork();
                    journal.prune(Math.max(1, i - 8));
                    clock.advance(1000);
                }
            }
            append(journal, entries, 41, record(41, 500));
            journal.cursor("consumer").save(40);
            append(journal, entries, 42, record(42, 500));
            append(journal, entries, 43, record(43, 500));
            final long first = journal.firstSequence();
            entries.removeIf((entry) -> entry.sequence() < first);
            final Map<String, byte[]> content = new TreeMap<>(live.content());
            content.keySet().removeIf((name) -> name.startsWith("spare-"));
            torn.restore(content);
        }
        // In a recycled segment, the record after this frame shows that the frame is not stale.
        final JournalDirectory.Frame frame = torn.record(42);
        torn.zero(frame.file(), frame.offset() + 100, frame.offset() + 200);
        entries.removeIf((entry) -> entry.sequence() >= 42);
        return entries;
    }

    private static void append(
        final Journal journal, final List<Entry> entries, final long tag, final byte[] bytes)
    {
        entries.add(new Entry(journal.appender().append(tag, ByteBuffer.wrap(bytes), 0, bytes.length), tag, bytes));
    }

    /** The records of the journal {@code batch}. */
    static List<Entry> batchEntries()
    {
        return List.of(
            new Entry(1, 7, "first".getBytes(StandardCharsets.UTF_8)),
            new Entry(2, 20, record(2, 5)),
            new Entry(3, 30, new byte[0]),
            new Entry(4, -40, record(4, 16)),
            new Entry(5, 50, record(5, 100)),
            new Entry(6, 60, record(6, 100)),
            new Entry(7, 70, new byte[0]));
    }

    static byte[] composedControl()
    {
        return FormatOracle.control(COMPOSED_UUID, SEGMENT_LENGTH, TIME_MS);
    }

    /** Composes a journal of one segment, which was closed. */
    static void closed(final Path directory, final SegmentWriter segment) throws IOException
    {
        compose(directory, segment);
        Files.write(
            directory.resolve(JournalDirectory.CONTROL),
            FormatOracle.closed(COMPOSED_UUID, SEGMENT_LENGTH, segment.position(), segment.sequence()));
    }

    /** Composes a journal of one segment, all of which is durable. */
    static void forced(final Path directory, final SegmentWriter segment) throws IOException
    {
        compose(directory, segment);
        Files.write(
            directory.resolve(JournalDirectory.CONTROL),
            FormatOracle.forced(COMPOSED_UUID, SEGMENT_LENGTH, segment.position(), segment.sequence()));
    }

    static SegmentWriter composedSegment()
    {
        return new SegmentWriter(COMPOSED_UUID, 0, SEGMENT_LENGTH, SALT, TIME_MS, 1);
    }

    static SegmentWriter batch()
    {
        final List<Entry> entries = batchEntries();
        final SegmentWriter segment = composedSegment();
        segment.mark(segment.position(), TIME_MS);
        segment.record(7, entries.get(0).bytes());
        segment.batch(entries.get(1), entries.get(2), entries.get(3));
        // Unknown kinds, with a length that is not a multiple of 8, zero, and the sign bit alone.
        segment.control(77, record(77, 13));
        segment.control(0, new byte[0]);
        segment.record(50, entries.get(4).bytes());
        segment.control(5 | Long.MIN_VALUE, record(5, 300));
        segment.batch(entries.get(5));
        segment.mark(4096, TIME_MS + 5000);
        segment.record(70, entries.get(6).bytes());
        return segment;
    }

    static SegmentWriter critical()
    {
        final SegmentWriter segment = composedSegment();
        return segment.mark(segment.position(), TIME_MS)
            .record(7, "first".getBytes(StandardCharsets.UTF_8))
            .control(CRITICAL_KIND, record(5, 20))
            .record(8, "second".getBytes(StandardCharsets.UTF_8));
    }

    static void compose(final Path directory, final SegmentWriter segment) throws IOException
    {
        Files.createDirectories(directory);
        Files.write(directory.resolve(JournalDirectory.CONTROL), composedControl());
        Files.write(JournalFixture.segment(directory, 0), segment.bytes());
    }

    public static void main(final String[] args) throws Exception
    {
        final Path directory = Path.of(args[0]);
        write(directory.resolve("written"), Backend.MAPPED, 0);
        Files.delete(directory.resolve("written").resolve("journal.lock"));
        tear(directory.resolve("torn"), Files.createTempDirectory("live"));
        compose(directory.resolve("batch"), batch());
        Files.createDirectories(directory.resolve("critical"));
        Files.write(JournalFixture.segment(directory.resolve("critical"), 0), critical().bytes());
    }
}
