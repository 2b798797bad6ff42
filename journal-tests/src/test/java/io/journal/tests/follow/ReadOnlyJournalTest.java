// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.follow;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Spliterator;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalNotFoundException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.read.RecordsGoneException;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NotBegunException;
import io.journal.tests.support.CountingSteps;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A journal followed without its lock. In most tests the writer is in the same JVM; both communicate only through
 * files.
 */
@InMemory
class ReadOnlyJournalTest extends JournalFixture
{
    private static final long NEXT_TERM = 12_345;

    private ReadOnlyJournal follow()
    {
        return Journal.openReadOnly(directory());
    }

    private ReadOnlyJournal follow(final Backend backend, final StepStore.Steps steps)
    {
        return Internals.openReadOnly(directory(), new StepStore(backend.store(directory()), steps));
    }

    // Following.

    @EachBackendAndWindow
    void recordIsVisibleOnceItIsWritten(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).open();
            ReadOnlyJournal followed = follow();
            JournalReader reader = followed.openReader())
        {
            assertEquals(1, followed.firstSequence());
            assertEquals(0, followed.lastSequence());
            assertEquals(List.of(), poll(reader));
            for (int i = 0; i < 200; i++)
            {
                appendNumbered(journal, 1, i * 14);
                if (window > 0)
                {
                    journal.force();
                }
                assertNumbered(i + 1, i + 1, poll(reader));
                assertEquals(i + 1, followed.lastSequence());
            }
            assertTrue(journal.counters().appendedPosition() > 4 * SEGMENT_LENGTH);
            reader.seekToTime(Instant.EPOCH);
            assertEquals(1, reader.nextSequence());
            assertEquals(200, reader.stream().count());
        }
    }

    @EachBackend
    void followerWaitingInASegmentFindsItsReplacement(final Backend backend) throws Exception
    {
        final AtomicReference<JournalReader> waiting = new AtomicReference<>();
        final StepStore store = new StepStore(
            backend.store(directory()),
            (step, name) ->
            {
                final JournalReader reader =
                    StepStore.Step.FORCE_DIRECTORY == step && name.isEmpty() ? waiting.getAndSet(null) : null;
                if (null != reader)
                {
                    assertTrue(Files.exists(segment(directory(), 1)));
                    assertNumbered(1, 3, poll(reader));
                    assertEquals(List.of(), poll(reader));
                    throw new NotBegunException("on purpose", null);
                }
                return true;
            });
        try (Journal journal = builder(directory(), backend).store(store).backgroundThread(false).errorHandler((ex) ->
        {
        }).open();
            ReadOnlyJournal followed = follow();
            JournalReader reader = followed.openReader())
        {
            // The end of the segment counts as the end of its last record.
            fillSegment(journal, 16);
            waiting.set(reader);
            journal.backgroundAgent().doWork();
            assertNull(waiting.get());
            assertFalse(Files.exists(segment(directory(), 1)));

            appendNumbered(journal, 1, 100);
            journal.force();
            assertNumbered(4, 4, poll(reader));
            assertEquals(4, followed.lastSequence());
        }
    }

    @EachBackend
    void durableWatermarkIsVisible(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open();
            ReadOnlyJournal followed = follow();
            JournalReader reader = followed.openReader(JournalReader.Limit.FORCED))
        {
            for (int i = 0; i < 10; i++)
            {
                appendNumbered(journal, 20, 900);
                assertEquals(20 * i, followed.forcedSequence());
                assertEquals(List.of(), poll(reader));
                assertThrows(IllegalArgumentException.class, () -> reader.seek(followed.forcedSequence() + 2));
                reader.seekToEnd();
                assertEquals(20 * i + 1, reader.nextSequence());

                journal.force();
                assertEquals(20 * i + 20, followed.forcedSequence());
                assertNumbered(20 * i + 1, 20 * i + 20, poll(reader));
            }
        }
    }

    @EachBackend
    void withoutAWatermarkNothingIsReportedDurableUntilThereIsAWriter(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            appendNumbered(journal, 200, 900);
        }
        new JournalDirectory(directory()).loseForced();
        final ReadOnlyJournal followed = closing(follow());
        assertNumbered(1, 200, poll(closing(followed.openReader())));
        assertEquals(0, followed.forcedSequence());

        final Journal journal = closing(builder(directory(), backend).open());
        assertEquals(200, journal.forcedSequence());
        assertEquals(200, followed.forcedSequence());
    }

    @EachBackend
    void closedFollowerRejectsUse(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).open());
        appendNumbered(journal, 200, 900);
        final ReadOnlyJournal followed = follow();
        final JournalReader reader = closing(followed.openReader());
        assertNumbered(1, 3, poll(reader, 3));
        followed.close();

        assertEquals(List.of(), poll(reader));
        assertEquals(0, reader.pollBackwards(IGNORE, 1));
        assertEquals(4, reader.nextSequence());
        assertEquals(JournalReader.State.CLOSED, reader.state());
        assertEquals(0, reader.stream().count());
        assertClosed(followed::openReader);
        assertClosed(followed::cursors);
        assertEquals(0, followed.lastSequence());
        assertTrue(followed.toString().contains("isClosed=true"));
        followed.close();
    }

    @EachBackend
    @EnabledOnOs(value = OS.LINUX, disabledReason = "needs Linux, to list descriptors")
    void handlerMayCloseTheFollowerThatItReads(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            appendNumbered(journal, 3, 100);
        }
        final ReadOnlyJournal followed = follow();
        final JournalReader reader = followed.openReader();
        final List<Entry> entries = new ArrayList<>();

        assertEquals(1, reader.poll((buffer, offset, length, header) ->
        {
            final int open = openFiles();
            assertTrue(open > 0);
            followed.close();
            assertEquals(open, openFiles());
            into(entries).onRecord(buffer, offset, length, header);
        }, 1));

        assertNumbered(1, 1, entries);
        assertEquals(List.of(), poll(reader));
        assertEquals(JournalReader.State.CLOSED, reader.state());
        reader.close();
        assertEquals(0, openFiles());
    }

    /** Number of files of the journal that this process has open. */
    private int openFiles()
    {
        int count = 0;
        for (final String descriptor : new File("/proc/self/fd").list())
        {
            try
            {
                final Path file = Path.of("/proc/self/fd", descriptor).toRealPath();
                count += file.startsWith(directory().toRealPath()) ? 1 : 0;
            }
            catch (final IOException ignore)
            {
                // The descriptor of the listing itself, or not a file.
            }
        }
        return count;
    }

    @EachBackend
    void filesAreReleasedWhilePollsAreInFlight(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).open());
        appendNumbered(journal, 200, 900);
        for (int i = 0; i < 20; i++)
        {
            final CountDownLatch areReading = new CountDownLatch(2);
            final ReadOnlyJournal followed = follow();
            final List<Background> reading = Stream.generate(
                () -> Background.start("reading", () -> readUntilClosed(followed, areReading))).limit(2).toList();
            await(areReading);
            followed.close();
            reading.forEach(Background::join);
        }
    }

    private static void readUntilClosed(final ReadOnlyJournal followed, final CountDownLatch areReading)
    {
        boolean isClosed = false;
        while (!isClosed)
        {
            try (JournalReader reader = followed.openReader())
            {
                final List<Entry> entries = poll(reader, 50);
                assertNumbered(1, entries.size(), entries);
                areReading.countDown();
                isClosed = entries.isEmpty();
                assertTrue(!isClosed || JournalReader.State.CLOSED == reader.state());
                followed.lastSequence();
                followed.forcedSequence();
            }
            catch (final IllegalStateException ex)
            {
                assertClosed(() ->
                {
                    throw ex;
                });
                isClosed = true;
            }
        }
    }

    // History.

    @EachBackend
    void recordsBeforeAndAfterATruncationAreNotMixedInOnePoll(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).open());
        final ReadOnlyJournal followed = closing(follow());
        for (final boolean isForwards : new boolean[]{ true, false })
        {
            journal.truncateAfter(0);
            appendNumbered(journal, 300, 900);
            final JournalReader reader = closing(followed.openReader());
            final List<Entry> entries = new ArrayList<>();
            final long replacedAt = isForwards ? 20 : 290;
            final RecordHandler handler = (buffer, offset, length, header) ->
            {
                into(entries).onRecord(buffer, offset, length, header);
                if (replacedAt == header.sequence())
                {
                    replaceBehind(journal, 10);
                }
            };
            if (isForwards)
            {
                reader.poll(handler, 1000);
            }
            else
            {
                reader.seekToEnd();
                reader.pollBackwards(handler, 1000);
            }
            // The reader returned only what it had in memory.
            assertTrue(entries.size() < 100);
            entries.forEach((entry) -> assertNumbered(entry.sequence(), entry));
            assertThrows(RecordsGoneException.class, () -> poll(reader));
        }
    }

    private static void replaceBehind(final Journal journal, final long sequence)
    {
        journal.truncateAfter(sequence);
        for (long i = sequence + 1; i <= 300; i++)
        {
            journal.appender().append(i, record(-i, 900));
        }
    }

    @EachBackend
    void streamThrowsInsteadOfEndingEarlyWhileItIsNotKnownWhatIsDurable(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            appendNumbered(journal, 200, 900);
            journal.force();
            final ReadOnlyJournal followed = closing(follow());
            final JournalReader reader = closing(followed.openReader(JournalReader.Limit.FORCED));
            final List<Long> found = new ArrayList<>();
            final Spliterator<JournalReader.Entry> records = reader.stream().spliterator();
            assertTrue(records.tryAdvance((entry) -> found.add(entry.sequence())));

            // The end that the reader knew is no longer valid.
            journal.truncateAfter(100);
            new JournalDirectory(directory()).loseForced();
            assertUnknown(assertThrows(JournalException.class, reader::stream));
            assertUnknown(assertThrows(JournalException.class, () ->
            {
                while (records.tryAdvance((entry) -> found.add(entry.sequence())))
                {
                    assertTrue(found.size() <= 200);
                }
            }));

            appendNumbered(journal, 1, 900);
            journal.force();
            records.forEachRemaining((entry) -> found.add(entry.sequence()));
            assertEquals(LongStream.rangeClosed(1, 101).boxed().toList(), found);
        }
    }

    /** A device that reads zeros for the watermark at some of the attempts. */
    private static final class GarbledWatermark implements StepStore.AllSteps
    {
        private int from;
        private int count;
        private int reads;

        @Override
        public void afterRead(final String name, final long offset, final ByteBuffer bytes)
        {
            if (JournalFiles.CONTROL.equals(name) && WATERMARKS[0] == offset)
            {
                if (reads >= from && reads - from < count)
                {
                    bytes.put(new byte[bytes.remaining()]);
                }
                reads++;
            }
        }
    }

    @EachBackend
    void seekFindsTheRecordOrThrowsWhileTheWatermarkCannotBeRead(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 300, 900);
            journal.force();
            int thrown = 0;
            for (final int count : new int[]{ 1, 2, 3, Integer.MAX_VALUE })
            {
                final GarbledWatermark device = new GarbledWatermark();
                for (int from = 0; from <= device.reads; from++)
                {
                    thrown += isSeekRefused(device, from, count) ? 1 : 0;
                }
            }
            assertTrue(thrown > 0);
        }
    }

    private boolean isSeekRefused(final GarbledWatermark device, final int from, final int count)
    {
        final StepStore store = new StepStore(Backend.FILE_CHANNEL.store(directory()), device);
        try (ReadOnlyJournal followed = Internals.openReadOnly(directory(), store);
            JournalReader reader = followed.openReader(JournalReader.Limit.FORCED))
        {
            device.reads = 0;
            device.from = from;
            device.count = count;
            try
            {
                reader.seek(250);
            }
            catch (final JournalException ex)
            {
                assertUnknown(ex);
                return true;
            }
            finally
            {
                device.count = 0;
            }
            assertNumbered(250, 300, poll(reader));
            return false;
        }
    }

    @EachBackend
    void recordThatATruncationKeepsIsNotTruncatedWhileItIsNotKnownWhatIsDurable(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 200, 900);
        }
        final JournalDirectory files = new JournalDirectory(directory());
        final State state = files.state();
        final long end = state.closedPosition();
        final State truncated = state.withTerm(NEXT_TERM, List.of(
            new Cut(state.number() + 1, NEXT_TERM, files.record(101).position(), end, 101, state.term())))
            .withGeneration(state.generation() + 1);
        final AtomicBoolean isTruncated = new AtomicBoolean(true);
        final StepStore.Steps truncating = new StepStore.AllSteps()
        {
            @Override
            public void beforeOpen(final String name)
            {
                if (JournalFiles.isSegment(name) && !isTruncated.getAndSet(true))
                {
                    files.writeStates(truncated);
                }
            }
        };
        final ReadOnlyJournal followed =
            closing(follow(backend, truncating));
        final JournalReader reader = closing(followed.openReader(JournalReader.Limit.FORCED));

        isTruncated.set(false);
        assertUnknown(assertThrows(JournalException.class, () -> reader.seek(90)));
        assertTrue(isTruncated.get());

        files.writeForced(end, 101);
        reader.seek(90);
        assertNumbered(90, 100, poll(reader));
    }

    private static void assertUnknown(final JournalException thrown)
    {
        assertTrue(thrown.getMessage().contains("not known what is durable"), thrown::toString);
    }

    // Opening.

    @EachBackend
    void openingWritesNothing(final Backend backend) throws IOException
    {
        final Path crashed = temp.resolve("crashed");
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            appendNumbered(journal, 100, 1500);
            journal.force();
            appendNumbered(journal, 50, 1500);
            copy(directory(), crashed);
        }
        for (final Path path : List.of(directory(), crashed))
        {
            final var before = picture(path);
            final StepStore store = new StepStore(
                Backend.FILE_CHANNEL.store(path),
                (step, name) ->
                {
                    throw new AssertionError(step + " of " + name);
                });
            try (ReadOnlyJournal followed = Internals.openReadOnly(path, store);
                JournalReader reader = followed.openReader())
            {
                assertNumbered(1, 150, poll(reader));
                assertEquals(150, followed.lastSequence());
                assertTrue(followed.forcedSequence() >= 100);
            }
            assertSamePicture(before, picture(path), path.toString());
        }
    }

    @EachBackend
    void journalThatNeedsRecoveryIsReadToItsValidEnd(final Backend backend) throws IOException
    {
        final Path crashed = temp.resolve("crashed");
        final int length = 700;
        try (Journal journal = repeatable(backend).open())
        {
            appendNumbered(journal, 20, length);
            journal.force();
            appendNumbered(journal, 20, length);
            copy(directory(), crashed);
        }
        final byte[] whole = Files.readAllBytes(segment(crashed, 0));
        int end = whole.length;
        while (0 == whole[end - 1])
        {
            end--;
        }
        for (int cut = 1; cut < 15 * length; cut += 211)
        {
            final byte[] torn = whole.clone();
            Arrays.fill(torn, end - cut, end, (byte)0);
            Files.write(segment(crashed, 0), torn);
            final long last;
            try (ReadOnlyJournal followed = Journal.openReadOnly(crashed); JournalReader reader = followed.openReader())
            {
                last = followed.lastSequence();
                assertTrue(last < 40 && last >= 20);
                assertNumbered(1, last, poll(reader));
                assertEquals(20, followed.forcedSequence());
            }
            final Path copy = temp.resolve("copy-" + cut);
            copy(crashed, copy);
            try (Journal journal = Journal.builder(copy).backend(backend).writeWindow(0).backgroundThread(false).open())
            {
                assertEquals(journal.lastSequence(), last);
            }
        }
    }

    @Test
    void directoryWithoutAJournalIsRejected() throws IOException
    {
        assertThrows(JournalNotFoundException.class, this::follow);
        Files.createDirectories(directory());
        final JournalException ex = assertThrows(JournalNotFoundException.class, this::follow);
        assertTrue(ex.getMessage().contains("path=" + directory()), ex::getMessage);
        final Path file = Files.write(temp.resolve("file"), new byte[10]);
        assertThrows(IllegalArgumentException.class, () -> Journal.openReadOnly(file));
        Files.write(directory().resolve(JournalFiles.CONTROL), new byte[JournalDirectory.CONTROL_LENGTH]);
        assertThrows(CorruptJournalException.class, this::follow);
    }

    /** With {@code MAPPED}, the fsync itself finds the damage. */
    @EachBackend(except = Backend.MAPPED)
    void corruptionIsReportedByOpeningOrByTheReader(final Backend backend) throws IOException
    {
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open();
            ReadOnlyJournal followed = follow();
            JournalReader reader = followed.openReader())
        {
            appendNumbered(journal, 10, 500);
            assertEquals(10, followed.lastSequence());
            final int damaged = (int)journal.counters().appendedPosition() + 40;
            appendNumbered(journal, 10, 500);
            flip(segment(directory(), 0), damaged);

            // The record is above the durable watermark, so it may still be being written.
            assertEquals(10, followed.lastSequence());
            assertNumbered(1, 10, poll(reader));
            journal.force();
            for (int i = 0; i < 2; i++)
            {
                final CorruptJournalException ex =
                    assertThrows(CorruptJournalException.class, followed::lastSequence);
                assertTrue(ex.getMessage().contains("sequence=11"), ex::getMessage);
                assertTrue(ex.getMessage().contains("file=00000000000000000000.journal"), ex::getMessage);
                assertThrows(CorruptJournalException.class, () -> poll(reader));
                assertEquals(11, reader.nextSequence());
            }
            assertThrows(CorruptJournalException.class, this::follow);

            flip(segment(directory(), 0), damaged);
            assertNumbered(11, 20, poll(reader));
            assertEquals(20, followed.lastSequence());
        }
    }

    @EachBackend
    void corruptionIsReportedByOpeningWhileTheWatermarkAdvances(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).backgroundThread(false).open());
        appendNumbered(journal, 10, 500);
        final int damaged = (int)journal.counters().appendedPosition() + 40;
        appendNumbered(journal, 10, 500);
        journal.force();
        flip(segment(directory(), 0), damaged);
        final StepStore.Steps writing = new StepStore.AllSteps()
        {
            @Override
            public void beforeOpen(final String name)
            {
                if (JournalFiles.CONTROL.equals(name))
                {
                    appendNumbered(journal, 1, 10);
                    journal.force();
                }
            }
        };
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> follow(backend, writing).close());
        assertEquals(11, ex.sequence());
        assertEquals(JournalFiles.segment(0), ex.file());
        // The second scan finds the same.
        assertEquals(25, journal.lastSequence());
    }

    @EachBackend
    void slotsThatAreTornWhileTheyAreReadAreReadAgain(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        appendNumbered(journal, 3, 100);
        final AtomicInteger reads = new AtomicInteger();
        final StepStore.Steps tearing = new StepStore.AllSteps()
        {
            @Override
            public void afterRead(final String name, final long offset, final ByteBuffer bytes)
            {
                if (JournalFiles.CONTROL.equals(name) && 1 == reads.incrementAndGet())
                {
                    for (final int slot : STATE_SLOTS)
                    {
                        bytes.put(slot, (byte)~bytes.get(slot));
                    }
                }
            }
        };

        final ReadOnlyJournal follower =
            closing(follow(backend, tearing));
        assertTrue(reads.get() > 1);
        assertEquals(3, follower.lastSequence());
    }

    @EachBackend
    void truncationDuringTheOpeningIsNoticed(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final AtomicInteger reads = new AtomicInteger();
        int count = 1;
        for (int at = 1; at <= count; at++)
        {
            appendNumbered(journal, (int)(10 - journal.lastSequence()), 100);
            journal.force();
            reads.set(-at);
            final StepStore.AllSteps truncating = new StepStore.AllSteps()
            {
                @Override
                public void afterRead(final String name, final long offset, final ByteBuffer bytes)
                {
                    if (0 == reads.incrementAndGet())
                    {
                        journal.truncateAfter(5);
                    }
                }
            };

            try (ReadOnlyJournal follower =
                follow(backend, truncating))
            {
                count = at + reads.get();
                assertEquals(5, follower.lastSequence());
                assertNumbered(1, 5, poll(closing(follower.openReader(JournalReader.Limit.WRITTEN))));
            }
        }
        assertTrue(count > 5);
    }

    private static void flip(final Path file, final int offset)
    {
        new JournalDirectory(file.getParent()).flip(file.getFileName().toString(), offset, 4);
    }

    @EachBackend
    void missingSegmentIsRejected(final Backend backend) throws IOException
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            appendNumbered(journal, 300, 900);
        }
        for (final long ordinal : new long[]{ 2, 0 })
        {
            Files.delete(segment(directory(), ordinal));
            final CorruptJournalException ex = assertThrows(CorruptJournalException.class, this::follow);
            assertEquals(JournalFiles.segment(ordinal), ex.file());
        }
    }

    @EachBackend
    void openingAndSeekingToTheEndReadNoHistory(final Backend backend)
    {
        final CountingSteps counted = new CountingSteps();
        final StepStore store = new StepStore(Backend.FILE_CHANNEL.store(directory()), counted);
        final Journal journal = closing(builder(directory(), backend).open());
        appendNumbered(journal, 3000, 3000);
        journal.force();
        assertTrue(journal.counters().appendedPosition() > 140 * SEGMENT_LENGTH);
        try (ReadOnlyJournal followed = Internals.openReadOnly(directory(), store);
            JournalReader reader = followed.openReader())
        {
            // Reads the newest segments only, to the end of the last, because marks after the end would be corruption.
            assertTrue(counted.opens.get() < 30, () -> "opens=" + counted.opens);
            assertTrue(counted.bytesRead.get() < 12 * SEGMENT_LENGTH, () -> "bytes=" + counted.bytesRead);
            assertEquals(3000, followed.lastSequence());

            appendNumbered(journal, 3000, 3000);
            journal.force();
            counted.reset();
            assertEquals(6000, followed.lastSequence());
            assertTrue(counted.opens.get() < 10, () -> "opens=" + counted.opens);
            assertTrue(counted.bytesRead.get() < 5 * SEGMENT_LENGTH, () -> "bytes=" + counted.bytesRead);

            counted.reset();
            reader.seek(4711);
            assertTrue(counted.opens.get() <= 10, () -> "opens=" + counted.opens);
            assertNumbered(4711, 6000, poll(reader));
            reader.seekToStart();
            assertNumbered(1, 6000, poll(reader));
        }
    }

    // Followers during concurrent changes.

    @EachBackend
    void followersOpenAndReadWhileTheWriterDoesEverything(final Backend backend)
    {
        followAWriterThatDoesEverything(backend, 12);
    }

    @Tag("soak")
    @EachBackend
    void followersOpenAndReadForLongWhileTheWriterDoesEverything(final Backend backend)
    {
        followAWriterThatDoesEverything(backend, 1000);
    }

    private void followAWriterThatDoesEverything(final Backend backend, final int openings)
    {
        final long seed = Long.getLong("journal.test.seed", 1);
        final AtomicBoolean isDone = new AtomicBoolean();
        final Journal journal = builder(directory(), backend).recycleSegments(0 == (seed & 1)).open();
        try (journal)
        {
            appendNumbered(journal, 100, 900);
            final Background writing = Background.start(
                "writing", () -> write(journal, new SplittableRandom(seed), isDone));
            final Background lasting = Background.start(
                "lasting",
                () ->
                {
                    try (ReadOnlyJournal followed = follow(); JournalReader reader = followed.openReader())
                    {
                        while (!isDone.get())
                        {
                            readOn(followed, reader, 100);
                        }
                    }
                });
            try
            {
                for (int i = 0; i < openings; i++)
                {
                    try (ReadOnlyJournal followed = follow(); JournalReader reader = followed.openReader())
                    {
                        assertTrue(followed.lastSequence() >= followed.firstSequence() - 1);
                        readOn(followed, reader, 1000);
                        readOn(followed, reader, 1000);
                    }
                    writing.check();
                }
            }
            finally
            {
                isDone.set(true);
                writing.join();
            }
            lasting.join();

            try (ReadOnlyJournal followed = follow(); JournalReader reader = followed.openReader())
            {
                assertEquals(journal.lastSequence(), followed.lastSequence());
                assertNumbered(journal.firstSequence(), journal.lastSequence(), poll(reader));
            }
        }
        catch (final AssertionError | RuntimeException ex)
        {
            throw new AssertionError("seed=" + seed, ex);
        }
    }

    private static void write(final Journal journal, final SplittableRandom random, final AtomicBoolean isDone)
    {
        while (!isDone.get())
        {
            appendNumbered(journal, random.nextInt(100), random.nextInt(3000));
            final long first = journal.firstSequence();
            final long last = journal.lastSequence();
            switch (random.nextInt(8))
            {
                case 0 -> journal.prune(Math.max(first, last - random.nextInt(300)));
                case 1 -> journal.truncateAfter(Math.max(first - 1, last - random.nextInt(100)));
                case 2 -> journal.roll();
                default -> journal.force();
            }
        }
    }

    private static void readOn(final ReadOnlyJournal followed, final JournalReader reader, final int limit)
    {
        try
        {
            final long next = reader.nextSequence();
            final List<Entry> entries = poll(reader, limit);
            assertNumbered(next, next + entries.size() - 1, entries);
            if (JournalReader.State.FOLLOWING != reader.state())
            {
                reader.seekToStart();
            }
        }
        catch (final RecordsGoneException ex)
        {
            assertFalse(ex.getMessage().isEmpty());
            reader.seekToStart();
        }
    }
}
