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
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.BeforeEach;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.MARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
     * Without forces, for the number of openings: what a crash of a process leaves does not depend on them.
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
        assertEquals(List.of(), report.quarantined());
    }

    public static void assertQuarantined(
        final RecoveryReport report, final JournalDirectory directory, final long ordinal, final int from,
        final byte[] before)
    {
        assertEquals(1, report.quarantined().size(), report::toString);
        final String name = report.quarantined().get(0);
        // With the header, if nothing of the segment is kept.
        final int copiedFrom = FIRST_OFFSET == from ? 0 : from;
        assertEquals(
            assertQuarantined(directory, name, ordinal, copiedFrom, before), report.tornLength() + from - copiedFrom);
    }

    /**
     * @return number of quarantined bytes.
     */
    public static long assertQuarantined(
        final JournalDirectory directory, final String name, final long ordinal, final int from, final byte[] before)
    {
        final String prefix = String.format("quarantine/%020d-", ordinal * SEGMENT_LENGTH + from);
        assertTrue(name.startsWith(prefix) && name.endsWith(".tail"), name);
        int to = before.length;
        while (0 == before[to - 1])
        {
            to--;
        }
        final byte[] found = directory.read(name);
        assertArrayEquals(Arrays.copyOfRange(before, from, to), found);
        return found.length;
    }

    /**
     * Asserts that bytes below an offset are what they were, and behind it is nothing but what opening puts there.
     */
    static void assertCut(final JournalDirectory directory, final int offset, final byte[] before)
    {
        final byte[] after = directory.read(segmentName(0));
        assertArrayEquals(Arrays.copyOf(before, offset), Arrays.copyOf(after, offset));
        final int rest = SEGMENT_LENGTH - offset < MARK_LENGTH ? offset : offset + MARK_LENGTH;
        assertArrayEquals(new byte[SEGMENT_LENGTH - rest], Arrays.copyOfRange(after, rest, SEGMENT_LENGTH));
        final State state = directory.state();
        assertFalse(state.isPending());
        assertNotEquals(0, state.epoch());
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

    public final void assertReadableBehind(final Journal journal, final long sequence)
    {
        // From the next segment on: what lies behind damage in the same one cannot be reached through it.
        final List<Entry> found = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            long next = sequence;
            while (segmentOf(next) == segmentOf(sequence - 1))
            {
                next++;
            }
            reader.seek(next);
            readOn(reader, found);
            assertEquals(model.size() - next + 1, found.size());
            RecordModel.assertEntry(model.entry(next), found.get(0));
        }
    }

    final long segmentOf(final long sequence)
    {
        return live.record(sequence).ordinal();
    }
}
