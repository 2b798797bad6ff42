// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import io.journal.testkit.Tearing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
class RedoLogTest
{
    @TempDir
    Path tempDir;

    @Test
    void isEmptyAtFirst()
    {
        try (RedoLog log = open(directory()))
        {
            assertEquals(0, log.size());
            assertEquals(0, log.appliedSequence());
            assertNull(log.get("fruit"));
        }
    }

    @Test
    void whatWasPutLastIsThereAtOnceAndAfterOpeningAgain()
    {
        try (RedoLog log = open(directory()))
        {
            log.put("fruit", "apple");
            log.put("fruit", "pear");
            log.put("", "");
            log.put("früchte", "äpfel \uD83C\uDF4F");

            assertEquals("pear", log.get("fruit"));
        }

        try (RedoLog log = open(directory()))
        {
            assertEquals(3, log.size());
            assertEquals("pear", log.get("fruit"));
            assertEquals("", log.get(""));
            assertEquals("äpfel \uD83C\uDF4F", log.get("früchte"));
        }
    }

    @Test
    void whatWasRemovedIsGoneAtOnceAndAfterOpeningAgain()
    {
        try (RedoLog log = open(directory()))
        {
            log.put("fruit", "apple");

            assertTrue(log.remove("fruit"));
            assertNull(log.get("fruit"));
        }

        try (RedoLog log = open(directory()))
        {
            assertEquals(0, log.size());
            assertEquals(2, log.appliedSequence());
        }
    }

    @Test
    void textThatUtf8CannotHoldIsRejectedAndReplacesNothing()
    {
        try (RedoLog log = open(directory()))
        {
            log.put("?", "kept");

            assertThrows(IllegalArgumentException.class, () -> log.put("\uD800", "other"));
            assertThrows(IllegalArgumentException.class, () -> log.put("?", "\uDC00"));

            assertEquals("kept", log.get("?"));
            assertFalse(log.remove("\uD800"));
            log.put("\uD83C\uDF4E", "an apple");
            assertEquals("an apple", log.get("\uD83C\uDF4E"));
            assertEquals(2, log.size());
        }
    }

    @Test
    void removingWhatIsNotThereAppendsNothing()
    {
        try (RedoLog log = open(directory()))
        {
            assertFalse(log.remove("fruit"));
            assertEquals(0, log.appliedSequence());
        }
    }

    @Test
    void openingAgainAndAgainAppendsNothingAndGivesTheSameState()
    {
        try (RedoLog log = open(directory()))
        {
            log.put("fruit", "apple");
            log.put("fruit", "pear");
        }

        for (int i = 0; i < 3; i++)
        {
            try (RedoLog log = open(directory()))
            {
                assertEquals(1, log.size());
                assertEquals("pear", log.get("fruit"));
                assertEquals(2, log.appliedSequence());
            }
        }
    }

    @Test
    void commandSentOnceMoreAfterACrashChangesNothing() throws IOException
    {
        final Path crashed;
        try (RedoLog log = open(directory()))
        {
            log.put("fruit", "apple");
            crashed = CrashImage.copy(directory(), tempDir.resolve("crashed"));
        }

        try (RedoLog log = open(crashed))
        {
            log.put("fruit", "apple");

            assertEquals(1, log.size());
            assertEquals("apple", log.get("fruit"));
        }
    }

    @Test
    void everyCommandThatReturnedSurvivesACrashThatFollows() throws IOException
    {
        final long seed = 1;
        final Random random = new Random(seed);
        final Map<String, String> expected = new HashMap<>();
        try (RedoLog log = open(directory()))
        {
            for (int i = 0; i < 40; i++)
            {
                // The value is long enough for the events to fill several segments.
                changeAtRandom(random, log, expected, 8_000);
                final Path crashed = CrashImage.copy(directory(), tempDir.resolve("crashed-" + i));

                try (RedoLog recovered = open(crashed))
                {
                    final String message = "seed=" + seed + ", i=" + i;
                    assertEquals(log.appliedSequence(), recovered.appliedSequence(), message);
                    assertEquals(expected.size(), recovered.size(), message);
                    expected.forEach((key, value) -> assertEquals(value, recovered.get(key), message));
                }
                deleteFlat(crashed);
            }
        }
    }

