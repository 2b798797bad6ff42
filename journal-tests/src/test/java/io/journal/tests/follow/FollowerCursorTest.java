package io.journal.tests.follow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.internal.manage.FollowerCursors;
import io.journal.internal.follow.FollowedSource;
import io.journal.store.Backend;
import io.journal.tests.support.CountingSteps;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The cursors that a follower keeps in a directory of its own: their files, what they share it with, and what a
 * truncation by the writer means to them.
 */
class FollowerCursorTest extends JournalFixture
{
    private static final String FILE = "index.cursor";
    private static final RecordHandler IGNORE = (buffer, offset, length, header) ->
    {
    };

    private Path own;

    @BeforeEach
    void place()
    {
        own = temp.resolve("own");
    }

    private ReadOnlyJournal follow()
    {
        return closing(Journal.openReadOnly(directory()));
    }

    private ReadOnlyJournal followTenRecords()
    {
        try (Journal journal = open(Backend.FILE_CHANNEL))
        {
            appendNumbered(journal, 10, 100);
        }
        return follow();
    }

    private static List<String> names(final Path directory) throws IOException
    {
        try (Stream<Path> paths = Files.list(directory))
        {
            return paths.map((path) -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void cursorsOfOneDirectoryAreCreatedAtTheSameTime() throws Exception
    {
        final List<ReadOnlyJournal> followers = List.of(followTenRecords(), follow());
        Files.createDirectory(own);
        for (int round = 0; round < 25; round++)
        {
            final Path directory = own.resolve("" + round);
            final CyclicBarrier start = new CyclicBarrier(4);
            final List<Background> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                final ReadOnlyJournal follower = followers.get(i & 1);
                final String name = "consumer" + i / 2;
                threads.add(Background.start(name, () ->
                {
                    start.await();
                    assertEquals(0, follower.cursor(directory, name).sequence());
                }));
            }
            threads.forEach(Background::join);
            followers.get(0).cursor(directory, "consumer0").save(5);
            followers.get(1).cursor(directory, "consumer1").save(6);
            assertEquals(List.of("consumer0.cursor", "consumer1.cursor"), names(directory));
            final ReadOnlyJournal later = follow();
            assertEquals(5, later.cursor(directory, "consumer0").sequence());
            assertEquals(6, later.cursor(directory, "consumer1").sequence());
        }
    }

    @Test
    void cursorThatAnotherProcessCreatesMeanwhileIsTaken() throws IOException
    {
        final ReadOnlyJournal other = followTenRecords();
        final AtomicBoolean isFirst = new AtomicBoolean(true);
        try (FollowedSource source = new FollowedSource(Backend.FILE_CHANNEL.store(directory())))
        {
            final FollowerCursors cursors = cursors(source, (step, name) ->
            {
                if (StepStore.Step.FORCE == step && isFirst.getAndSet(false))
                {
                    other.cursor(own, "index").save(3);
                }
                return true;
            });
            assertEquals(3, cursors.get(own, "index").sequence());
            assertFalse(isFirst.get());
            assertEquals(List.of(FILE), names(own));
        }
    }

    private FollowerCursors cursors(final FollowedSource source, final StepStore.Steps steps)
    {
        return new FollowerCursors(
            directory(), source, (path) -> new StepStore(Backend.FILE_CHANNEL.store(path), steps));
    }

    @Test
    void nameOfAnExistingCursorIsMadeDurable() throws IOException
    {
        followTenRecords().cursor(own, "index").save(3);
        final AtomicInteger forces = new AtomicInteger();
        try (FollowedSource source = new FollowedSource(Backend.FILE_CHANNEL.store(directory())))
        {
            final FollowerCursors cursors = cursors(source, (step, name) ->
            {
                if (StepStore.Step.FORCE_DIRECTORY == step)
                {
                    forces.incrementAndGet();
                }
                return true;
            });
            assertEquals(3, cursors.get(own, "index").sequence());
            assertEquals(1, forces.get());
            cursors.get(own, "index");
            assertEquals(1, forces.get());
        }
    }

    /** The next fsync may succeed although a power loss still takes the name. */
    @Test
    void newCursorWhoseNameMayNotBeDurableIsDeleted() throws IOException
    {
        followTenRecords();
        final FailingSteps device = new FailingSteps(StepStore.Step.FORCE_DIRECTORY);
        try (FollowedSource source = new FollowedSource(Backend.FILE_CHANNEL.store(directory())))
        {
            device.fail();
            assertThrows(IOException.class, () -> cursors(source, device).get(own, "index"));
            assertEquals(List.of(), names(own));

            device.work();
            cursors(source, device).get(own, "index").save(3, 0);
            device.fail();
            assertThrows(IOException.class, () -> cursors(source, device).get(own, "index"));
            device.work();
            assertEquals(3, cursors(source, device).get(own, "index").sequence());
        }
    }

    @Test
    void filesOfOthersAreLeftAlone() throws IOException
    {
        final ReadOnlyJournal follower = followTenRecords();
        Files.createDirectories(own);
        final List<String> others = List.of("index.cursor.new", "index.cursor.new-mine", "spare");
        for (final String name : others)
        {
            Files.writeString(own.resolve(name), "mine");
        }
        final Path left = Files.createFile(own.resolve(FILE + ".new-" + UUID.randomUUID()));
        follower.cursor(own, "index").save(3);

        assertFalse(Files.exists(left));
        for (final String name : others)
        {
            assertEquals("mine", Files.readString(own.resolve(name)));
        }
        assertEquals(4, names(own).size());
    }

    @Test
    void sameCursorIsReturnedForTheSameFile() throws IOException
    {
        final ReadOnlyJournal follower = followTenRecords();
        final JournalCursor cursor = follower.cursor(own, "index");
        final Path link = Files.createSymbolicLink(temp.resolve("link"), own);
        assertSame(cursor, follower.cursor(own, "index"));
        assertSame(cursor, follower.cursor(link, "index"));
        assertNotSame(cursor, follower.cursor(own, "other"));
        cursor.save(9);
        assertEquals(9, follower.cursor(own, "index").sequence());

        cursor.delete();
        final JournalCursor next = follower.cursor(own, "index");
        assertEquals(0, next.sequence());
        next.save(4);
        // It is not the file of this one any more.
        cursor.delete();
        assertEquals(4, follower.cursor(own, "index").sequence());

        Files.delete(own.resolve(FILE));
        assertEquals(0, follower.cursor(own, "index").sequence());
        assertThrows(IllegalStateException.class, () -> next.save(5));
    }

    @Test
    void cursorThatCannotBeOpenedIsSavedLater() throws IOException
    {
        final ReadOnlyJournal follower = followTenRecords();
        final JournalCursor cursor = follower.cursor(own, "index");
        final JournalReader reader = closing(follower.openReader(cursor));
        assertNumbered(1, 4, poll(reader, 4));
        final Path away = temp.resolve("away");
        Files.move(own, away);
        final JournalException thrown = assertThrows(JournalException.class, reader::commit);
        assertTrue(thrown.getMessage().contains("nothing was saved: file=" + own.resolve(FILE)), thrown::getMessage);
        assertEquals(0, cursor.sequence());
        Files.move(away, own);
        reader.commit();
        assertEquals(4, cursor.sequence());
    }

    @Test
    void cursorThatCannotBeDeletedStaysUsable() throws IOException
    {
        final ReadOnlyJournal follower = followTenRecords();
        final JournalCursor cursor = follower.cursor(own, "index");
        final Path file = own.resolve(FILE);
        Files.move(file, temp.resolve("aside"));
        // Something that cannot be deleted.
        Files.createDirectories(file.resolve("full"));
        final JournalException thrown = assertThrows(JournalException.class, cursor::delete);
        assertTrue(thrown.getMessage().contains("file=" + file), thrown::getMessage);
        Files.delete(file.resolve("full"));
        Files.delete(file);
        Files.move(temp.resolve("aside"), file);
        cursor.save(3);
        assertEquals(3, cursor.sequence());
    }

    @Test
    void nothingIsWrittenIntoTheJournalThroughALink() throws IOException
    {
        final ReadOnlyJournal follower = followTenRecords();
        final List<String> before = names(directory());
        final Path link = Files.createSymbolicLink(temp.resolve("link"), directory());
        for (final Path directory : List.of(link, link.resolve("cursors"), link.resolve("x/y")))
        {
            assertThrows(IllegalArgumentException.class, () -> follower.cursor(directory, "index"));
        }
        assertEquals(before, names(directory()));

        final ReadOnlyJournal linked = closing(Journal.openReadOnly(link));
        assertThrows(IllegalArgumentException.class, () -> linked.cursor(directory().resolve("cursors"), "index"));
        assertEquals(before, names(directory()));
    }

    @Test
    void damagedFileIsNamedByItsPath() throws IOException
    {
        final ReadOnlyJournal follower = followTenRecords();
        Files.createDirectories(own);
        Files.write(own.resolve(FILE), new byte[5]);
        final JournalException thrown =
            assertThrows(JournalException.class, () -> follower.cursor(own, "index"));
        assertTrue(thrown.getMessage().contains("file=" + own.resolve(FILE)), thrown::getMessage);
    }

    @EachBackend
    void whatWasReadIsCommittedWhileTheWriterTruncates(final Backend backend)
    {
        final AtomicBoolean isTruncating = new AtomicBoolean();
        final AtomicInteger unknown = new AtomicInteger();
        final List<JournalReader> reader = new ArrayList<>();
        final List<ReadOnlyJournal> follower = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            if (isTruncating.get() && useWhileTruncating(follower.get(0), reader.get(0)))
            {
                unknown.incrementAndGet();
            }
            return true;
        });
        try (Journal journal = builder(directory(), backend).store(store).backgroundThread(false).open())
        {
            appendNumbered(journal, 200, 900);
            journal.force();
            follower.add(follow());
            final JournalCursor cursor = follower.get(0).cursor(own, "index");
            reader.add(closing(follower.get(0).openReader(cursor)));
            assertNumbered(1, 4, poll(reader.get(0), 4));
            isTruncating.set(true);
            journal.truncateAfter(10);
            isTruncating.set(false);

            assertTrue(unknown.get() > 0);
            assertEquals(4, cursor.sequence());
            assertThrows(IllegalArgumentException.class, () -> cursor.save(11));
            reader.get(0).seek(5);
            assertNumbered(5, 10, poll(reader.get(0)));
            reader.get(0).commit();
            assertEquals(10, cursor.sequence());
        }
    }

