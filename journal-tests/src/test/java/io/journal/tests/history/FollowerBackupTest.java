// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.journal.CorruptJournalException;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.ReadOnlyJournal;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Backups made by a process that only reads the journal. */
class FollowerBackupTest extends JournalFixture
{
    @EachBackend
    void durableRecordsCursorsAndSnapshotsAreCopiedWhileTheWriterGoesOn(final Backend backend)
    {
        final Path target = temp.resolve("copy");
        try (Journal journal = open(backend); ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            appendNumbered(journal, 200, 1000);
            journal.force();
            journal.cursor("mailer").save(100);
            journal.snapshots().save(150, (output) -> output.write(7));
            appendNumbered(journal, 3, 10);

            final long last = follower.backup(target);

            assertTrue(last >= 200 && last <= 203, () -> "last=" + last);
            assertThrows(IllegalArgumentException.class, () -> follower.backup(target));
            assertThrows(IllegalArgumentException.class, () -> follower.backup(directory().resolve("copy")));
            appendNumbered(journal, 1, 10);
            try (Journal copy = Journal.open(target))
            {
                assertNumbered(1, last, readAll(copy));
                assertEquals(100, copy.cursor("mailer").sequence());
                assertEquals(150, copy.snapshots().load((input) -> assertEquals(7, input.read())));
                appendNumbered(copy, 1, 10);
            }
        }
    }

