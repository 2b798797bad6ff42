// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;
import java.util.function.LongConsumer;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalNotFoundException;
import io.journal.internal.control.History;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.verify.Finding.Place;

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
 * To choose threads, or to check single segments, call {@link #open}, then {@link #check} for each of
 * {@link #ordinals()} on any number of threads, then pass the results to {@link #conclude}.
 * <p>
 * A journal can be verified while it is appended to: bytes that change during the read may appear as damage once, but
 * not when they are checked again. Immutable and thread-safe.
 */
public final class JournalVerifier
{
    private static final int MAX_ROUNDS = 50;
    private static final int MAX_THREADS = 16;
    private static final LongConsumer NO_PROGRESS = (bytes) ->
    {
    };

    private final Inventory files;

    private JournalVerifier(final Inventory files)
    {
        this.files = files;
    }

    /**
     * Verifies a journal, as {@link #verify(Path, DoubleConsumer)} does.
     *
     * @param path of the journal's directory.
     * @return the verdict.
     */
    public static Verdict verify(final Path path)
    {
        return verify(path, (fraction) ->
        {
        });
    }

    /**
     * Verifies a journal, with a thread for each processor, at most 16. If it looks damaged, verifies it again as long
     * as the damage changes: a writer at work makes files look missing or damaged, but hardly ever twice at the same
     * place.
     *
     * @param path     of the journal's directory.
     * @param progress called by these threads with the fraction that is read, during the first attempt only.
     * @return the verdict.
     * @throws CorruptJournalException  if {@code journal.control} is damaged, or missing while there are segments.
     * @throws JournalNotFoundException if there is no journal.
     * @throws JournalException         if the journal cannot be read, is of a newer format, or the calling thread is
     *                                  interrupted.
     */
    public static Verdict verify(final Path path, final DoubleConsumer progress)
    {
        final JournalVerifier verifier = open(path);
        final double length = (double)verifier.ordinals().size() * verifier.files.layout.segmentLength;
        final AtomicLong read = new AtomicLong();
        Verdict verdict = verifier.verifyAll((bytes) -> progress.accept(read.addAndGet(bytes) / length));
        Verdict before = null;
        for (int round = 1; round < MAX_ROUNDS && verdict.isDamaged() &&
            (null == before || !verdict.isOfSameDamage(before)); round++)
        {
            before = verdict;
            verdict = open(path).verifyAll(NO_PROGRESS);
        }

        return verdict;
    }

    private Verdict verifyAll(final LongConsumer progress)
    {
        final ExecutorService executor = Executors.newFixedThreadPool(
            Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()));
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
            throw new IllegalStateException("cannot verify: uuid=" + files.control.uuid(), ex.getCause());
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
     * @throws CorruptJournalException  if {@code journal.control} is damaged, or missing while there are segments.
     * @throws JournalNotFoundException if there is no journal.
     * @throws JournalException         if the journal cannot be read, or is of a newer format.
     */
    public static JournalVerifier open(final Path path)
    {
        return open(path, Backend.FILE_CHANNEL.store(path));
    }

    /**
     * Reads them through the given store.
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
     * @return the result for this segment.
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

    /** {@return ordinals of the segments to check, ascending, without segments that hold no part of the log} */
    public List<Long> ordinals()
    {
        return files.ordinals;
    }

    /**
     * {@return the identity and size of the journal, from the control file and the segments at both ends}
     * Reads no other segment.
     */
    public JournalInfo info()
    {
        final List<Long> ordinals = files.ordinals;
        SegmentCheck newest = null;
        int prepared = 0;
        for (int i = ordinals.size() - 1; i >= 0 && null == newest; i--)
        {
            final SegmentCheck check = check(ordinals.get(i), NO_PROGRESS);
            prepared += check.isPrepared() && prepared == ordinals.size() - 1 - i ? 1 : 0;
            newest = check.frames > 0 ? check : null;
        }
        final boolean isEndKnown = null != newest && newest.nextSequence >= 0;
        final History history = files.history;
        return new JournalInfo(
            files.control.uuid(), files.layout.segmentLength, ordinals.size() - prepared, prepared,
            history.startSequence, isEndKnown ? newest.nextSequence - 1 : Place.UNKNOWN,
            isEndKnown ? newest.endPosition() : Place.UNKNOWN,
            files.control.durablePosition(), files.control.isForceUnfinished(), files.isClosed(), history.number,
            history.cuts().stream().mapToLong((cut) -> cut.to() - cut.from()).sum(),
            ordinals.isEmpty() ? 0 : check(ordinals.get(0), NO_PROGRESS).firstTimeMs,
            null == newest ? 0 : newest.lastTimeMs, files.owner(), files.strays);
    }
}
