// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.BeforeEach;

import static io.journal.tests.support.JournalDirectory.MARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Shared by tests of recovery: a journal, its state after a crash, and assertions about the reopened journal. A crash
 * is a copy of the files of an open journal, whose lock is free.
 */
@InMemory
public abstract class RecoveryFixture extends JournalFixture
{
    public RecordModel model;
    public JournalDirectory live;
    public JournalDirectory crashed;
    private int count;

    @BeforeEach
    public final void begin()
    {
        model = new RecordModel();
        live = directory("live-" + ++count);
        crashed = directory("crashed");
    }

    public final JournalDirectory directory(final String name)
    {
        return new JournalDirectory(temp.resolve(name));
    }

    public final Journal open(final JournalDirectory directory, final Backend backend)
    {
        return model.builder(directory, backend).open();
    }

    public final Journal open(final JournalDirectory directory, final Backend backend, final StepStore.Steps steps)
    {
        return model.builder(directory, backend).store(new StepStore(backend.store(directory.path), steps)).open();
    }

    /**
     * Opens without fsyncs, because there are many openings, and what a process crash leaves does not depend on fsyncs.
     */
    public final Journal openUnforced(final JournalDirectory directory, final Backend backend)
    {
        return model.builder(directory, backend).store(StepStore.unforced(backend.store(directory.path))).open();
    }

    public final void crashWithUnforced(final Backend backend, final int forced, final int unforced)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, forced, 100);
            journal.force();
            model.append(journal, unforced, 100);
            live.copyTo(crashed.path);
        }
    }

    /** Kills a writer whose records are all durable, and reach into a segment. */
    public final void crashWithForcedSegments(final Backend backend, final long newest, final int length)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, newest, length);
            journal.force();
            live.copyTo(crashed.path);
        }
    }

    /**
     * @return position behind the last record.
     */
    public final long closeCleanly(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 1, 3000);
            model.append(journal, 5, 33);
            return journal.counters().appendedPosition();
        }
    }

    public static void prepareNext(final Journal journal, final JournalDirectory directory) throws Exception
    {
        final long ordinal = directory.newest() + 1;
        for (int i = 0; i < 10 && !directory.exists(segmentName(ordinal)); i++)
        {
            journal.backgroundAgent().doWork();
        }
        assertTrue(directory.exists(segmentName(ordinal)));
    }

    public static void assertNothingCut(final RecoveryReport report)
    {
        assertEquals(0, report.tornLength());
        assertEquals("", report.tornReason());
    }

    /**
     * Asserts that an opening has cut the bytes of a segment from an offset on, and that these bytes are still in
     * place.
     *
     * @param before bytes of the segment before the opening.
     */
    public static void assertTorn(
        final RecoveryReport report, final JournalDirectory directory, final long ordinal, final int from,
        final byte[] before)
    {
        int to = before.length;
        while (0 == before[to - 1])
        {
            to--;
        }
        assertEquals(to - from, report.tornLength(), report::toString);
        assertCut(directory, ordinal, from, to, before);
    }

    /** Asserts that the state leaves out bytes of a segment, and that these bytes are unchanged. */
    public static void assertCut(
        final JournalDirectory directory, final long ordinal, final int from, final int to, final byte[] before)
    {
        assertArrayEquals(Arrays.copyOf(before, to), Arrays.copyOf(directory.read(segmentName(ordinal)), to));
        final long base = ordinal * SEGMENT_LENGTH;
        assertTrue(
            directory.state().cuts().stream().anyMatch((cut) -> cut.from() <= base + from && cut.to() >= base + to),
            () -> "from=" + (base + from) + ", to=" + (base + to) + ", " + directory.state());
    }

    /**
     * Asserts that the newest term begins after an offset of the first segment, and that the bytes between are
     * unchanged, up to the frame that begins the term.
     */
    static void assertCut(final JournalDirectory directory, final int offset, final byte[] before)
    {
        final Cut cut = directory.state().newest();
        assertEquals(offset, cut.from());
        final byte[] after = directory.read(segmentName(0));
        final int kept = (int)Math.min(SEGMENT_LENGTH, cut.to());
        assertArrayEquals(Arrays.copyOf(before, kept), Arrays.copyOf(after, kept));
        final int rest = Math.min(SEGMENT_LENGTH, kept + MARK_LENGTH);
        assertArrayEquals(new byte[SEGMENT_LENGTH - rest], Arrays.copyOfRange(after, rest, SEGMENT_LENGTH));
    }

    public static void assertNames(final String message, final Frame frame)
    {
        assertNamesPlace(message, frame.ordinal(), frame.offset());
        assertTrue(message.contains("sequence=" + frame.sequence()), message);
    }

    static void assertNamesPlace(final String message, final long ordinal, final int offset)
    {
        assertTrue(message.contains("file=" + segmentName(ordinal)), message);
        assertTrue(message.contains("offset=" + offset), message);
        assertTrue(message.contains("sequence="), message);
        assertTrue(message.contains("expected="), message);
        assertTrue(message.contains("found="), message);
    }

    public final void assertRefusedUnchanged(
        final JournalDirectory directory, final Backend backend, final Frame frame, final Damage damage)
    {
        final Map<String, byte[]> image = directory.content();
        damage.apply(directory, frame);
        final Map<String, byte[]> before = directory.content();

        final CorruptJournalException ex = assertThrows(
            CorruptJournalException.class, () -> open(directory, backend).close(), () -> damage + " of " + frame);

        assertNames(ex.getMessage(), frame);
        directory.assertHolds(before);
        directory.restore(image);
    }

    public final void assertReaderStaysAt(final Journal journal, final Frame frame)
    {
        final String message = assertReaderStays(journal, frame.sequence(), frame.ordinal(), frame.offset());
        assertTrue(message.contains("sequence=" + frame.sequence()), message);
    }

    public final String assertReaderStays(final Journal journal, final long sequence, final long ordinal,
        final int offset)
    {
        final List<Entry> found = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            String message = null;
            for (int i = 0; i < 3; i++)
            {
                final CorruptJournalException ex =
                    assertThrows(CorruptJournalException.class, () -> readOn(reader, found));
                assertEquals(sequence, reader.nextSequence());
                message = ex.getMessage();
                assertTrue(message.contains("file=" + segmentName(ordinal)), message);
                assertTrue(message.contains("offset=" + offset), message);
                assertTrue(message.contains("expected="), message);
                assertTrue(message.contains("found="), message);
            }
            model.assertHolds(found, sequence - 1);
            return message;
        }
    }
}