    /** Returns whether it is not known what is durable. */
    private boolean useWhileTruncating(final ReadOnlyJournal follower, final JournalReader reader)
    {
        reader.commit();
        final JournalCursor cursor = follower.cursor(own, "index");
        assertEquals(4, cursor.sequence());
        final boolean isReadable = reader.await(Duration.ZERO);
        assertEquals(isReadable ? 1 : 0, reader.poll(IGNORE, 1));
        assertEquals(isReadable ? 1 : 0, reader.pollBackwards(IGNORE, isReadable ? 1 : 0));
        final boolean isUnknown = 0 == follower.forcedSequence();
        if (isUnknown)
        {
            final JournalException thrown = assertThrows(JournalException.class, () -> cursor.save(3));
            assertTrue(thrown.getMessage().contains("not known what is durable"), thrown::getMessage);
            assertThrows(JournalException.class, () -> reader.seek(5));
            assertThrows(IllegalArgumentException.class, () -> cursor.save(500));
            assertThrows(IllegalArgumentException.class, () -> reader.seek(500));
            assertEquals(5, reader.nextSequence());
        }
        return isUnknown;
    }

    @EachBackend
    void awaitReadsNothingIfTheNextRecordIsKnown(final Backend backend)
    {
        final CountingSteps steps = new CountingSteps();
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
            journal.force();
            final ReadOnlyJournal follower =
                closing(Internals.openReadOnly(directory(), new StepStore(backend.store(directory()), steps)));
            for (final JournalReader.Limit limit : JournalReader.Limit.values())
            {
                final JournalReader reader = closing(follower.openReader(limit));
                assertTrue(reader.await(Duration.ZERO));
                assertNumbered(1, 4, poll(reader, 4));
                steps.reset();
                assertTrue(reader.await(Duration.ZERO));
                assertEquals(0, steps.bytesRead.get());
                assertNumbered(5, 10, poll(reader));
                assertFalse(reader.await(Duration.ZERO));
            }
        }
    }
}
