// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.Arguments;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Base of the suites: a directory, small journals, self-describing records, snapshots of directories, threads that
 * propagate failures.
 */
@ExtendWith(UsableBackends.class)
public abstract class JournalFixture
{
    public static final int SEGMENT_LENGTH = 64 * 1024;
    public static final int SEGMENT_HEADER_LENGTH = 4096;
    public static final int FRAME_HEADER_LENGTH = 24;
    public static final int MARK_LENGTH = 64;
    public static final int LARGEST_RECORD =
        SEGMENT_LENGTH - SEGMENT_HEADER_LENGTH - MARK_LENGTH - FRAME_HEADER_LENGTH;
    public static final long TIME_MS = 1_750_000_000_000L;
    public static final RecordHandler IGNORE = (buffer, offset, length, header) ->
    {
    };

    @TempDir(factory = InMemory.Factory.class)
    protected Path temp;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    /** Closes a resource when the test is over, in reverse order. */
    protected final <T extends AutoCloseable> T closing(final T resource)
    {
        resources.push(resource);
        return resource;
    }

    /** A journal that may fail while it is used: then, and only then, closing it throws. */
    public record Fallible(Journal journal) implements AutoCloseable
    {
        @Override
        public void close()
        {
            closeFallible(journal);
        }
    }

    /** Closes a journal, which throws if it has failed. */
    public static void closeFallible(final Journal journal)
    {
        final boolean isFailed = journal.counters().isFailed() && !journal.isClosed();
        if (isFailed)
        {
            assertThrows(JournalException.class, journal::close);
        }
        else
        {
            journal.close();
        }
    }

    @AfterEach
    final void closeResources() throws Exception
    {
        Throwable failure = null;
        while (!resources.isEmpty())
        {
            try
            {
                final AutoCloseable resource = resources.pop();
                if (resource instanceof final Journal journal)
                {
                    closeFallible(journal);
                }
                else
                {
                    resource.close();
                }
            }
            catch (final Throwable ex)
            {
                failure = null == failure ? ex : failure;
            }
        }
        if (null != failure)
        {
            throw new AssertionError("cannot close", failure);
        }
    }

    protected final Path directory()
    {
        return temp.resolve("journal");
    }

    protected Journal open(final Backend backend)
    {
        return open(directory(), backend);
    }

    protected Journal reopen(final Backend backend)
    {
        return Journal.builder(directory()).backend(backend).writeWindow(0).open();
    }

    /** A builder of a journal here whose store calls the test before each step. */
    protected final JournalBuilder builder(final Backend backend, final StepStore.Steps steps)
    {
        return builder(directory(), backend).store(new StepStore(backend.store(directory()), steps));
    }

    protected final JournalBuilder repeatable(final Backend backend)
    {
        return repeatable(directory(), backend, 1);
    }

    /** A record as its reader saw it. */
    public record Entry(long sequence, long tag, byte[] bytes)
    {
        @Override
        public boolean equals(final Object other)
        {
            return other instanceof final Entry that &&
                sequence == that.sequence && tag == that.tag && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode()
        {
            return Long.hashCode(sequence) ^ Long.hashCode(tag) ^ Arrays.hashCode(bytes);
        }

        @Override
        public String toString()
        {
            return "sequence=" + sequence + ", tag=" + tag + ", length=" + bytes.length + ", bytes=" +
                HexFormat.of().formatHex(bytes, 0, Math.min(16, bytes.length));
        }
    }

    /** A journal that writes each record before append returns. */
    public static JournalBuilder builder(final Path path, final Backend backend)
    {
        return Journal.builder(path).backend(backend).segmentLength(SEGMENT_LENGTH).writeWindow(0);
    }

    /** A deterministic journal: no thread, no clock, no randomness. */
    public static JournalBuilder repeatable(final Path path, final Backend backend, final long seed)
    {
        return repeatable(builder(path, backend), randoms(seed));
    }

    public static JournalBuilder repeatable(final Path path, final SegmentStore store, final LongSupplier randoms)
    {
        return repeatable(Journal.builder(path).store(store).segmentLength(SEGMENT_LENGTH), randoms);
    }

    private static JournalBuilder repeatable(final JournalBuilder builder, final LongSupplier randoms)
    {
        return Internals.randoms(builder.backgroundThread(false).clock(() -> TIME_MS), randoms);
    }

    /** Every backend with every kind of write window. A mapped journal has none. */
    static Stream<Arguments> backendsAndWindows()
    {
        return UsableBackends.tested().stream().flatMap(
            (backend) -> (Backend.MAPPED == backend ? Stream.of(0) : Stream.of(0, 1001, 64 * 1024))
                .map((window) -> Arguments.of(backend, window)));
    }

    public static Journal open(final Path path, final Backend backend)
    {
        return builder(path, backend).open();
    }

