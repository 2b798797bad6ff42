// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.journal.tests.support.JournalFixture.appendNumbered;
import static io.journal.tests.support.JournalFixture.builder;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Segments that stay open after they were read: until they are dropped, or the journal is closed. */
class KeptSegmentsTest
{
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");
    private static final RecordHandler NOTHING = (buffer, offset, length, header) ->
    {
    };

    @TempDir(factory = MemoryDirectory.class)
    private Path parent;

    @BeforeEach
    void listsOfThisProcess()
    {
        assumeTrue(Files.isDirectory(DESCRIPTORS) && Files.isReadable(MAPPINGS), "no list of what is open");
    }

    @EachBackend
    void seeksKeepSegmentsUntilTheyAreDropped(final Backend backend) throws IOException
    {
        final Journal journal = open(backend);
        for (long sequence = 600; sequence >= 1; sequence -= 30)
        {
            assertTrue(journal.get(sequence, NOTHING));
        }
        assertTrue(open().count() > 2);

        journal.prune(400);
        assertTrue(journal.get(500, NOTHING));
        assertEquals(0, dropped());
        journal.close();
        assertEquals(0, open().count());
    }

    @EachBackend
    void seekInProgressKeepsADroppedSegmentNoLonger(final Backend backend) throws IOException
    {
        final Journal journal = open(backend);
        journal.get(30, (buffer, offset, length, header) ->
        {
            journal.prune(400);
            assertTrue(journal.get(500, NOTHING));
        });
        assertEquals(0, dropped());
        journal.get(500, (buffer, offset, length, header) -> journal.get(450, (b, o, l, h) -> journal.prune(600)));
        assertEquals(0, dropped());

        journal.get(600, (buffer, offset, length, header) -> journal.close());
        assertEquals(0, open().count());
    }

    @EachBackend
    void replaysKeepMappedSegmentsUntilTheyAreDropped(final Backend backend) throws IOException
    {
        final Journal journal = open(backend);
        final int before = mapped().size();
        replay(journal.openReader());
        if (Backend.MAPPED == backend)
        {
            assertTrue(mapped().size() > before + 5, () -> "not kept: " + mapped());
        }

        journal.prune(400);
        assertEquals(0, dropped());
        replay(journal.openReader());
        journal.close();
        assertEquals(0, open().count());
    }

    /** Otherwise a reader would follow a mapping beyond the end of its file, which may crash the JVM. */
    @EachBackend
    void keptSegmentIsCheckedWhenItIsReadAgain(final Backend backend) throws IOException
    {
        cutShort(backend, (journal) -> replay(journal.openReader()));
    }

    @EachBackend
    void segmentKeptByAReplayIsCheckedByTheFirstSeek(final Backend backend) throws IOException
    {
        cutShort(backend, (journal) -> journal.get(250, NOTHING));
    }

    private void cutShort(final Backend backend, final Consumer<Journal> read) throws IOException
    {
        try (Journal journal = open(backend))
        {
            replay(journal.openReader());
            journal.force();
            final Path segment = parent.resolve("journal").resolve("00000000000000000003.journal");
            try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE))
            {
                channel.truncate(4096);
            }

            final CorruptJournalException ex = assertThrows(CorruptJournalException.class, () -> read.accept(journal));
            assertEquals(segment.getFileName().toString(), ex.file());
        }
    }

    /** Another process drops the segments of this journal, which notices that only when it is read from. */
    @Test
    void replaysOfAFollowerKeepNoMoreThanTheirSeek() throws IOException
    {
        try (Journal journal = open(Backend.MAPPED);
            ReadOnlyJournal follower = Journal.openReadOnly(parent.resolve("journal")))
        {
            final long before = open().count();
            replay(follower.openReader());
            assertTrue(open().count() <= before + 1);
            journal.prune(400);
            assertTrue(dropped() <= 1);
        }
    }

    @Test
    void lookupsOfAFollowerKeepDroppedSegmentsUntilTheNext() throws IOException
    {
        try (Journal journal = open(Backend.MAPPED);
            ReadOnlyJournal follower = Journal.openReadOnly(parent.resolve("journal")))
        {
            assertTrue(follower.get(30, (buffer, offset, length, header) -> assertTrue(follower.get(150, NOTHING))));
            journal.prune(400);
            assertTrue(dropped() > 0);
            assertTrue(follower.get(500, NOTHING));
            assertEquals(0, dropped());
        }
        assertEquals(0, open().count());
    }

    private Journal open(final Backend backend)
    {
        final Journal journal = builder(parent.resolve("journal"), backend).backgroundThread(false).open();
        appendNumbered(journal, 600, 900);
        return journal;
    }

    private static void replay(final JournalReader opened)
    {
        try (JournalReader reader = opened)
        {
            while (reader.poll(NOTHING, 100) > 0)
            {
                Thread.onSpinWait();
            }
            assertEquals(601, reader.nextSequence());
        }
    }

    private long dropped() throws IOException
    {
        return open().filter((target) -> target.endsWith("(deleted)")).count();
    }

    private Stream<String> open() throws IOException
    {
        final List<String> targets = mapped();
        try (Stream<Path> links = Files.list(DESCRIPTORS))
        {
            for (final Path link : links.toList())
            {
                if (Files.isSymbolicLink(link))
                {
                    add(targets, Files.readSymbolicLink(link).toString());
                }
            }
        }

        return targets.stream();
    }

    private List<String> mapped()
    {
        final List<String> targets = new ArrayList<>();
        try
        {
            for (final String line : Files.readAllLines(MAPPINGS))
            {
                add(targets, line.substring(Math.max(0, line.indexOf('/'))));
            }

            return targets;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void add(final List<String> targets, final String target)
    {
        if (target.startsWith(parent.toString()) && target.contains(".journal"))
        {
            targets.add(target);
        }
    }
}
