// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.format.FormatOracle;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
@InMemory
class BackendMatrixTest extends JournalFixture
{
    private static final int[] WINDOWS = { 0, 1001, 65536 };

    @ParameterizedTest
    @ValueSource(longs = { 1, 3 })
    void equalInputGivesEqualBytesOnEveryBackendWithEveryWindow(final long seed) throws IOException
    {
        final int segmentLength = 0 == seed % 3 ? 4 * SEGMENT_LENGTH : SEGMENT_LENGTH;
        final Supplier<String> facts = () -> "seed=" + seed;
        assertEqualBytes((directory, backend, window) ->
        {
            final List<Entry> entries = writeSome(directory, backend, window, segmentLength, seed);
            // The bytes also follow docs/format.md.
            if (Backend.FILE_CHANNEL == backend && 0 == window)
            {
                final FormatOracle.Content content = FormatOracle.read(directory);
                assertEquals(entries, content.entries(), facts);
                assertTrue(content.count(JournalDirectory.KIND_PADDING) > 0, facts);
            }
        });
    }

    private interface Writing
    {
        void write(Path directory, Backend backend, int window) throws IOException;
    }

    private void assertEqualBytes(final Writing writing) throws IOException
    {
        Map<String, String> expected = null;
        for (final Backend backend : UsableBackends.in(temp))
        {
            for (final int window : Backend.MAPPED == backend ? new int[]{ 0 } : WINDOWS)
            {
                final Path directory = temp.resolve(backend + "-" + window);
                writing.write(directory, backend, window);
                final Map<String, String> written = segmentsAndStates(directory);
                expected = null == expected ? written : expected;
                assertSamePicture(expected, written, "backend=" + backend + ", window=" + window);
                deleteAll(directory);
            }
        }
    }

    private static List<Entry> writeSome(
        final Path directory, final Backend backend, final int window, final int segmentLength, final long seed)
    {
        final Random random = new Random(seed);
        final TestClock clock = new TestClock();
        final List<Entry> entries = new ArrayList<>();
        for (int life = 0; life < 5; life++)
        {
            try (Journal journal = repeatable(directory, backend, seed + life)
                .segmentLength(segmentLength).writeWindow(window).clock(clock).open();
                JournalReader reader = journal.openReader())
            {
                for (int i = 0; i < 100; i++)
                {
                    step(journal, reader, entries, clock, random);
                }
                // Each session ends with a long record.
                journal.appender().append(0, record(life, 10_000), 0, 10_000);
                entries.add(new Entry(journal.lastSequence(), 0, record(life, 10_000)));
            }
        }

        return entries;
    }

    private static void step(
        final Journal journal,
        final JournalReader reader,
        final List<Entry> entries,
        final TestClock clock,
        final Random random)
    {
        final JournalAppender appender = journal.appender();
        final int length = length(journal, random);
        final long tag = random.nextLong();
        final byte[] bytes = record(tag, length);
        final Entry entry = new Entry(entries.size() + 1L, tag, bytes);
        switch (random.nextInt(9))
        {
            case 0:
                appender.append(tag, bytes, 0, length);
                entries.add(entry);
                break;

            case 1:
                appender.append(tag, ByteBuffer.allocateDirect(length + 3).put(3, bytes), 3, length);
                entries.add(entry);
                break;

            case 2:
                appender.append(tag, JournalAppender.wrap(bytes), 0, length);
                entries.add(entry);
                break;

            case 3:
            case 4:
                try (RecordClaim claim = appender.claim(length))
                {
                    claim.buffer().putBytes(0, bytes);
                    if (random.nextBoolean())
                    {
                        claim.tag(tag).commit();
                        entries.add(entry);
                    }
                }
                break;

            case 5:
                journal.force();
                break;

            case 6:
                clock.advance(random.nextInt(1500));
                break;

            case 7:
                doWork(journal);
                break;

            default:
                // A read flushes buffered records earlier than the writer would; the bytes are the same.
                reader.poll((buffer, offset, recordLength, header) -> assertTrue(recordLength >= 0), 3);
                break;
        }
    }

    private static int length(final Journal journal, final Random random)
    {
        return switch (random.nextInt(8))
        {
            case 0 -> 0;
            case 1, 2 -> random.nextInt(5000);
            case 3 -> random.nextInt(journal.appender().maxRecordLength() / 4);
            // A record that ends at the end of the segment, or just before it.
            case 4 -> Math.min(
                journal.appender().maxRecordLength(),
                Math.max(
                    0,
                    (int)(journal.segmentLength() - journal.counters().appendedPosition() % journal.segmentLength()) -
                        24 - 8 * random.nextInt(12)));
            default -> random.nextInt(200);
        };
    }

    @Test
    void longestRecordsGiveEqualBytesOnEveryBackend() throws IOException
    {
        assertEqualBytes((directory, backend, window) ->
        {
            try (Journal journal = repeatable(directory, backend, 7).writeWindow(window).open())
            {
                for (int length = LARGEST_RECORD - 17; length <= LARGEST_RECORD; length++)
                {
                    appendNumbered(journal, 1, length);
                }
            }
            if (Backend.FILE_CHANNEL == backend && 0 == window)
            {
                assertNumbered(1, 18, FormatOracle.read(directory).entries());
            }
        });
    }

    /** {@return the files without the watermarks, which depend on how far each backend writes ahead of an fsync} */
    private static Map<String, String> segmentsAndStates(final Path directory) throws IOException
    {
        new JournalDirectory(directory).zero(
            JournalDirectory.CONTROL, JournalDirectory.WATERMARKS[0], JournalDirectory.CONTROL_LENGTH);
        return pictureOfContent(directory);
    }

    private static void deleteAll(final Path directory) throws IOException
    {
        for (final String name : picture(directory).descendingKeySet())
        {
            Files.delete(directory.resolve(name));
        }
    }
}