    public static LongSupplier randoms(final long seed)
    {
        final Random random = new Random(seed);
        return random::nextLong;
    }

    /** A clock that a test moves. */
    public static final class TestClock implements EpochClock
    {
        private volatile long timeMs = TIME_MS;

        @Override
        public long time()
        {
            return timeMs;
        }

        public void advance(final long ms)
        {
            timeMs += ms;
        }
    }

    /** Bytes that differ at every index from the bytes of any other number. */
    public static byte[] record(final long number, final int length)
    {
        final byte[] bytes = new byte[length];
        long state = number * 0x9E37_79B9_7F4A_7C15L + length;
        for (int i = 0; i < length; i++)
        {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            bytes[i] = (byte)(state >>> 24);
        }

        return bytes;
    }

    public static byte[] bytes(final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    static byte[] bytes(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    public static RecordHandler into(final List<Entry> entries)
    {
        return (buffer, offset, length, header) -> entries
            .add(new Entry(header.sequence(), header.tag(), bytes(buffer, offset, length)));
    }

    public static List<Entry> poll(final JournalReader reader)
    {
        return poll(reader, Integer.MAX_VALUE);
    }

    public static List<Entry> poll(final JournalReader reader, final int limit)
    {
        final List<Entry> entries = new ArrayList<>();
        assertEquals(reader.poll(into(entries), limit), entries.size());
        return entries;
    }

    /** Reads to the end, into a list that also holds the records read before a reader throws. */
    public static void readOn(final JournalReader reader, final List<Entry> found)
    {
        while (reader.poll(into(found), 100) > 0)
        {
            assert !found.isEmpty();
        }
    }

    public static List<Entry> readAll(final Journal journal)
    {
        try (JournalReader reader = journal.openReader())
        {
            return poll(reader);
        }
    }

    public static List<Entry> readAll(final Path path, final Backend backend)
    {
        try (Journal journal = Journal.builder(path).backend(backend).writeWindow(0).open())
        {
            return readAll(journal);
        }
    }

    /** Runs the background agent once. Returns whether it found work. */
    public static boolean doWork(final Journal journal)
    {
        try
        {
            return journal.backgroundAgent().doWork() > 0;
        }
        catch (final Exception ex)
        {
            throw new AssertionError(ex);
        }
    }

    /** Runs the background agent until it finds no work. */
    public static void runAgent(final Journal journal)
    {
        while (doWork(journal))
        {
            Thread.onSpinWait();
        }
    }

    /** Appends records, from the next sequence on, whose content is {@link #record} of their sequence. */
    public static void appendNumbered(final Journal journal, final int count, final int length)
    {
        for (int i = 0; i < count; i++)
        {
            final long sequence = journal.lastSequence() + 1;
            assertEquals(sequence, journal.appender().append(-sequence, record(sequence, length), 0, length));
        }
    }

    /** Appends three records, the first of a new journal, that leave so many bytes of its first segment. */
    public static void fillSegment(final Journal journal, final int leftover)
    {
        // Nothing is fsynced after these two records, so that no further mark comes in between.
        appendNumbered(journal, 1, 5000);
        appendNumbered(journal, 1, 0);
        final int remaining = (int)(SEGMENT_LENGTH - journal.counters().appendedPosition());
        appendNumbered(journal, 1, remaining - leftover - JournalFixture.FRAME_HEADER_LENGTH);
        assertEquals(SEGMENT_LENGTH - leftover, journal.counters().appendedPosition());
    }

    public static void assertNumbered(final long first, final long last, final List<Entry> entries)
    {
        assertEquals(last - first + 1, entries.size());
        for (int i = 0; i < entries.size(); i++)
        {
            assertNumbered(first + i, entries.get(i));
        }
    }

    public static void assertNumbered(final long sequence, final Entry entry)
    {
        assertEquals(sequence, entry.sequence());
        assertEquals(-sequence, entry.tag());
        assertArrayEquals(record(sequence, entry.bytes().length), entry.bytes(), () -> "sequence=" + sequence);
    }

    /** All files below a directory with their bytes; for other things, their kind. */
    public static TreeMap<String, String> picture(final Path directory) throws IOException
    {
        final TreeMap<String, String> picture = new TreeMap<>();
        for (final Path path : entries(directory))
        {
            final String name = directory.relativize(path).toString();
            picture.put(name, Files.isRegularFile(path) ? hex(Files.readAllBytes(path)) : "no file");
        }

        return picture;
    }

    /** A snapshot without traces of the writer. */
    public static TreeMap<String, String> pictureOfContent(final Path directory) throws IOException
    {
        final TreeMap<String, String> picture = picture(directory);
        picture.remove("journal.lock");
        final Path control = directory.resolve(JournalDirectory.CONTROL);
        if (Files.isRegularFile(control) && JournalDirectory.CONTROL_LENGTH == Files.size(control))
        {
            // Each opening for writing replaces the fence.
            final byte[] bytes = Files.readAllBytes(control);
            Arrays.fill(bytes, JournalDirectory.FENCE_OFFSET, JournalDirectory.CONTROL_LENGTH, (byte)0);
            picture.put(JournalDirectory.CONTROL, hex(bytes));
        }
        return picture;
    }

    /** Reports the first difference only. */
    public static void assertSamePicture(
        final Map<String, String> expected, final Map<String, String> actual, final String context)
    {
        assertEquals(expected.keySet(), actual.keySet(), context);
        expected.forEach((name, text) ->
        {
            final String[] lines = text.split("\n");
            final String[] actualLines = actual.get(name).split("\n");
            for (int i = 0; i < Math.max(lines.length, actualLines.length); i++)
            {
                final String line = i < lines.length ? lines[i] : "nothing but zeros";
                final String actualLine = i < actualLines.length ? actualLines[i] : "nothing but zeros";
                assertEquals(line, actualLine, () -> context + ", file=" + name);
            }
        });
    }

    public static void copy(final Path from, final Path to) throws IOException
    {
        Files.createDirectories(to);
        for (final Path path : entries(from))
        {
            final Path target = to.resolve(from.relativize(path).toString());
            if (Files.isDirectory(path))
            {
                Files.createDirectories(target);
            }
            else if (!path.getFileName().toString().startsWith("spare-"))
            {
                // A file in preparation may get its name meanwhile. Without that file, the copy shows the moment
                // before.
                Files.write(target, Files.readAllBytes(path));
            }
        }
    }

    /** Deletes a directory, if there is one, and everything in it. */
    public static void deleteTree(final Path directory) throws IOException
    {
        if (Files.exists(directory))
        {
            try (Stream<Path> paths = Files.walk(directory))
            {
                for (final Path path : paths.sorted(Comparator.reverseOrder()).toList())
                {
                    Files.delete(path);
                }
            }
        }
    }

    public static Path segment(final Path directory, final long ordinal)
    {
        return directory.resolve(String.format("%020d.journal", ordinal));
    }

    private static List<Path> entries(final Path directory) throws IOException
    {
        try (Stream<Path> paths = Files.walk(directory))
        {
            return paths.filter((path) -> !path.equals(directory)).sorted().toList();
        }
    }

    // Runs of zeros are encoded by their length: most of a segment is zero.
    private static String hex(final byte[] bytes)
    {
        final StringBuilder builder = new StringBuilder().append(bytes.length).append(" bytes:");
        final int step = 32;
        for (int i = 0; i < bytes.length; i += step)
        {
            final int end = Math.min(bytes.length, i + step);
            if (!Arrays.equals(bytes, i, end, new byte[step], 0, end - i))
            {
                builder.append('\n').append(i).append(": ").append(HexFormat.of().formatHex(bytes, i, end));
            }
        }

        return builder.toString();
    }

    /** A thread whose failure is rethrown by join. */
    public static final class Background
    {
        private final Thread thread;
        private volatile Throwable failure;

        private Background(final String name, final Executable task)
        {
            thread = new Thread(() -> run(task), name);
            thread.setDaemon(true);
        }

        public static Background start(final String name, final Executable task)
        {
            final Background background = new Background(name, task);
            background.thread.start();
            return background;
        }

        private void run(final Executable task)
        {
            try
            {
                task.execute();
            }
            catch (final Throwable ex)
            {
                failure = ex;
            }
        }

        public Thread thread()
        {
            return thread;
        }

        /** To be called while waiting for this thread. */
        public void check()
        {
            if (null != failure)
            {
                throw new AssertionError("failed: thread=" + thread.getName(), failure);
            }
        }

        /** Waits until this thread is parked. */
        public void awaitParked()
        {
            while (Thread.State.WAITING != thread.getState() && Thread.State.TIMED_WAITING != thread.getState())
            {
                check();
                assertTrue(thread.isAlive(), thread::getName);
                Thread.onSpinWait();
            }
        }

        public void join()
        {
            boolean isInterrupted = false;
            while (thread.isAlive())
            {
                try
                {
                    thread.join();
                }
                catch (final InterruptedException ignore)
                {
                    isInterrupted = true;
                }
            }
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
            check();
        }
    }

    public static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    public static byte[] contentOf(final Path path)
    {
        try
        {
            return Files.readAllBytes(path);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** The text of a file, for a message. */
    public static String textOf(final Path path)
    {
        return new String(contentOf(path), StandardCharsets.UTF_8);
    }

    /** Asserts that a call is refused because the journal is closed, and for no other reason. */
    public static void assertClosed(final Executable call)
    {
        final IllegalStateException ex = assertThrows(IllegalStateException.class, call);
        assertTrue(ex.getMessage().matches("journal (is|was) closed.*"), ex::toString);
    }
}