    @EachBackend
    void copiesAreWholeWhileTheJournalIsPrunedAndTruncated(final Backend backend)
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        try (Journal journal = builder(directory(), backend).recycleSegments(true).open();
            ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            appendNumbered(journal, 300, 1000);
            journal.force();
            final Background writer = Background.start("writer", () ->
            {
                while (!isDone.get())
                {
                    appendNumbered(journal, 70, 1000);
                    journal.truncateAfter(journal.lastSequence() - 5);
                    appendNumbered(journal, 70, 1000);
                    journal.force();
                    journal.prune(journal.lastSequence() - 250);
                    // From here on, a copy can be made.
                    final long sequence = journal.lastSequence();
                    for (int i = 0; i < 20 && !isDone.get(); i++)
                    {
                        journal.awaitForced(sequence);
                        Thread.yield();
                    }
                }
            });
            try
            {
                for (int i = 0; i < 4; i++)
                {
                    checkCopy(follower, temp.resolve("copy" + i));
                }
            }
            finally
            {
                isDone.set(true);
                writer.join();
            }
            checkCopy(follower, temp.resolve("last"));
            assertTrue(Files.exists(temp.resolve("last")));
        }
    }

    private static void checkCopy(final ReadOnlyJournal follower, final Path target)
    {
        try
        {
            final long last = follower.backup(target);
            try (Journal copy = Journal.open(target))
            {
                assertNumbered(copy.firstSequence(), last, readAll(copy));
            }
        }
        catch (final JournalException ex)
        {
            // The journal changed during each attempt, so no copy was made.
            assertFalse(ex instanceof CorruptJournalException && Files.exists(target), ex::toString);
            assertFalse(Files.exists(target), ex::toString);
        }
    }

    /** Work of the writer while a follower's backup opens files. */
    private static final class WriterAtWork implements StepStore.AllSteps
    {
        private Predicate<String> when = (name) -> false;
        private Runnable work;

        void once(final Predicate<String> when, final Runnable work)
        {
            this.when = when;
            this.work = () ->
            {
                this.when = (name) -> false;
                work.run();
            };
        }

        @Override
        public void beforeOpen(final String name)
        {
            if (when.test(name))
            {
                work.run();
            }
        }
    }

    private ReadOnlyJournal follow(final StepStore.Steps steps)
    {
        return closing(Internals.openReadOnly(
            directory(), new StepStore(Backend.FILE_CHANNEL.store(directory()), steps)));
    }

    @EachBackend
    void pruningDoesNotInvalidateWhatWasCopied(final Backend backend)
    {
        final WriterAtWork writer = new WriterAtWork();
        final Journal journal =
            closing(builder(directory(), backend).recycleSegments(true).backgroundThread(false).open());
        appendNumbered(journal, 400, 1000);
        journal.force();
        final ReadOnlyJournal follower = follow(writer);
        // Change the journal before each file but the first few is opened, so during each attempt.
        writer.when = (name) -> name.equals(oldest(journal, 3));
        writer.work = () ->
        {
            appendNumbered(journal, 70, 1000);
            journal.force();
            journal.prune(journal.firstSequence() + 70);
        };

        assertEquals(400, follower.backup(temp.resolve("copy")));

        assertTrue(journal.firstSequence() > 1);
        assertNumbered(1, 400, readAll(temp.resolve("copy"), backend));
    }

    /** The name of the segment that comes this many segments after the oldest one. */
    private static String oldest(final Journal journal, final int behind)
    {
        final long[] ordinal = new long[1];
        assertTrue(journal.get(
            journal.firstSequence(), (b, o, l, header) -> ordinal[0] = header.position() / SEGMENT_LENGTH));
        return JournalFiles.segment(ordinal[0] + behind);
    }

    private Journal journalWithSnapshots(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).backgroundThread(false).open());
        appendNumbered(journal, 200, 1000);
        journal.cursor("mailer").save(100);
        save(journal, 50);
        save(journal, 150);
        return journal;
    }

    private static void save(final Journal journal, final long sequence)
    {
        journal.snapshots().save(sequence, (output) -> output.write((int)sequence));
    }

    @EachBackend
    void snapshotThatIsDeletedMeanwhileIsLeftOut(final Backend backend)
    {
        assertCopiedWhileSaving(backend, 50, 150, 200);
    }

    @EachBackend
    void snapshotsAreListedAgainIfAllWereReplaced(final Backend backend)
    {
        assertCopiedWhileSaving(backend, 150, 180, 170, 180);
    }

    /** Saves snapshots, which deletes older ones, when the backup opens one of them. */
    private void assertCopiedWhileSaving(
        final Backend backend, final long opened, final long copied, final long... saved)
    {
        final WriterAtWork writer = new WriterAtWork();
        final Journal journal = journalWithSnapshots(backend);
        final ReadOnlyJournal follower = follow(writer);
        writer.once(
            (name) -> name.startsWith("snapshots/" + JournalFiles.digits(opened)),
            () -> Arrays.stream(saved).forEach((sequence) -> save(journal, sequence)));
        assertEquals(200, follower.backup(temp.resolve("copy")));
        try (Journal copy = Journal.builder(temp.resolve("copy")).backend(backend).open())
        {
            assertNumbered(1, 200, readAll(copy));
            assertEquals(copied, copy.snapshots().load((input) -> assertEquals(copied, input.read())));
        }
    }

    @EachBackend
    void copyHasASnapshotWheneverTheWriterReplacesAll(final Backend backend)
    {
        final WriterAtWork writer = new WriterAtWork();
        final Journal journal = journalWithSnapshots(backend);
        final ReadOnlyJournal follower = follow(writer);
        for (final String moment : List.of("journal.control", ".snapshot", ".journal"))
        {
            writer.once((name) -> name.endsWith(moment), () ->
            {
                appendNumbered(journal, 20, 1000);
                save(journal, journal.lastSequence() - 10);
                save(journal, journal.lastSequence());
            });
            final Path target = temp.resolve("copy-at-" + moment);

            final long last = follower.backup(target);

            try (Journal copy = Journal.builder(target).backend(backend).open())
            {
                assertNumbered(1, last, readAll(copy));
                final long loaded = copy.snapshots().load((input) -> assertEquals(1, input.readAllBytes().length));
                assertTrue(loaded > 0 && loaded <= last, () -> moment + ", last=" + last + ", loaded=" + loaded);
            }
        }
    }

    /** A device that reads zeros for some time. */
    private static final class FaultyReads implements StepStore.AllSteps
    {
        private int garbled;

        @Override
        public void afterRead(final String name, final long offset, final ByteBuffer bytes)
        {
            if ("journal.control".equals(name) && garbled > 0)
            {
                garbled--;
                bytes.put(new byte[bytes.remaining()]);
            }
        }
    }

    @EachBackend
    void controlFileThatIsReadAtTheSecondAttemptIsCopied(final Backend backend)
    {
        journalWithSnapshots(backend);
        final FaultyReads device = new FaultyReads();
        final ReadOnlyJournal follower = follow(device);

        device.garbled = 1;
        follower.backup(temp.resolve("garbled"));

        assertEquals(0, device.garbled);
        try (Journal copy = Journal.builder(temp.resolve("garbled")).backend(backend).open())
        {
            assertEquals(List.of("mailer"), copy.cursorNames());
            assertEquals(100, copy.cursor("mailer").sequence());
        }
    }

    @EachBackend
    void damagedRecordLeavesNothing(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 200, 1000);
        }
        new JournalDirectory(directory()).flip(JournalFiles.segment(1), 20_000, 0);
        final ReadOnlyJournal follower = closing(Journal.openReadOnly(directory()));
        final CorruptJournalException thrown =
            assertThrows(CorruptJournalException.class, () -> follower.backup(temp.resolve("copy")));
        assertEquals(JournalFiles.segment(1), thrown.file());
        assertFalse(Files.exists(temp.resolve("copy")));
    }

    @EachBackend
    void withoutAWatermarkThereIsNothingToCopy(final Backend backend)
    {
        open(backend).close();
        new JournalDirectory(directory()).loseForced();
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            for (final boolean isInterrupted : new boolean[]{ false, true })
            {
                if (isInterrupted)
                {
                    Thread.currentThread().interrupt();
                }
                final long startNs = System.nanoTime();
                assertThrows(JournalException.class, () -> follower.backup(temp.resolve("copy")));
                // The follower waits for some time, because a truncation in progress may still complete.
                assertTrue(System.nanoTime() - startNs > TimeUnit.MILLISECONDS.toNanos(20));
                assertEquals(isInterrupted, Thread.interrupted());
            }
        }
        assertFalse(Files.exists(temp.resolve("copy")));
    }

    /** A copy up to this watermark would be empty. */
    @EachBackend
    void watermarkOfAnUnfinishedOpeningIsUnknown(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
        }
        final JournalDirectory files = new JournalDirectory(directory());
        final ReadOnlyJournal follower = closing(Journal.openReadOnly(directory()));
        for (final Runnable watermark : List.<Runnable>of(
            files::loseForced, () -> files.writeForced(0, 0), () -> files.writeForced(SEGMENT_HEADER_LENGTH, 0),
            () -> files.writeForced(files.state().term() + 2, SEGMENT_LENGTH, 11)))
        {
            watermark.run();
            assertThrows(JournalException.class, () -> follower.backup(temp.resolve("copy")));
        }
        files.loseForced();
        assertFalse(Files.exists(temp.resolve("copy")));
        open(backend).close();
        assertEquals(10, follower.backup(temp.resolve("copy")));
        assertNumbered(1, 10, readAll(temp.resolve("copy"), backend));
    }

    @EachBackend
    void watermarkIsKnownBehindATruncationThatLeavesNoRoomForAFrame(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        fillSegment(journal, FRAME_HEADER_LENGTH + 8);
        appendNumbered(journal, 1, 8);
        final ReadOnlyJournal follower = closing(Journal.openReadOnly(directory()));

        journal.truncateAfter(3);

        assertEquals(3, follower.forcedSequence());
        assertEquals(3, follower.backup(temp.resolve("copy")));
        assertNumbered(1, 3, readAll(temp.resolve("copy"), backend));
    }
}