    @Test
    void snapshotKeepsTheMapAndPrunesTheEventsInIt()
    {
        final Map<String, String> expected = new HashMap<>();
        try (RedoLog log = open(directory()))
        {
            log.snapshot();
            assertEquals(0, log.appliedSequence());
            final Random random = new Random(1);
            for (int i = 0; i < 200; i++)
            {
                changeAtRandom(random, log, expected, 5_000);
                if (i % 50 == 40)
                {
                    log.snapshot();
                }
            }
            log.put("früchte", "äpfel \uD83C\uDF4F");
            log.snapshot();
            log.put("", "");
        }

        expected.put("früchte", "äpfel \uD83C\uDF4F");
        expected.put("", "");
        try (RedoLog log = open(directory()))
        {
            assertHolds(expected, log, "");
        }
        try (Journal journal = CrashImage.settings(directory()).open())
        {
            assertTrue(journal.firstSequence() > 100, () -> "firstSequence=" + journal.firstSequence());
        }
    }

    @Test
    void journalThatIsOlderThanItsSnapshotIsRefused() throws IOException
    {
        final Path older = tempDir.resolve("older");
        try (RedoLog log = open(directory()))
        {
            log.put("fruit", "apple");
            CrashImage.copy(directory(), older);
            log.put("fruit", "pear");
            log.snapshot();
        }
        CrashImage.copy(directory().resolve("snapshots"), older.resolve("snapshots"));

        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> open(older));

