// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.ForcePolicy;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalCursor;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.LogRecords;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@InMemory
class SnapshotsTest extends JournalFixture
{
    private static final int LARGE = 300_000;

    private final List<Throwable> reported = new ArrayList<>();
    private String loaded = "nothing";

    @EachBackend
    void newestSnapshotIsLoadedWithItsSequence(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            append(journal, 5);
            save(journal, 3, "three");
            save(journal, 5, "five");
            assertLoads(journal, 5, "five");
            assertSame(journal.snapshots(), journal.snapshots());
        }
        final Journal journal = closing(open(backend));
        assertLoads(journal, 5, "five");
        assertEquals(List.of(name(3, 1), name(5, 1)), files());
        assertEquals(List.of(), reported);
    }

    private void assertLoads(final Journal journal, final long sequence, final String state)
    {
        assertEquals(sequence, load(journal));
        assertEquals(state, loaded);
    }

    private static String name(final long sequence, final int number)
    {
        return JournalFiles.digits(sequence) + "-" + number + ".snapshot";
    }

    @Test
    void withoutASnapshotAllHistoryIsReplayed()
    {
        final Journal journal = closing(open(Backend.MAPPED));
        assertEquals(0, load(journal));
        append(journal, 3);
        assertLoads(journal, 0, "nothing");
        assertEquals(1, journal.snapshots().prune());
        assertEquals(0, journal.snapshots().discardAfter(0));
        assertFalse(Files.exists(snapshots()));
    }

    @EachBackend
    void contentOfAnyLengthIsStreamedInAnyPieces(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        for (final int length : new int[]{ 0, 1, 4096, 65_535, 65_536, 65_537, LARGE })
        {
            append(journal, 1);
            final byte[] content = record(length, length);
            journal.snapshots().save(journal.lastSequence(), (output) ->
            {
                int done = 0;
                for (int piece = 1; done < length; piece = piece * 3 % 10_007)
                {
                    if (1 == piece)
                    {
                        output.write(content[done]);
                    }
                    else
                    {
                        output.write(content, done, Math.min(piece, length - done));
                    }
                    done += Math.min(piece, length - done);
                }
            });

            final byte[][] found = new byte[2][];
            journal.snapshots().load((input) -> found[0] = input.readAllBytes());
            journal.snapshots().load((input) ->
            {
                found[1] = new byte[length];
                for (int i = 0; i < length; i++)
                {
                    found[1][i] = (byte)input.read();
                }
                assertEquals(-1, input.read());
            });
            assertArrayEquals(content, found[0]);
            assertArrayEquals(content, found[1]);
        }
    }

    @EachBackend
    void savingMakesTheJournalDurableFirst(final Backend backend)
    {
        for (final ForcePolicy policy : List.of(ForcePolicy.manual(), ForcePolicy.every(Duration.ofHours(1))))
        {
            try (Journal journal = builder(backend).force(policy).backgroundThread(false).open())
            {
                append(journal, 4);
                final long sequence = journal.lastSequence() - 1;
                final long[] forced = new long[1];
                journal.snapshots().save(sequence, (output) -> forced[0] = journal.forcedSequence());
                assertTrue(forced[0] >= sequence, () -> "forced=" + forced[0]);
            }
        }
    }

    @Test
    void twoNewestSnapshotsAreKept()
    {
        final Journal journal = closing(open(Backend.MAPPED));
        append(journal, 6);
        for (int i = 0; i <= 6; i++)
        {
            save(journal, i, "state " + i);
        }
        assertEquals(List.of(name(5, 1), name(6, 1)), files());
        // Later snapshots of the same sequence replace those before.
        for (int i = 2; i <= 12; i++)
        {
            save(journal, 6, "version " + i);
            assertLoads(journal, 6, "version " + i);
        }
        assertEquals(List.of(name(6, 11), name(6, 12)), files());
    }

    @Test
    void sequenceOutsideTheJournalOrBeforeASnapshotIsRejected()
    {
        final Journal journal = closing(open(Backend.MAPPED));
        append(journal, 3);
        assertThrows(IllegalArgumentException.class, () -> save(journal, 4, ""));
        assertThrows(IllegalArgumentException.class, () -> save(journal, -1, ""));
        assertFalse(Files.exists(snapshots()));

        save(journal, 2, "two");
        assertContains(
            "requested=1, newest=2, ", assertThrows(IllegalArgumentException.class, () -> save(journal, 1, "one")));
        assertEquals(2, load(journal));
    }

    @Tag("slow")
    @Test
    void damagedSnapshotIsReportedAndTheOlderOneLoaded() throws IOException
    {
        final Journal journal = closing(open(Backend.FILE_CHANNEL));
        append(journal, 8);
        save(journal, 5, "older");
        save(journal, 8, "newer state");
        final Path file = snapshots().resolve(name(8, 1));
        final byte[] bytes = Files.readAllBytes(file);
        assertEquals(4096 + "newer state".length(), bytes.length);
        for (int i = 0; i < bytes.length; i++)
        {
            Files.write(file, Arrays.copyOf(bytes, i));
            assertFallsBack(journal, "length " + i);
            bytes[i] ^= (byte)(1 << i % 8);
            Files.write(file, bytes);
            assertFallsBack(journal, "offset " + i);
            bytes[i] ^= (byte)(1 << i % 8);
        }
        final byte[] newer = bytes.clone();
        newer[9] = 1;
        newer[4092] ^= 1;
        Files.write(file, newer);
        assertThrows(UnsupportedFormatException.class, () -> load(journal));
        Files.write(file, Arrays.copyOf(bytes, bytes.length + 1));
        assertFallsBack(journal, "longer");
        Files.write(file, bytes);
        assertEquals(8, load(journal));
    }

    private void assertFallsBack(final Journal journal, final String where)
    {
        reported.clear();
        assertEquals(5, load(journal), where);
        assertEquals("older", loaded, where);
        assertEquals(1, reported.size(), where);
        assertContains(name(8, 1), assertInstanceOf(CorruptJournalException.class, reported.get(0)));
    }

    @Test
    void corruptSnapshotsAreReplacedByAllHistoryOnlyIfItIsThere() throws IOException
    {
        final Journal journal = closing(open(Backend.MAPPED));
        appendSegments(journal, 3);
        save(journal, 1, "one");
        corrupt(name(1, 1));
        assertEquals(0, load(journal));
        assertEquals(1, reported.size());
        assertEquals("nothing", loaded);

        final long first = journal.prune(journal.lastSequence());
        assertTrue(first > 1);
        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> load(journal));
        assertContains("does not begin with record 1: firstSequence=" + first + ", ", ex);
    }

    @EachBackend
    void pruningKeepsWhatTheOlderSnapshotNeeds(final Backend backend) throws IOException
    {
        final Journal journal = closing(open(backend));
        appendSegments(journal, 4);
        save(journal, 5, "five");
        assertEquals(1, journal.snapshots().prune());
        save(journal, journal.lastSequence(), "last");
        assertEquals(journal.snapshots().prune(), journal.firstSequence());
        assertOlderSnapshotIsOfUse(journal);
    }

    /** If the newest snapshot is damaged, the older one and the records after it replace it. */
    private void assertOlderSnapshotIsOfUse(final Journal journal) throws IOException
    {
        final long first = journal.firstSequence();
        assertTrue(first > 1 && first <= 6, () -> "first=" + first);
        corrupt(newest());
        assertEquals(5, load(journal));
        final JournalReader reader = closing(journal.openReader());
        reader.seek(6);
        assertEquals(journal.lastSequence() - 5, poll(reader).size());
    }

    @Test
    void corruptSnapshotDoesNotJustifyPruning() throws IOException
    {
        final Journal journal = closing(open(Backend.MAPPED));
        appendSegments(journal, 4);
        save(journal, 8, "eight");
        save(journal, 9, "nine");
        corrupt(name(8, 1));

        assertEquals(1, journal.snapshots().prune());
        assertEquals(1, reported.size());

        // An older valid snapshot takes its place when snapshots are counted.
        save(journal, 10, "ten");
        assertTrue(journal.snapshots().prune() > 1);
    }

    @Test
    void corruptSnapshotIsNotCountedWhenOldOnesAreDeleted() throws IOException
    {
        try (Journal journal = open(Backend.MAPPED))
        {
            append(journal, 9);
            save(journal, 3, "three");
            save(journal, 5, "five");
        }
        corrupt(name(5, 1));
        final Journal journal = closing(open(Backend.MAPPED));
        save(journal, 7, "seven");
        assertEquals(3, files().size());
        save(journal, 9, "nine");
        assertEquals(List.of(name(7, 1), name(9, 1)), files());
    }

    @EachBackend
    void retentionKeepsWhatTheOlderSnapshotNeeds(final Backend backend) throws IOException
    {
        final Journal journal = closing(builder(backend).retention(Retention.bytes(1)).open());
        appendSegments(journal, 4);
        assertEquals(Long.MAX_VALUE, journal.snapshots().firstNeededSequence());
        save(journal, 5, "five");
        runAgent(journal);
        // If the only snapshot becomes corrupt, the whole history replaces it.
        assertEquals(1, journal.firstSequence());
        assertEquals(1, journal.snapshots().firstNeededSequence());
        appendSegments(journal, 1);
        save(journal, journal.lastSequence(), "last");
        assertEquals(6, journal.snapshots().firstNeededSequence());
        runAgent(journal);
        assertOlderSnapshotIsOfUse(journal);
        final long first = journal.firstSequence();
        assertEquals(2, journal.snapshots().discardAfter(0));
        appendSegments(journal, 1);
        runAgent(journal);
        assertEquals(first, journal.firstSequence());
    }

    /** Without a snapshot, the application must replay all records. */
    @EachBackend
    void retentionKeepsTheHistoryThatReplacesDiscardedSnapshots(final Backend backend) throws Exception
    {
        try (Journal journal = builder(backend).retention(Retention.bytes(1)).open())
        {
            appendSegments(journal, 4);
            save(journal, journal.lastSequence(), "wrong");
            assertEquals(1, journal.snapshots().discardAfter(0));
            appendSegments(journal, 2);
            runAgent(journal);
            assertEquals(1, journal.firstSequence());
            assertEquals(1, journal.snapshots().firstNeededSequence());
            journal.backup(temp.resolve("copy"));
        }
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            follower.backup(temp.resolve("followed"));
        }
        for (final String copy : List.of("copy", "followed"))
        {
            try (Journal journal = Journal.builder(temp.resolve(copy)).backend(backend)
                .retention(Retention.bytes(1)).backgroundThread(false).open())
            {
                appendSegments(journal, 1);
                runAgent(journal);
                assertEquals(0, load(journal));
                assertEquals(1, journal.firstSequence(), copy);
            }
        }
        final Journal journal = closing(builder(backend).retention(Retention.bytes(1)).open());
        save(journal, 6, "six");
        save(journal, journal.lastSequence(), "last");
        runAgent(journal);
        assertTrue(journal.firstSequence() > 1 && journal.firstSequence() <= 7);
    }

    @Test
    void retentionKeepsWhatTheOldestSnapshotNeedsIfOneIsCorrupt() throws Exception
    {
        try (Journal journal = open(Backend.MAPPED))
        {
            appendSegments(journal, 4);
            save(journal, 3, "three");
            save(journal, 8, "eight");
        }
        corrupt(name(8, 1));
        final Journal journal = closing(builder(Backend.MAPPED).retention(Retention.bytes(1)).open());
        save(journal, journal.lastSequence(), "last");
        assertEquals(3, files().size());
        assertEquals(4, journal.snapshots().firstNeededSequence());
        runAgent(journal);
        assertTrue(journal.firstSequence() <= 4, () -> "first=" + journal.firstSequence());

        corrupt(newest());
        assertEquals(3, load(journal));
    }

    @Test
    void snapshotsThatHoldBackRetentionForAMinuteAreLoggedOnce() throws Exception
    {
        final TestClock clock = new TestClock();
        final Journal journal =
            closing(builder(Backend.MAPPED).retention(Retention.bytes(1)).clock(clock).open());
        append(journal, 1);
        save(journal, 1, "one");
        try (LogRecords log = new LogRecords())
        {
            for (int i = 0; i < 5; i++)
            {
                appendSegments(journal, 2);
                journal.cursor("fast").save(journal.lastSequence());
                runAgent(journal);
                clock.advance(Duration.ofSeconds(30).toMillis());
            }
            assertEquals(1, log.messages().size(), () -> log.messages().toString());
            final String message = log.messages().get(0);
            assertTrue(message.startsWith("snapshots hold back retention: "), message);
        }
        assertEquals(1, journal.firstSequence());
    }

    @EachBackend
    void pruningKeepsRecordsACursorHasNotPassed(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        appendSegments(journal, 4);
        save(journal, journal.lastSequence() - 1, "before");
        save(journal, journal.lastSequence(), "last");
        final JournalCursor cursor = journal.cursor("consumer");
        assertEquals(1, journal.snapshots().prune());

        cursor.save(journal.lastSequence() - 3);
        final long first = journal.snapshots().prune();
        assertTrue(first > 1 && first <= cursor.sequence() + 1, () -> "first=" + first);
        final long wanted = journal.firstSequence();
        assertEquals(wanted, journal.snapshots().prune());
    }

    @EachBackend
    void journalOlderThanItsSnapshotIsRejectedUntilTheSnapshotIsDiscarded(final Backend backend) throws IOException
    {
        final Path older = temp.resolve("older");
        try (Journal journal = open(backend))
        {
            append(journal, 6);
            save(journal, 4, "four");
            journal.backup(older);
            append(journal, 8);
            save(journal, 14, "fourteen");
        }
        copySnapshot(directory(), older, name(14, 1));

        final Journal journal = closing(builderIn(older, backend).open());
        for (int i = 0; i < 2; i++)
        {
            assertContains("snapshot=14, ", assertThrows(CorruptJournalException.class, () -> load(journal)));
        }
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> save(journal, 6, "six"));
        assertContains("firstSequence=1", ex);
        assertContains("lastSequence=6", ex);
        assertContains("discardAfter(6)", ex);
        assertThrows(CorruptJournalException.class, () -> journal.snapshots().prune());
        assertEquals("nothing", loaded);

        assertEquals(1, journal.snapshots().discardAfter(6));
        assertLoads(journal, 4, "four");
        assertTrue(files(older).contains("00000000000000000014-1.discarded"));
        append(journal, 8);
        save(journal, 14, "another fourteen");
        assertLoads(journal, 14, "another fourteen");
        assertEquals(1, journal.snapshots().discardAfter(13));
    }

    private static void copySnapshot(final Path from, final Path to, final String name) throws IOException
    {
        Files.createDirectories(to.resolve("snapshots"));
        Files.copy(from.resolve("snapshots").resolve(name), to.resolve("snapshots").resolve(name));
    }

    @Test
    void corruptSnapshotAheadOfTheJournalIsRejectedToo() throws IOException
    {
        final Journal journal = closing(open(Backend.MAPPED));
        append(journal, 3);
        save(journal, 2, "two");
        Files.write(snapshots().resolve(name(4, 1)), new byte[100]);
        assertContains("snapshot=4, ", assertThrows(CorruptJournalException.class, () -> load(journal)));
    }

    @EachBackend
    void truncationBelowASnapshotIsRejected(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        append(journal, 9);
        save(journal, 3, "three");
        save(journal, 7, "seven");
        final IllegalStateException ex = assertThrows(IllegalStateException.class, () -> journal.truncateAfter(6));
        assertContains("snapshot=7, ", ex);
        assertEquals(9, journal.lastSequence());

        journal.truncateAfter(7);
        assertEquals(7, load(journal));
        assertEquals(1, journal.snapshots().discardAfter(5));
        journal.truncateAfter(5);
        assertLoads(journal, 3, "three");
    }

    @EachBackend
    void snapshotWhoseRecordsAreTruncatedWhileItIsWrittenIsRejected(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        append(journal, 9);
        save(journal, 3, "three");
        assertThrows(IllegalStateException.class, () -> journal.snapshots().save(7, (output) ->
        {
            journal.truncateAfter(6);
            // Other records take the same sequences.
            append(journal, 3);
        }));
        assertEquals(9, journal.lastSequence());
        assertEquals(List.of(name(3, 1)), files());
        assertEquals(3, load(journal));
    }

    @EachBackend
    void snapshotOfRecordsWhoseSequencesWereReusedIsRejected(final Backend backend) throws IOException
    {
        final byte[] kept;
        try (Journal journal = open(backend))
        {
            append(journal, 9);
            save(journal, 7, "seven");
            kept = Files.readAllBytes(snapshots().resolve(name(7, 1)));
            journal.snapshots().discardAfter(0);
            journal.truncateAfter(5);
            // The same records were appended after another record, so only the truncation distinguishes them.
            journal.appender().append(77, new byte[1], 0, 1);
            appendNumbered(journal, 3, 100);
        }
        Files.write(snapshots().resolve(name(7, 2)), kept);
        Files.move(
            snapshots().resolve("00000000000000000007-1.discarded"),
            snapshots().resolve(name(7, 1)));
        final Journal journal = closing(open(backend));
        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> load(journal));
        assertContains("snapshot=7, ", ex);
        assertEquals(1, reported.size(), "the one that was renamed is corrupt");
        assertThrows(CorruptJournalException.class, () -> journal.snapshots().prune());

        // The snapshot is rejected after another truncation as well.
        journal.truncateAfter(8);
        assertThrows(CorruptJournalException.class, () -> load(journal));
        journal.snapshots().discardAfter(6);
    }

    @EachBackend
    void snapshotOfADifferentRecordIsRejected(final Backend backend) throws IOException
    {
        final Path other = temp.resolve("other");
        try (Journal journal = open(backend))
        {
            append(journal, 3);
            journal.backup(other);
            append(journal, 4);
            save(journal, 5, "five");
        }
        try (Journal journal = builderIn(other, backend).open())
        {
            appendNumbered(journal, 3, 10);
        }
        copySnapshot(directory(), other, name(5, 1));
        final Journal journal = closing(builderIn(other, backend).open());
        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> load(journal));
        assertContains("snapshot=5, ", ex);
        assertContains("discardAfter(4)", ex);
        assertEquals(1, journal.snapshots().discardAfter(4));
        assertEquals(0, load(journal));
    }

    @Test
    void snapshotOfAnotherJournalIsRejected() throws IOException
    {
        final Path other = temp.resolve("other");
        try (Journal journal = Internals.randoms(builderIn(other, Backend.MAPPED), randoms(9)).open())
        {
            append(journal, 2);
            save(journal, 2, "two");
        }
        final Journal journal = closing(open(Backend.MAPPED));
        append(journal, 2);
        copySnapshot(other, directory(), name(2, 1));
        assertThrows(CorruptJournalException.class, () -> load(journal));
    }

    @Test
    void gapBetweenSnapshotAndJournalIsRejected()
    {
        final Journal journal = closing(open(Backend.MAPPED));
        appendSegments(journal, 4);
        save(journal, 2, "two");
        final long first = journal.prune(journal.lastSequence());
        final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> load(journal));
        assertContains("snapshot=2, ", ex);
        assertContains("firstSequence=" + first, ex);
        assertEquals("nothing", loaded);

        // The state of a journal without any records left.
        save(journal, first - 1, "all before");
        assertEquals(first - 1, load(journal));
    }

    @EachBackend
    void backupOfAPrunedJournalHasItsSnapshots(final Backend backend) throws IOException
    {
        final Path target = temp.resolve("copy");
        final long last;
        try (Journal journal = open(backend))
        {
            appendSegments(journal, 4);
            save(journal, journal.lastSequence() - 1, "before");
            save(journal, journal.lastSequence(), "all");
            assertTrue(journal.snapshots().prune() > 1);
            last = journal.lastSequence();
            corrupt(files().get(0));

            assertEquals(last, journal.backup(target));
            assertEquals(1, reported.size());
            assertThrows(IllegalArgumentException.class, () -> journal.backup(target));
        }
        final Journal journal = closing(builderIn(target, backend).open());
        assertLoads(journal, last, "all");
        assertEquals(1, files(target).size());
        append(journal, 1);
        save(journal, last + 1, "more");
    }

    @Test
    void throwingSnapshotWriterLeavesNothingAndTheJournalUsable()
    {
        final Journal journal = closing(open(Backend.FILE_CHANNEL));
        append(journal, 3);
        save(journal, 2, "two");
        final IOException cause = new IOException("state is busy");
        final UncheckedIOException ex = assertThrows(
            UncheckedIOException.class, () -> journal.snapshots().save(3, (output) ->
            {
                output.write(new byte[LARGE]);
                throw cause;
            }));
        assertSame(cause, ex.getCause());
        assertThrows(ArithmeticException.class, () -> journal.snapshots().save(3, (output) ->
        {
            throw new ArithmeticException("state is wrong");
        }));
        assertEquals(List.of(name(2, 1)), files());

        assertThrows(UncheckedIOException.class, () -> journal.snapshots().load((input) ->
        {
            throw cause;
        }));
        save(journal, 3, "three");
        assertEquals(3, load(journal));
    }

    @EachBackend
    void callbackMayReadTheJournal(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        append(journal, 3);
        journal.snapshots().save(2, (output) ->
        {
            reader.poll((buffer, offset, length, header) -> assertTrue(header.sequence() <= 2), 2);
            output.write((int)reader.nextSequence());
        });
        assertEquals(3, reader.nextSequence());
        reader.seekToStart();
        journal.snapshots().load((input) ->
        {
            assertEquals(3, input.read());
            assertEquals(3, reader.poll((buffer, offset, length, header) -> assertTrue(length > 0), 5));
        });
        assertEquals(4, reader.nextSequence());
    }

    @Test
    void snapshotsWriterMayTruncateWhileAHandlerWaitsForTheSnapshots()
    {
        try (Journal journal = open(Backend.MAPPED);
            JournalReader reader = journal.openReader())
        {
            append(journal, 3);
            final CountDownLatch isSaving = new CountDownLatch(1);
            final CountDownLatch isInHandler = new CountDownLatch(1);
            final Background handler = Background.start("handler", () ->
            {
                JournalFixture.await(isSaving);
                reader.poll((buffer, offset, length, header) ->
                {
                    isInHandler.countDown();
                    journal.snapshots().discardAfter(3);
                }, 1);
            });

            // No call deadlocks, but the save throws: its state may contain records that were truncated.
            assertThrows(IllegalStateException.class, () -> journal.snapshots().save(1, (output) ->
            {
                isSaving.countDown();
                JournalFixture.await(isInHandler);
                journal.truncateAfter(2);
            }));
            handler.join();
            assertEquals(0, load(journal));
            assertEquals(2, reader.nextSequence());
            assertEquals(2, journal.lastSequence());
        }
    }

    @Test
    void callbackMustNotUseTheSnapshotsNorKeepItsStream() throws IOException
    {
        final Journal journal = closing(open(Backend.MAPPED));
        append(journal, 3);
        assertThrows(IllegalStateException.class, () -> journal.snapshots().save(2, (output) ->
        {
            save(journal, 1, "nested");
        }));
        final OutputStream[] kept = new OutputStream[1];
        journal.snapshots().save(2, (output) -> kept[0] = output);
        assertThrows(IOException.class, () -> kept[0].write(1));
        final InputStream[] input = new InputStream[1];
        journal.snapshots().load((stream) -> input[0] = stream);
        assertThrows(IOException.class, () -> input[0].read());
    }

    @EachBackend
    void savesOfSeveralThreadsFollowEachOtherWhileRecordsAreAppended(final Backend backend) throws Exception
    {
        final Journal journal = closing(builder(backend).open());
        append(journal, 1);
        final CountDownLatch isSaving = new CountDownLatch(1);
        final CountDownLatch isAppended = new CountDownLatch(1);
        final Background first = Background.start("first", () -> journal.snapshots().save(1, (output) ->
        {
            isSaving.countDown();
            await(isAppended);
            output.write("one".getBytes(UTF_8));
        }));
        await(isSaving);
        append(journal, 1);
        journal.force();
        final Background second = Background.start("second", () -> save(journal, 2, "two"));
        assertEquals(List.of("spare"), files());
        isAppended.countDown();
        first.join();
        second.join();

        assertLoads(journal, 2, "two");
        assertEquals(2, files().size());
    }

    @EachBackend
    void stateOfTruncatedRecordsIsNotSavedWhenTheirSequencesWereReused(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        append(journal, 9);
        save(journal, 3, "three");
        final CountDownLatch isLoading = new CountDownLatch(1);
        final CountDownLatch isReplaced = new CountDownLatch(1);
        final Background loading = Background.start("loading", () -> journal.snapshots().load((input) ->
        {
            isLoading.countDown();
            await(isReplaced);
        }));
        await(isLoading);
        final Background saving = Background.start(
            "saving", () -> assertThrows(IllegalStateException.class, () -> save(journal, 9, "of before")));
        saving.awaitParked();

        journal.truncateAfter(6);
        append(journal, 3);
        isReplaced.countDown();

        loading.join();
        saving.join();
        assertEquals(3, load(journal));
        save(journal, 9, "nine");
        assertEquals(9, load(journal));
    }

    @Test
    void closedJournalRejectsSavesAlsoWhenClosedMeanwhile()
    {
        final Journal journal = open(Backend.MAPPED);
        append(journal, 3);
        save(journal, 1, "one");
        assertClosed(() -> journal.snapshots().save(3, (output) -> journal.close()));
        assertClosed(() -> save(journal, 3, "three"));
        assertClosed(() -> load(journal));
        assertClosed(() -> journal.snapshots().prune());
        assertClosed(() -> journal.snapshots().discardAfter(1));
        final Journal next = closing(open(Backend.MAPPED));
        assertEquals(1, load(next));
        // An unfinished snapshot is harmless.
        save(next, 3, "three");
        assertEquals(
            List.of(name(1, 1), name(3, 1)), files());
    }

    private static void assertContains(final String expected, final Exception ex)
    {
        assertTrue(ex.getMessage().contains(expected), ex::getMessage);
    }

    private long load(final Journal journal)
    {
        return journal.snapshots().load((input) -> loaded = new String(input.readAllBytes(), UTF_8));
    }

    private static void save(final Journal journal, final long sequence, final String state)
    {
        journal.snapshots().save(sequence, (output) -> output.write(state.getBytes(UTF_8)));
    }

    private static void append(final Journal journal, final int count)
    {
        appendNumbered(journal, count, 100);
    }

    private static void appendSegments(final Journal journal, final int count)
    {
        appendNumbered(journal, count * 4, 15_000);
    }

    private void corrupt(final String name) throws IOException
    {
        final byte[] bytes = Files.readAllBytes(snapshots().resolve(name));
        bytes[bytes.length - 1] ^= 1;
        Files.write(snapshots().resolve(name), bytes);
    }

    private String newest()
    {
        return files().get(files().size() - 1);
    }

    private List<String> files()
    {
        return files(directory());
    }

    private static List<String> files(final Path journal)
    {
        try (Stream<Path> files = Files.list(journal.resolve("snapshots")))
        {
            return files.map((file) -> file.getFileName().toString()).sorted().toList();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private Path snapshots()
    {
        return directory().resolve("snapshots");
    }

    @Override
    protected Journal open(final Backend backend)
    {
        return builder(backend).open();
    }

    private JournalBuilder builder(final Backend backend)
    {
        return builderIn(directory(), backend);
    }

    private JournalBuilder builderIn(final Path path, final Backend backend)
    {
        return repeatable(path, backend, 1).errorHandler(reported::add);
    }
}
