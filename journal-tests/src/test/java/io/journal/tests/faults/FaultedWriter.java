// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.journal.JournalAppender;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter;
import io.journal.tests.crash.Promises;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A process that uses a journal as an application would while others damage its files, and logs results to its standard
 * output. It exits with 0 only if all exceptions were documented ones.
 * <p>
 * A line is a word and a number. {@code opened}: the last sequence. {@code forced}, {@code saved}: a sequence that is
 * acknowledged. {@code full}: the disk is full. {@code refused}: a call failed and can be retried. {@code failed}:
 * nothing more is acknowledged. {@code unopened}: opening or closing failed; 1 if the disk was full. {@code closed}: it
 * was closed.
 */
public final class FaultedWriter
{
    public static final String CURSOR = "consumer";

    private static final int MAX_LENGTH = 3000;
    private static final int MAX_REFUSALS = 50;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);
    // Longer than any fsync takes.
    private static final long SETTLED_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_LIFE_S = 900;

    private final Journal journal;
    private final JournalCursor cursor;
    private final Path copies;
    private final AtomicInteger left;
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger copied = new AtomicInteger();
    private volatile boolean isStopped;

    private FaultedWriter(final Journal journal, final Path copies, final int records)
    {
        this.journal = journal;
        this.copies = copies;
        left = new AtomicInteger(records);
        cursor = journal.cursor(CURSOR);
    }

    /** One that exists keeps its segment length. */
    static JournalBuilder builder(final Path path, final Backend backend)
    {
        return Files.exists(path.resolve(JournalFiles.CONTROL)) ?
            Journal.builder(path).backend(backend).writeWindow(0) : KilledWriter.builder(path, backend);
    }

    /**
     * Runs until it has appended its records, receives a stop command, or fails.
     *
     * @param args directory, backend, number of threads, number of records, directory for copies.
     */
    public static void main(final String[] args) throws Exception
    {
        halt(LONGEST_LIFE_S);
        final int threads = Integer.parseInt(args[2]);
        try (Journal journal = builder(Path.of(args[0]), Backend.valueOf(args[1]))
            .errorHandler((ex) -> say("background", 0))
            .open())
        {
            Promises.readAll(journal);
            say("opened", journal.lastSequence());
            final FaultedWriter writer = new FaultedWriter(journal, Path.of(args[4]), Integer.parseInt(args[3]));
            startThread(writer::obey);
            startThread(() -> follow(journal.openReader(), journal::isClosed));
            startThread(() -> writer.followAsAnotherProcess(Path.of(args[0])));
            writer.run(threads);
        }
        catch (final CorruptJournalException ex)
        {
            throw ex;
        }
        catch (final JournalFullException ex)
        {
            say("unopened", 1);
        }
        catch (final JournalException ex)
        {
            ex.printStackTrace();
            say("unopened", 0);
        }
        say("closed", 0);
        Runtime.getRuntime().halt(0);
    }

    /**
     * Ends the process with an error if it does not end by itself, so that no test waits for it forever.
     */
    public static void halt(final long seconds)
    {
        startThread(() ->
        {
            TimeUnit.SECONDS.sleep(seconds);
            System.err.println("does not end");
            Thread.getAllStackTraces()
                .forEach((thread, trace) -> System.err.println(thread + " " + Arrays.toString(trace)));
            Runtime.getRuntime().halt(99);
        });
    }

    public static void say(final String word, final long number)
    {
        synchronized (FaultedWriter.class)
        {
            System.out.println(word + " " + number);
        }
    }

    private interface Task
    {
        void run() throws Exception;
    }

    private static Thread startThread(final Task task)
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                task.run();
            }
            catch (final Throwable ex)
            {
                ex.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void obey() throws IOException
    {
        final BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); null != line; line = commands.readLine())
        {
            if ("prune".equals(line))
            {
                prune();
            }
            else
            {
                isStopped = true;
            }
        }
    }

    private void prune()
    {
        try
        {
            journal.prune(journal.lastSequence());
            say("pruned", journal.firstSequence());
        }
        catch (final JournalException ex)
        {
            say("unpruned", 0);
        }
    }

    private void run(final int threads) throws InterruptedException
    {
        final Thread[] started = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            final SplittableRandom random = new SplittableRandom(i);
            final JournalAppender appender = threads > 1 ? journal.sharedAppender() : journal.appender();
            started[i] = startThread(() -> work(appender, random));
        }
        for (final Thread thread : started)
        {
            thread.join();
        }
    }

    private void work(final JournalAppender appender, final SplittableRandom random) throws IOException
    {
        while (!isStopped && left.getAndDecrement() > 0)
        {
            try
            {
                try
                {
                    append(appender, random);
                }
                catch (final JournalFullException ex)
                {
                    full();
                }
            }
            catch (final JournalException ex)
            {
                if (isOver(ex))
                {
                    failed(appender);
                    return;
                }
            }
        }
    }

    private void append(final JournalAppender appender, final SplittableRandom random)
    {
        final long sequence = appender.append(1, KilledWriter.record(1, 0, random.nextInt(MAX_LENGTH)));
        if (random.nextInt(3) == 0)
        {
            journal.awaitForced(sequence);
            say("forced", sequence);
        }
        if (random.nextInt(10) == 0)
        {
            save(sequence);
        }
    }

    private synchronized void save(final long sequence)
    {
        // Another thread may have saved a higher sequence.
        if (sequence > cursor.sequence())
        {
            cursor.save(sequence);
            say("saved", sequence);
        }
    }

    /**
     * Whether the journal has failed. Once it reports a failure, it must keep reporting it; until then it must continue
     * to work.
     */
    private boolean isOver(final JournalException ex)
    {
        if (ex.getMessage().contains("nothing more is acknowledged"))
        {
            return true;
        }

        say("refused", refusals.get());
        isStopped |= refusals.incrementAndGet() > MAX_REFUSALS;
        return false;
    }

    /** Everything that needs no space continues. */
    private synchronized void full() throws IOException
    {
        final long last = journal.lastSequence();
        journal.awaitForced(last);
        say("forced", last);
        save(last);
        if (copied.getAndIncrement() < 2)
        {
            copy();
        }
        say("full", last);
        LockSupport.parkNanos(PAUSE_NS);
    }

    /** Reads the appended records, until they cannot be read any more. */
    private static void follow(final JournalReader reader, final BooleanSupplier isStopped)
    {
        final long[] next = { 0 };
        try (reader)
        {
            while (!isStopped.getAsBoolean() && JournalReader.State.FOLLOWING == reader.state())
            {
                final int count = reader.poll((buffer, offset, length, header) ->
                {
                    assertTrue(0 == next[0] || next[0] == header.sequence(), "gap before " + header.sequence());
                    next[0] = header.sequence() + 1;
                    KilledWriter.check(buffer, offset, length, header.sequence());
                }, 100);
                if (0 == count)
                {
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }
        catch (final JournalException ex)
        {
            say("unread", next[0]);
        }
    }

    private void followAsAnotherProcess(final Path path)
    {
        try (ReadOnlyJournal followed = Journal.openReadOnly(path))
        {
            follow(followed.openReader(), journal::isClosed);
        }
        catch (final JournalException ex)
        {
            say("unread", 0);
        }
    }

    private void copy() throws IOException
    {
        final Path copy = copies.resolve(Integer.toString(copied.get()));
        try
        {
            journal.backup(copy);
            say("copied", copied.get());
        }
        catch (final JournalFullException ex)
        {
            assertFalse(Files.exists(copy), "left of a backup");
            say("uncopied", copied.get());
        }
    }

    /** Checks that nothing is acknowledged any more, however often the caller retries. */
    private void failed(final JournalAppender appender)
    {
        refused(journal::force);
        final long forced = settledForcedSequence();
        for (int i = 0; i < 20; i++)
        {
            refused(journal::force);
            refused(() -> appender.append(1, KilledWriter.record(1, 0, 10)));
            refused(() -> cursor.save(journal.firstSequence()));
            refused(() -> journal.prune(1));
            refused(() -> journal.cursor("another"));
            refused(journal::roll);
            refused(() -> journal.truncateAfter(forced));
            if (journal.lastSequence() > forced)
            {
                refused(() -> journal.awaitForced(journal.lastSequence()));
            }
            assertTrue(forced == journal.forcedSequence(), "forced after it had failed");
            LockSupport.parkNanos(PAUSE_NS / 2);
        }
        say("failed", forced);
    }

    /**
     * Waits for an fsync that was in progress when another call failed the journal: it may still succeed, and counts.
     */
    private long settledForcedSequence()
    {
        long forced = journal.forcedSequence();
        long sinceNs = System.nanoTime();
        while (forced < journal.lastSequence() && System.nanoTime() - sinceNs < SETTLED_NS)
        {
            LockSupport.parkNanos(PAUSE_NS);
            final long now = journal.forcedSequence();
            if (now != forced)
            {
                forced = now;
                sinceNs = System.nanoTime();
            }
        }
        return forced;
    }

    private static void refused(final Executable executable)
    {
        assertThrows(JournalException.class, executable);
    }
}
