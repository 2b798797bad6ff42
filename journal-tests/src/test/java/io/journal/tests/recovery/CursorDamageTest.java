package io.journal.tests.recovery;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.journal.ReadOnlyJournal;
import io.journal.Internals;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.JournalMeta;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Test;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.MARK;
import static io.journal.tests.support.JournalDirectory.littleEndian;
import static io.journal.tests.support.JournalDirectory.sealed;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Cursors with a damaged, foreign or unusable file, and cursors ahead of the journal.
 */
class CursorDamageTest extends RecoveryFixture
{
    private static final String FILE = "cursors/a.cursor";

    // Of the journal before its first record, as a power loss may leave it.
    private byte[] mark;

    @Test
    void everyFlippedBitIsReportedOrLosesNoConsumerARecord() throws IOException
    {
        final Backend backend = Backend.FILE_CHANNEL;
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            for (final long sequence : new long[]{ 3, 9, 8 })
            {
                journal.cursor("a").save(sequence);
            }
            journal.cursor("b").save(9);
            journal.cursor("b").save(10);
        }
        final UUID uuid = JournalMeta.read(backend.store(live.path), true).uuid;
        int reported = 0;
        for (final String name : List.of("a", "b"))
        {
            final byte[] intact = live.read("cursors/" + name + ".cursor");
            for (int index = 0; index < intact.length; index += isTelling(index) ? 1 : 31)
            {
                for (int bit = 0; bit < 8; bit++)
                {
                    live.overwrite(
                        "cursors/" + name + ".cursor", index, (byte)(intact[index] ^ (1 << bit)));
                    try
                    {
                        final long sequence =
                            CursorFile.read(backend.store(live.file("cursors")), name, uuid).sequence();
                        assertTrue(("a".equals(name) ? List.of(8L) : List.of(9L, 10L)).contains(sequence));
                    }
                    catch (final JournalException ex)
                    {
                        assertTrue(index < BLOCK_LENGTH, ex::getMessage);
                        reported++;
                    }
                    live.overwrite("cursors/" + name + ".cursor", index, intact[index]);
                }
            }
        }
        assertTrue(reported > 2000, "reported=" + reported);
    }

    private static boolean isTelling(final int index)
    {
        final int offset = index % BLOCK_LENGTH;
        return offset < 160 || offset >= BLOCK_LENGTH - 8;
    }

    @EachBackend
    void corruptCursorIsReportedOnAccessAndCanBeDeleted(final Backend backend)
    {
        prepare(backend);
        final Map<String, byte[]> image = crashed.content();
        for (final Map.Entry<String, Consumer<JournalDirectory>> damage : damages().entrySet())
        {
            crashed.restore(image);
            damage.getValue().accept(crashed);
            final Map<String, byte[]> before = cursorFiles();
            final List<Throwable> reported = new ArrayList<>();
            try (Journal journal = model.builder(crashed, backend).errorHandler(reported::add).open())
            {
                model.assertHolds(journal);
                assertEquals(before.keySet(), cursorFiles().keySet());
                assertEquals(List.of("a", "b"), journal.cursorNames(), damage.getKey());
                assertEquals(6, journal.cursor("b").sequence());
                for (int i = 0; i < 2; i++)
                {
                    final JournalException ex =
                        assertThrows(JournalException.class, () -> journal.cursor("a"), damage.getKey());
                    assertTrue(ex instanceof CorruptJournalException || damage.getKey().startsWith("newer"));
                    assertTrue(ex.getMessage().contains("file=" + FILE), ex.getMessage());
                    assertTrue(ex.getMessage().contains("; delete the cursor to let its consumer begin"),
                        ex.getMessage());
                    assertEquals(0, Internals.cursors(journal).oldestSequence());
                    Internals.cursors(journal).reportObstacle(reported::add);
                }
                assertEquals(1, reported.size());

                journal.deleteCursor("a");

                assertEquals(6, Internals.cursors(journal).oldestSequence());
                assertEquals(0, journal.cursor("a").sequence());
                journal.cursor("a").save(2);
                assertEquals(2, Internals.cursors(journal).oldestSequence());
                assertEquals(1, reported.size());
            }
            try (Journal journal = open(crashed, backend))
            {
                assertEquals(2, journal.cursor("a").sequence(), damage.getKey());
            }
        }
    }

    private static Map<String, Consumer<JournalDirectory>> damages()
    {
        final byte[] garbage = new byte[3 * BLOCK_LENGTH];
        new Random(7).nextBytes(garbage);
        return Map.ofEntries(
            Map.entry("empty", (directory) -> directory.cut(FILE, 0)),
            Map.entry("shorter", (directory) -> directory.cut(FILE, 3 * BLOCK_LENGTH - 1)),
            Map.entry("one block", (directory) -> directory.cut(FILE, BLOCK_LENGTH)),
            Map.entry("longer", (directory) -> directory.put(FILE, new byte[3 * BLOCK_LENGTH + 1])),
            Map.entry("zeros", (directory) -> directory.put(FILE, new byte[3 * BLOCK_LENGTH])),
            Map.entry("garbage", (directory) -> directory.put(FILE, garbage)),
            Map.entry("no slot", (directory) -> directory.zero(FILE, BLOCK_LENGTH, 3 * BLOCK_LENGTH)),
            Map.entry("other journal", (directory) -> directory.adopt(FILE, new UUID(1, 2))),
            Map.entry("other cursor", (directory) -> directory.put(FILE, directory.read("cursors/b.cursor"))),
            Map.entry("other magic", (directory) -> directory.put(FILE, directory.read("journal.meta"))),
            Map.entry("newer version", (directory) -> changeIdentity(directory, 8, (byte)3)),
            Map.entry("newer feature", (directory) -> changeIdentity(directory, 24, (byte)1)),
            Map.entry("newer feature of writers", (directory) -> changeIdentity(directory, 20, (byte)1)),
            Map.entry("negative sequence", (directory) -> writePlace(directory, 9, 0, -1)),
            Map.entry("huge sequence", (directory) -> writePlace(directory, 9, 0, Long.MAX_VALUE)),
            Map.entry("generation 0", (directory) -> writePlace(directory, 0, 0, 3)),
            Map.entry("huge generation", (directory) -> writePlace(directory, Long.MAX_VALUE, 0, 3)),
            Map.entry("another term", (directory) -> writePlace(directory, 9, 1, 3)),
            Map.entry("negative term", (directory) -> writePlace(directory, 9, -1, 3)),
            Map.entry("a directory", CursorDamageTest::putDirectory),
            Map.entry("a link", CursorDamageTest::putLink));
    }

    private static void changeIdentity(final JournalDirectory directory, final int offset, final byte value)
    {
        final byte[] block = directory.read(FILE, 0, BLOCK_LENGTH);
        block[offset] = value;
        directory.overwrite(FILE, 0, sealed(block));
    }

    private static void writePlace(
        final JournalDirectory directory, final long generation, final long epoch, final long sequence)
    {
        directory.overwrite(FILE, (1 + (generation & 1)) * BLOCK_LENGTH, place(generation, epoch, sequence));
    }

    private static byte[] place(final long generation, final long epoch, final long sequence)
    {
        final byte[] block = new byte[BLOCK_LENGTH];
        littleEndian(block).putLong(0, generation).putLong(8, epoch).putLong(16, sequence);
        return sealed(block);
    }

    private static void putDirectory(final JournalDirectory directory)
    {
        directory.delete(FILE);
        try
        {
            Files.createDirectory(directory.file(FILE));
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
    }

    private static void putLink(final JournalDirectory directory)
    {
        directory.rename(FILE, "elsewhere");
        try
        {
            Files.createSymbolicLink(directory.file(FILE), directory.file("elsewhere"));
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @EachBackend
    void otherFilesAmongCursorsAreIgnored(final Backend backend)
    {
        prepare(backend);
        for (final String name : List.of("spare", ".hidden.cursor", "a b.cursor", ".cursor", "note.txt", "a.cursor~"))
        {
            crashed.put("cursors/" + name, new byte[100]);
        }
        final Journal journal = closing(open(crashed, backend));
        assertEquals(List.of("a", "b"), journal.cursorNames());
        assertEquals(4, Internals.cursors(journal).oldestSequence());
        assertEquals(0, journal.cursor("spare").sequence());
    }

    @EachBackend
    void fileInPlaceOfTheDirectoryIsReportedOnAccess(final Backend backend)
    {
        open(live, backend).close();
        live.put("cursors", new byte[100]);
        final Journal journal = closing(open(live, backend));
        final JournalException ex = assertThrows(JournalException.class, () -> journal.cursor("a"));
        assertTrue(ex.getMessage().contains("cursors"), ex.getMessage());
        model.append(journal, 3, 100);
        journal.force();
    }

    @EachBackend
    void cursorAheadOfTheEndIsReportedAndStaysUnusableUntilItIsDeleted(final Backend backend)
    {
        prepare(backend);
        final byte[] olderMark = mark;
        final Map<String, byte[]> image = crashed.content();
        for (final Damage damage : Damage.values())
        {
            for (final boolean isMarkLost : new boolean[]{ true, false })
            {
                crashed.restore(image);
                damage.apply(crashed, crashed.record(6));
                if (!isMarkLost)
                {
                    crashed.put(MARK, olderMark);
                }
                assertAheadInReadOnly(backend, 5);

                try (Journal journal = open(crashed, backend))
                {
                    // A durable record is gone, although the mark file may be of this epoch.
                    assertTrue(journal.recoveryReport().mayHaveLostAcknowledged());
                    model.assertHolds(journal, 5);
                    assertEquals(4, journal.cursor("a").sequence());
                    assertUnusable(journal, "found=sequence 6");
                    // The lost sequences are given to other records.
                    for (int i = 0; i < 5; i++)
                    {
                        journal.appender().append(new byte[100]);
                    }
                    journal.force();
                    assertUnusable(journal, "at most sequence 5");
                }
                assertStaysUnusable(backend);
            }
        }
    }

    private void assertAheadInReadOnly(final Backend backend, final long lastSequence)
    {
        try (ReadOnlyJournal journal = Internals.openReadOnly(crashed.path, backend.store(crashed.path)))
        {
            final JournalCursor.Saved saved = journal.cursors().get(1);
            assertFalse(saved.isUsable());
            assertTrue(saved.fault().contains("at most sequence " + lastSequence), saved::fault);
        }
    }

    private static void assertUnusable(final Journal journal, final String fault)
    {
        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> journal.cursor("b"));
        assertTrue(ex.getMessage().contains("file=cursors/b.cursor"), ex.getMessage());
        assertTrue(ex.getMessage().contains(fault), ex.getMessage());
        assertTrue(ex.getMessage().contains("; delete the cursor to let its consumer begin"), ex.getMessage());
        assertEquals(List.of("a", "b"), journal.cursorNames());
        assertEquals(0, Internals.cursors(journal).oldestSequence());
    }

    private void assertStaysUnusable(final Backend backend)
    {
        for (int i = 0; i < 2; i++)
        {
            try (Journal journal = open(crashed, backend))
            {
                assertFalse(journal.recoveryReport().mayHaveLostAcknowledged());
                assertUnusable(journal, "term -1, sequence");
                journal.truncateAfter(journal.lastSequence() - 1);
            }
        }
        try (Journal journal = open(crashed, backend))
        {
            journal.deleteCursor("b");
            assertEquals(0, journal.cursor("b").sequence());
        }
    }

    @EachBackend
    void cursorAheadOfACleanlyClosedJournalIsUnusableToo(final Backend backend)
    {
        try (Journal journal = open(crashed, backend))
        {
            model.append(journal, 6, 100);
            journal.cursor("a").save(4);
            journal.cursor("b").save(6);
        }
        crashed.overwrite(
            "cursors/b.cursor", 2 * BLOCK_LENGTH, place(9, 0, 1000));
        try (Journal journal = open(crashed, backend))
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            assertTrue(journal.recoveryReport().mayHaveLostAcknowledged());
            assertUnusable(journal, "at most sequence 6");
            assertEquals(4, journal.cursor("a").sequence());
        }
        assertStaysUnusable(backend);
    }

    @EachBackend
    void withdrawalOfACursorIsRepeatedAfterACrash(final Backend backend)
    {
        try (Journal journal = open(crashed, backend))
        {
            model.append(journal, 6, 100);
            journal.cursor("a").save(4);
            journal.cursor("b").save(6);
        }
        final String file = "cursors/b.cursor";
        crashed.overwrite(file, 2 * BLOCK_LENGTH, place(9, 0, 1000));
        final AtomicInteger forces = new AtomicInteger();
        assertThrows(JournalException.class, () -> open(crashed, backend, (step, name) ->
        {
            // The first one confirms what was read.
            if (StepStore.Step.FORCE == step && file.equals(name) && 2 == forces.incrementAndGet())
            {
                throw new IOException("injected");
            }
            return true;
        }));

        try (Journal journal = open(crashed, backend))
        {
            assertTrue(journal.recoveryReport().mayHaveLostAcknowledged());
            assertUnusable(journal, "term -1, sequence");
            for (final int slot : new int[]{ BLOCK_LENGTH, 2 * BLOCK_LENGTH })
            {
                assertEquals(-1, littleEndian(crashed.read(file, slot, slot + BLOCK_LENGTH)).getLong(8));
            }
        }
        assertStaysUnusable(backend);
    }

    @EachBackend
    void cursorThatMissedATruncationIsNotUsed(final Backend backend)
    {
        prepare(backend);
        final byte[] stale = crashed.read(FILE);
        crashed.overwrite(segmentName(0), crashed.end() + 8, (byte)1);
        try (Journal journal = open(crashed, backend))
        {
            assertTrue(journal.recoveryReport().tornLength() > 0);
            assertEquals(4, journal.cursor("a").sequence());
        }
        // A torn tail had no record that a cursor could be at.
        crashed.put(FILE, stale);
        try (Journal journal = open(crashed, backend))
        {
            assertEquals(4, journal.cursor("a").sequence());
            journal.truncateAfter(3);
            appendNumbered(journal, 5, 100);
        }

        crashed.put(FILE, stale);
        final Journal journal = closing(open(crashed, backend));
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> journal.cursor("a"));
        assertTrue(ex.getMessage().contains("of another history"), ex.getMessage());
        assertEquals(3, journal.cursor("b").sequence());
    }

    @EachBackend
    void cursorOfPrunedRecordsKeepsItsSequence(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            model.appendInto(journal, 2, 3000);
            journal.force();
            live.copyTo(crashed.path);
        }
        final State state = crashed.state();
        final long first = crashed.records(1).get(0).sequence();
        crashed.writeState(
            new State(state.generation() + 1, state.epoch(), SEGMENT_LENGTH, first, false, 0, 0, 0));
        final Journal journal = closing(open(crashed, backend));
        final JournalCursor cursor = journal.cursor("a");
        assertEquals(first, journal.firstSequence());
        assertEquals(5, cursor.sequence());
        assertEquals(model.size() - first + 1, cursor.lag());
        assertThrows(IllegalArgumentException.class, () -> cursor.save(first - 2));
        cursor.save(first - 1);
        assertEquals(model.size() - first + 1, cursor.lag());
        assertEquals(first - 1, journal.cursor("new").sequence());
    }

    @EachBackend
    void oldestCursorIsTheLowest(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        assertEquals(Long.MAX_VALUE, Internals.cursors(journal).oldestSequence());
        model.append(journal, 10, 100);
        journal.cursor("a").save(5);
        assertEquals(5, Internals.cursors(journal).oldestSequence());
        journal.cursor("b").save(9);
        journal.cursor("a").save(10);
        assertEquals(9, Internals.cursors(journal).oldestSequence());
        journal.deleteCursor("b");
        assertEquals(10, Internals.cursors(journal).oldestSequence());
    }

    /**
     * Six records that nothing but cursors attest, one cursor at 4 and one at 6.
     */
    private void prepare(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            mark = live.read(MARK);
            model.append(journal, 6, 100);
            journal.cursor("a").save(4);
            journal.cursor("b").save(6);
            live.copyTo(crashed.path);
        }
        crashed.delete(MARK);
        assertTrue(crashed.marks(0).stream().allMatch((mark) -> mark.markedPosition() <= BLOCK_LENGTH));
        assertEquals(3 * BLOCK_LENGTH, crashed.read(FILE).length);
    }

    private Map<String, byte[]> cursorFiles()
    {
        final Map<String, byte[]> files = crashed.content();
        files.keySet().removeIf((name) -> !name.startsWith("cursors/"));
        return files;
    }
}