        assertTrue(ex.getMessage().contains("snapshot=2, firstSequence=1, lastSequence=1;"), ex::getMessage);
    }

    /** Tests two backends, because the other two write like FILE_CHANNEL. */
    @ParameterizedTest
    @EnumSource(names = { "MAPPED", "FILE_CHANNEL" })
    void everyCommandThatReturnedSurvivesAPowerCut(final Backend backend) throws IOException
    {
        final Path locks = Files.createDirectory(tempDir.resolve("locks"));
        final Path otherLocks = Files.createDirectory(tempDir.resolve("other-locks"));
        for (int seed = 1; seed <= 2; seed++)
        {
            final Random random = new Random(seed);
            final FaultStore store = new FaultStore(backend);
            final Map<String, String> expected = new HashMap<>();
            try (RedoLog log = RedoLog.open(CrashImage.settings(locks).store(store)))
            {
                for (int i = 0; i < 40; i++)
                {
                    final String message = "backend=" + backend + ", seed=" + seed + ", i=" + i;
                    final List<CrashPoint> points = new ArrayList<>();
                    final boolean isSnapshot = random.nextInt(5) == 0;
                    store.faults((step) ->
                    {
                        if (isSnapshot && step.kind().isChange())
                        {
                            points.add(store.crashPoint());
                        }
                        return Fault.none();
                    });
                    if (isSnapshot)
                    {
                        log.snapshot();
                    }
                    else
                    {
                        changeAtRandom(random, log, expected, 15_000);
                    }
                    points.add(store.crashPoint());
                    for (final CrashPoint point : points)
                    {
                        final FaultStore disk = point.disk(Tearing.SECTORS, random.nextLong());
                        assertStarts(CrashImage.settings(otherLocks).store(disk), expected, message);
                    }
                }
            }
        }
    }

    /**
     * Asserts that the map opens with these entries, twice, with a snapshot between, and that no sequence is reused.
     */
    private static void assertStarts(
        final JournalBuilder settings, final Map<String, String> expected, final String message)
    {
        final long sequence;
        try (RedoLog log = RedoLog.open(settings))
        {
            assertHolds(expected, log, message);
            sequence = log.appliedSequence();
            log.put("more", "yes");
            assertEquals(sequence + 1, log.appliedSequence(), message);
            log.snapshot();
        }
        try (RedoLog log = RedoLog.open(settings))
        {
            assertEquals("yes", log.get("more"), message);
            assertEquals(expected.size() + 1, log.size(), message);
            assertEquals(sequence + 1, log.appliedSequence(), message);
        }
    }

    private static void assertHolds(final Map<String, String> expected, final RedoLog log, final String message)
    {
        assertEquals(expected.size(), log.size(), message);
        expected.forEach((key, value) -> assertEquals(value, log.get(key), message));
    }

    @Test
    void aCrashIsNotACleanClose() throws IOException
    {
        final Path crashed;
        try (RedoLog log = open(directory()))
        {
            log.put("fruit", "apple");
            crashed = CrashImage.copy(directory(), tempDir.resolve("crashed"));
        }

        try (Journal journal = CrashImage.settings(crashed).open())
        {
            assertFalse(journal.recoveryReport().isCleanlyClosed());
        }
        try (Journal journal = CrashImage.settings(directory()).open())
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
        }
    }

    @Test
    void commandThatAPowerCutLeftHalfWrittenIsNotThere() throws IOException
    {
        try (RedoLog log = open(directory()))
        {
            log.put("fruit", "apple");
        }
        final Path whole;
        final Path torn;
        try (Journal journal = CrashImage.settings(directory()).open())
        {
            final byte[] entry = "fruitpear 1234".getBytes(UTF_8);
            try (RecordClaim claim = journal.appender().claim(Integer.BYTES + entry.length))
            {
                claim.buffer().putInt(0, "fruit".length(), ByteOrder.LITTLE_ENDIAN);
                claim.buffer().putBytes(Integer.BYTES, entry);
                claim.tag(RedoLog.PUT).commit();
            }
            whole = CrashImage.copy(directory(), tempDir.resolve("whole"));
            torn = CrashImage.copy(directory(), tempDir.resolve("torn"));
            // Change one of the last 8 bytes of the frame, which hold the end of the value, then padding.
            final long end = journal.counters().appendedPosition();
            changeByte(torn.resolve("00000000000000000000.journal"), end - Long.BYTES);
        }

        try (RedoLog log = open(whole))
        {
            assertEquals("pear 1234", log.get("fruit"));
        }
        try (RedoLog log = open(torn))
        {
            assertEquals("apple", log.get("fruit"));
            assertEquals(1, log.appliedSequence());
        }
    }

    @Test
    void whatCouldNotBeForcedIsNotShown()
    {
        final FaultStore store = new FaultStore(Backend.MAPPED);
        final RedoLog log = RedoLog.open(CrashImage.settings(tempDir).store(store));
        log.put("fruit", "apple");
        store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));

        assertThrows(JournalException.class, () -> log.put("fruit", "pear"));
        assertThrows(JournalException.class, () -> log.remove("fruit"));

        assertEquals("apple", log.get("fruit"));
        assertEquals(1, log.appliedSequence());
        assertThrows(JournalException.class, log::close);
    }

    @Test
    void foreignEventIsRefusedAndTheDirectoryLeftUnlocked()
    {
        try (Journal journal = CrashImage.settings(directory()).open())
        {
            journal.appender().append(77, new byte[8], 0, 8);
        }

        final IllegalStateException ex = assertThrows(IllegalStateException.class, () -> open(directory()));

        assertTrue(ex.getMessage().contains("sequence=1, tag=77"), ex.getMessage());
        try (Journal journal = CrashImage.settings(directory()).open())
        {
            assertEquals(1, journal.lastSequence());
        }
    }

    @Test
    void opensOnlyOnceAtATimeAndClosesTwice()
    {
        final RedoLog log = open(directory());
        assertThrows(JournalLockedException.class, () -> open(directory()));

        log.close();
        log.close();

        open(directory()).close();
    }

    @Test
    void closedLogRefusesCommandsAndKeepsItsState()
    {
        final RedoLog log = open(directory());
        log.put("fruit", "apple");
        log.close();

        assertThrows(IllegalStateException.class, () -> log.put("fruit", "pear"));

        assertEquals("apple", log.get("fruit"));
    }

    private static void changeAtRandom(
        final Random random, final RedoLog log, final Map<String, String> expected, final int maxLength)
    {
        final String key = "key-" + random.nextInt(8);
        if (random.nextInt(4) == 0)
        {
            assertEquals(null != expected.remove(key), log.remove(key));
        }
        else
        {
            final String value = Character.toString('a' + random.nextInt(26)).repeat(random.nextInt(maxLength));
            log.put(key, value);
            expected.put(key, value);
        }
    }

    private static void changeByte(final Path file, final long offset) throws IOException
    {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
        {
            access.seek(offset);
            final int found = access.read();
            access.seek(offset);
            access.write(found ^ 0xFF);
        }
    }

    private static void deleteFlat(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            for (final Path file : files.toList())
            {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    private Path directory()
    {
        return tempDir.resolve("log");
    }

    private static RedoLog open(final Path directory)
    {
        return RedoLog.open(CrashImage.settings(directory));
    }
}
