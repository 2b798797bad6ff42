package io.journal.verify;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;

/**
 * Reads every frame of a journal, its snapshots and the other files it needs, and reports damage. Changes
 * nothing, takes no lock and maps no segment: for files that are damaged, hostile or changing, the worst outcome is a
 * finding. Opening a journal checks only its newest part; this class checks all of it.
 * <pre>{@code
 * Verdict verdict = JournalVerifier.verify(Path.of("orders"));
 * if (verdict.isDamaged())
 * {
 *     verdict.findings().forEach((finding) -> log.add(finding.place() + ": " + finding.meaning()));
 * }
 * }</pre>
 * To control threads, or to check single segments, call {@link #open}, then {@link #check} for each of
 * {@link #ordinals()} on any number of threads, then pass the results to {@link #conclude}.
 * <p>
 * A journal can be verified while it is appended to: what changes during the read may appear as damage once, but not
 * when it is checked again. Immutable and thread-safe.
 */
public final class JournalVerifier
{
    private static final int MAX_ROUNDS = 50;
    private static final LongConsumer NO_PROGRESS = (bytes) ->
    {
    };

    private final Inventory files;

    private JournalVerifier(final Inventory files)
    {
        this.files = files;
    }

    /**
     * Verifies a journal on one thread, as {@link #verify(Path, int, LongConsumer)} does.
     *
     * @param path of the journal's directory.
     * @return the verdict.
     */
    public static Verdict verify(final Path path)
    {
        return verify(path, 1, NO_PROGRESS);
    }

    /**
     * Verifies a journal. If it looks damaged, verifies it again as long as the damage changes: a writer at work makes
     * files look missing or damaged, but hardly ever twice at the same place.
     *
     * @param path     of the journal's directory.
     * @param threads  to read segments with, at least 1.
     * @param progress called by these threads with the number of further bytes read, the first time only.
     * @return the verdict.
     * @throws CorruptJournalException    if {@code journal.control} is damaged, or missing while there are segments.
     * @throws UnsupportedFormatException if the journal is of a newer format.
     * @throws JournalException           if there is no journal, it cannot be read, or the calling thread is
     *                                    interrupted.
     */
    public static Verdict verify(final Path path, final int threads, final LongConsumer progress)
    {
        Verdict verdict = open(path).verify(threads, progress);
        Verdict before = null;
        for (int round = 1; round < MAX_ROUNDS && verdict.isDamaged() &&
            (null == before || !verdict.isOfSameDamage(before)); round++)
        {
            before = verdict;
            verdict = open(path).verify(threads, NO_PROGRESS);
        }

        return verdict;
    }

    private Verdict verify(final int threads, final LongConsumer progress)
    {
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try
        {
            final List<Future<SegmentCheck>> futures = new ArrayList<>();
            for (final long ordinal : ordinals())
            {
                futures.add(executor.submit(() -> check(ordinal, progress)));
            }
            final List<SegmentCheck> checks = new ArrayList<>();
            for (final Future<SegmentCheck> future : futures)
            {
                checks.add(future.get());
            }

            return conclude(checks);
        }
        catch (final ExecutionException ex)
        {
            if (ex.getCause() instanceof final Error error)
            {
                throw error;
            }
            throw new IllegalStateException("cannot verify: uuid=" + uuid(), ex.getCause());
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new JournalException("interrupted", ex);
        }
        finally
        {
            executor.shutdownNow();
        }
    }

    /**
     * Reads the identity of a journal and the list of its segments.
     *
     * @param path of the journal's directory.
     * @return a verifier of the present files.
     * @throws CorruptJournalException    if {@code journal.control} is damaged, or missing while there are segments.
     * @throws UnsupportedFormatException if the journal is of a newer format.
     * @throws JournalException           if there is no journal, or it cannot be read.
     */
    public static JournalVerifier open(final Path path)
    {
        return open(path, Backend.FILE_CHANNEL.store(path));
    }

    /**
     * Reads the same through another store.
     *
     * @param path  of the journal's directory.
     * @param store of its files.
     * @return a verifier of the present files.
     */
    public static JournalVerifier open(final Path path, final SegmentStore store)
    {
        try
        {
            return new JournalVerifier(Inventory.of(path, store));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Reads every frame of a segment. Skips damage up to the next watermark frame, and continues there.
     *
     * @param ordinal  of the segment.
     * @param progress called with the number of further bytes read.
     * @return what was found.
     */
    public SegmentCheck check(final long ordinal, final LongConsumer progress)
    {
        return new SegmentScan(files, ordinal).run(progress);
    }

    /**
     * Combines the results of all segments, and measures what is after the end.
     *
     * @param checks of all segments, ascending.
     * @return the verdict.
     */
    public Verdict conclude(final List<SegmentCheck> checks)
    {
        return new Conclusion(files, checks).conclude();
    }

    /** Ordinals of the segments to check, ascending, without those that hold nothing of the log. */
    public List<Long> ordinals()
    {
        return files.ordinals;
    }

    /** Names in the directory that have the form of a segment's but cannot be one: opening refuses them. */
    public List<String> strayFiles()
    {
        return files.strays;
    }

    /** UUID of the journal, which all its files carry. */
    public UUID uuid()
    {
        return files.control.uuid;
    }

    /** Length of each segment in bytes. */
    public int segmentLength()
    {
        return files.layout.segmentLength;
    }

    /** Sequence of the first record that was not pruned. */
    public long firstSequence()
    {
        return files.history.startSequence;
    }

    /** Number of the current term: how often the journal was opened for writing or truncated. */
    public long term()
    {
        return files.history.number;
    }

    /** Bytes between the oldest and the newest record that are not part of the log: truncated, or left by a crash. */
    public long cutLength()
    {
        return files.history.cuts().stream().mapToLong((cut) -> cut.to() - cut.from()).sum();
    }

    /** Whether a writer has closed the journal, and none has opened it since. */
    public boolean isClosed()
    {
        return files.isClosed();
    }

    /** Position of the durable watermark in the control file; 0 if it holds none of the current term. */
    public long forcedPosition()
    {
        return null == files.control.watermark ? 0 : files.control.watermark.position();
    }

    /** Whether an fsync has failed or did not return. Also true while a writer is in an fsync. */
    public boolean isForceUnfinished()
    {
        return files.control.isForceUnfinished;
    }
}
