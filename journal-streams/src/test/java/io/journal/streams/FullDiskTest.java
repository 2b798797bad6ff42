// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalFullException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Index files on a full disk, a small file system mounted for it. Needs root on Linux; skipped elsewhere. */
@Tag("slow")
class FullDiskTest
{
    private static final int KEYS = 10;
    private static final long PATIENCE_NS = 30_000_000_000L;

    @TempDir
    private Path temp;

    private final List<Throwable> problems = Collections.synchronizedList(new ArrayList<>());
    private Path mount;
    private Path directory;
    private boolean isMounted;

    @BeforeEach
    void mount() throws Exception
    {
        assumeTrue("Linux".equals(System.getProperty("os.name")), "needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to mount");
        mount = Files.createDirectory(temp.resolve("mount"));
        directory = mount.resolve("journal");
        isMounted = succeeds("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mount.toString());
        assumeTrue(isMounted, "cannot mount here");
    }

    @AfterEach
    void unmount() throws Exception
    {
        if (isMounted)
        {
            // Lazily: index files may still be mapped.
            assertTrue(succeeds("umount", "-l", mount.toString()));
        }
    }

    private static boolean succeeds(final String... command) throws Exception
    {
        return 0 == new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    }

    private EventStreams open()
    {
        return EventStreams.open(
            Journal.builder(directory).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).open(),
            new EventStreams.Options(16, true, Runnable::run, Clock.systemUTC(), problems::add));
    }

    private static long append(final EventStreams streams, final long position)
    {
        return streams.append(
            List.of(new Event("type", Set.of("key" + position % KEYS), new byte[100])),
            new Condition(Query.tags("key" + position % KEYS), position - 1)).last();
    }

    private static void checkAnswers(final EventStreams streams, final long head)
    {
        for (long key = 0; key < KEYS; key++)
        {
            final Query query = Query.tags("key" + key);
            final long[] next = { 0 == key ? KEYS : key };
            assertEquals(head, streams.read(query, Range.ALL, (event) ->
            {
                assertEquals(next[0], event.position());
                next[0] += KEYS;
            }));
            assertTrue(next[0] > head && next[0] <= head + KEYS, () -> "next=" + next[0] + ", head=" + head);
            final ConflictException conflict = assertThrows(ConflictException.class,
                () -> streams.append(List.of(new Event("type", Set.of(), new byte[0])), new Condition(query, 0)));
            assertEquals(next[0] - KEYS, conflict.position());
        }
    }

    private Path fill() throws IOException
    {
        final Path ballast = mount.resolve("ballast");
        try (OutputStream output = Files.newOutputStream(ballast))
        {
            while (true)
            {
                output.write(new byte[4096]);
            }
        }
        catch (final IOException ex)
        {
            return ballast;
        }
    }

    private String[] unfinished()
    {
        return directory.resolve("streams").toFile().list((parent, name) -> name.endsWith(".unfinished"));
    }

    @Test
    void fullDiskIsReportedAndChangesNoAnswer() throws Exception
    {
        long head = 0;
        try (EventStreams streams = open())
        {
            while (head < 200)
            {
                head = append(streams, head + 1);
            }
            final Path ballast = fill();
            JournalFullException full = null;
            while (null == full)
            {
                try
                {
                    head = append(streams, head + 1);
                }
                catch (final JournalFullException ex)
                {
                    full = ex;
                }
            }
            assertTrue(head > 200);
            checkAnswers(streams, head);
            awaitProblem("cannot write an index file");
            checkAnswers(streams, head);

            Files.delete(ballast);
            for (int i = 0; i < 100; i++)
            {
                head = append(streams, head + 1);
            }
            checkAnswers(streams, head);
        }
        assertEquals(0, unfinished().length, () -> Arrays.toString(unfinished()));
        problems.clear();
        try (EventStreams streams = open())
        {
            checkAnswers(streams, head);
        }
        assertTrue(problems.isEmpty(), problems::toString);
    }

    @Test
    void storeWithoutIndexFilesOpensOnAFullDisk() throws Exception
    {
        long head = 0;
        try (EventStreams streams = open())
        {
            while (head < 200)
            {
                head = append(streams, head + 1);
            }
        }
        for (final Path file : indexFiles())
        {
            Files.delete(file);
        }
        final Path ballast = fill();
        try (EventStreams streams = open())
        {
            assertFalse(problems.isEmpty());
            checkAnswers(streams, head);
            assertEquals(List.of(), indexFiles());

            Files.delete(ballast);
            final long deadline = System.nanoTime() + PATIENCE_NS;
            while (indexFiles().isEmpty() && System.nanoTime() < deadline)
            {
                Thread.sleep(10);
            }
            assertFalse(indexFiles().isEmpty(), problems::toString);
            checkAnswers(streams, head);
        }
    }

    private List<Path> indexFiles() throws IOException
    {
        try (var files = Files.list(directory.resolve("streams")))
        {
            return files.filter((file) -> file.toString().endsWith(".index")).toList();
        }
    }

    private void awaitProblem(final String text) throws InterruptedException
    {
        final long deadline = System.nanoTime() + PATIENCE_NS;
        while (problems.stream().noneMatch((problem) -> problem.getMessage().contains(text)))
        {
            assertTrue(System.nanoTime() < deadline, problems::toString);
            Thread.sleep(10);
        }
    }
}
