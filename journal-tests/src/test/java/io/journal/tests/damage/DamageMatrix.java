// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.journal.store.Backend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.Saved;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.SampleJournal;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;

/**
 * Damages a {@link SampleJournal} place by place, and checks each state with a {@link DamageProbe}. Outcomes are
 * counted by {@link DamagePlace}.
 */
final class DamageMatrix
{
    private static final long HANG_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int THREADS = Math.min(2, Runtime.getRuntime().availableProcessors());
    private static final int RANDOM = -1;

    final Map<String, byte[]> files;
    final Map<String, DamagePlace[]> places = new HashMap<>();
    final SampleJournal sample;
    final Backend backend;
    final boolean isMarkThere;
    final long firstSequence;
    /** The sequence after the last durable record. */
    final long attestedNext;
    /** The sequence after the last record. */
    final long nextSequence;
    final long savedSequence;
    private final Path scratch;
    private final List<Range> ranges = new ArrayList<>();
    private final Map<DamagePlace, long[]> counts = new EnumMap<>(DamagePlace.class);
    private long states;
    private long nanos;

    /** A change to a file. */
    enum Change
    {
        FLIP, LENGTH
    }

    /** States that differ in one number: the bit that is flipped, or the length of the file. */
    private record Range(String name, Change change, long from, long to, long stride)
    {
    }

    /**
     * @param isMarkThere whether the durable watermark in {@code journal.control} is left.
     */
    DamageMatrix(final Path scratch, final SampleJournal sample, final Backend backend, final boolean isMarkThere)
    {
        this.scratch = scratch;
        this.sample = sample;
        this.backend = backend;
        this.isMarkThere = isMarkThere;
        final JournalDirectory intact = new JournalDirectory(scratch.resolve("intact"));
        intact.restore(sample.files(scratch));
        if (!isMarkThere)
        {
            intact.loseForced();
        }
        files = intact.content();
        final State state = intact.state();
        firstSequence = state.startSequence();
        nextSequence = sample.lastSequence() + 1;
        savedSequence = Math.min(sample.cursorSequence(), sample.lastSequence());
        long attested = isMarkThere ? intact.forced().position() : 0;
        attested = Math.max(attested, state.newest().to());
        for (final long ordinal : intact.ordinals())
        {
            for (final Frame mark : intact.marks(ordinal))
            {
                attested = Math.max(attested, mark.markedPosition());
            }
        }
        for (final Saved saved : state.cursors().values())
        {
            // The record was durable before the cursor was saved.
            attested = Math.max(attested, intact.record(saved.sequence()).endPosition());
        }
        long attestedNext = firstSequence;
        for (final long ordinal : intact.ordinals())
        {
            for (final Frame frame : intact.frames(ordinal))
            {
                if (!frame.isControl() && frame.position() < attested)
                {
                    attestedNext = Math.max(attestedNext, frame.sequence() + 1);
                }
            }
        }
        this.attestedNext = attestedNext;
        for (final Map.Entry<String, byte[]> file : files.entrySet())
        {
            places.put(
                file.getKey(), DamagePlace.of(file.getKey(), file.getValue(), state, attested));
        }
    }

    /** Flips every bit of every file, or one in {@code stride}; in {@code journal.control}, only bytes in use. */
    DamageMatrix flipAll(final long stride)
    {
        files.forEach((name, bytes) ->
        {
            if (CONTROL.equals(name))
            {
                flipUsed(name, stride);
            }
            else
            {
                ranges.add(new Range(name, Change.FLIP, start(stride), 8L * bytes.length, stride));
            }
        });
        return this;
    }

    /** Flips bits in all bytes in use of a file that is not a segment. */
    DamageMatrix flipUsed(final String name, final long stride)
    {
        for (int offset = 0; offset < files.get(name).length; offset += 4)
        {
            if (DamagePlace.isUsed(files, name, offset))
            {
                flipBytes(name, offset, offset + 4, stride);
            }
        }
        return this;
    }

    /** The number of states that {@link #flipAll} produces with a stride of 1. */
    long bits()
    {
        long bytes = 0;
        for (final Map.Entry<String, byte[]> file : files.entrySet())
        {
            for (int offset = 0; offset < file.getValue().length; offset += 4)
            {
                bytes += !CONTROL.equals(file.getKey()) || DamagePlace.isUsed(files, file.getKey(), offset) ? 4 : 0;
            }
        }
        return Byte.SIZE * bytes;
    }

    /**
     * Flips every bit of headers, of control frames, and of some records of each segment; in other files, of all bytes
     * in use.
     */
    DamageMatrix flipStructure(final int records, final long stride)
    {
        for (final String name : files.keySet())
        {
            if (!name.endsWith(".journal"))
            {
                flipUsed(name, stride);
                continue;
            }

            flipBytes(name, 0, BLOCK_LENGTH, stride);
            int left = records;
            Frame frame = JournalDirectory.frameAt(files.get(name), 0, BLOCK_LENGTH);
            while (null != frame)
            {
                if (frame.isControl() || left-- > 0)
                {
                    flipBytes(name, frame.offset(), Math.min(frame.end(), frame.offset() + 1024), stride);
                }
                final int next = frame.end();
                frame = JournalDirectory.frameAt(files.get(name), 0, next);
                if (null == frame)
                {
                    flipBytes(name, next, Math.min(next + 64, SEGMENT_LENGTH), stride);
                }
            }
        }

        return this;
    }

    /** Flips every bit above the durable watermark, or one in {@code stride}. */
    DamageMatrix flipUnattested(final int stride)
    {
        places.forEach((name, of) ->
        {
            for (int bit = 0; bit < of.length * Byte.SIZE; bit += stride)
            {
                if (DamagePlace.UNATTESTED_FRAME == of[bit / Byte.SIZE])
                {
                    ranges.add(new Range(name, Change.FLIP, bit, bit + 1, 1));
                }
            }
        });
        return this;
    }

    private void flipBytes(final String name, final int from, final int to, final long stride)
    {
        if (from < to)
        {
            final long bits = 8L * (to - from);
            // Each range starts at another bit, so that a stride meets all kinds of bits.
            final long start = (from / 4 + start(stride)) % Math.min(stride, bits);
            ranges.add(new Range(name, Change.FLIP, 8L * from + start, 8L * to, stride));
        }
    }

    /** Each backend flips other bits, unless it flips all of them. */
    private long start(final long stride)
    {
        return backend.ordinal() * stride / Backend.values().length;
    }

    /** Flips random bits. */
    DamageMatrix flipRandom(final int count, final long seed)
    {
        ranges.add(new Range("", Change.FLIP, seed, seed + count, RANDOM));
        return this;
    }

    /** Truncates every file to every length, or one in {@code stride}, and extends it to some lengths. */
    DamageMatrix cutAndExtend(final long stride)
    {
        files.forEach((name, bytes) ->
        {
            ranges.add(new Range(name, Change.LENGTH, start(stride), bytes.length, stride));
            for (final int more : new int[]{ 1, 8, 24, 40, BLOCK_LENGTH, SEGMENT_LENGTH })
            {
                ranges.add(new Range(name, Change.LENGTH, bytes.length + more, bytes.length + more + 1, 1));
            }
        });
        return this;
    }

    /**
     * Checks all states of the matrix.
     *
     * @param fullStride see {@link DamageProbe}.
     */
    DamageMatrix run(final int fullStride) throws InterruptedException
    {
        final long start = System.nanoTime();
        final ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try
        {
            final List<DamageProbe> probes = new ArrayList<>();
            final List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++)
            {
                final int thread = i;
                final DamageProbe probe =
                    new DamageProbe(this, new JournalDirectory(scratch.resolve("probe-" + i)), fullStride);
                probes.add(probe);
                futures.add(executor.submit(() -> work(probe, thread)));
            }
            for (int i = 0; i < THREADS; i++)
            {
                await(futures.get(i), probes);
            }
            probes.forEach((probe) -> probe.addTo(counts));
        }
        finally
        {
            executor.shutdownNow();
            executor.awaitTermination(1, TimeUnit.MINUTES);
        }
        states = counts.values().stream().mapToLong((count) -> count[0]).sum();
        nanos = System.nanoTime() - start;

        return this;
    }

    private void work(final DamageProbe probe, final int thread)
    {
        try (probe)
        {
            probe.begin();
            lookAtAll(probe, thread);
        }
    }

    private void lookAtAll(final DamageProbe probe, final int thread)
    {
        final List<String> names = new ArrayList<>(files.keySet());
        long number = 0;
        for (final Range range : ranges)
        {
            final boolean isRandom = RANDOM == range.stride;
            for (long value = range.from; value < range.to; value += isRandom ? 1 : range.stride)
            {
                if (Thread.currentThread().isInterrupted())
                {
                    // Another thread has failed.
                    return;
                }
                if (number++ % THREADS == thread)
                {
                    final SplittableRandom random = new SplittableRandom(value);
                    final String name = isRandom ? names.get(random.nextInt(names.size())) : range.name;
                    probe.look(
                        name, range.change, isRandom ? random.nextLong(8L * files.get(name).length) : value);
                }
            }
        }
    }

    /** The watchdog: reports an opening that hangs, with its stack trace. */
    private static void await(final Future<?> future, final List<DamageProbe> probes) throws InterruptedException
    {
        while (true)
        {
            try
            {
                future.get(1, TimeUnit.SECONDS);
                return;
            }
            catch (final TimeoutException ignore)
            {
                for (final DamageProbe probe : probes)
                {
                    probe.checkAlive(HANG_NS);
                }
            }
            catch (final ExecutionException ex)
            {
                throw new AssertionError(ex.getCause().getMessage(), ex.getCause());
            }
        }
    }

    long count(final DamagePlace place, final DamageProbe.Outcome outcome)
    {
        final long[] count = counts.get(place);
        return null == count ? 0 : count[1 + outcome.ordinal()];
    }

    long states()
    {
        return states;
    }

    /** The results, to be printed. */
    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder(String.format(
            "damage to %s%s on %s: states=%d, wrong=0, seconds=%d%n", sample, isMarkThere ? "" : " without a watermark",
            backend, states, nanos / 1_000_000_000));
        text.append(String.format(
            "  %-16s %9s %9s %9s %9s %9s %9s%n", "place", "states", "by open", "by reader", "cut", "lost", "harmless"));
        counts.forEach((place, count) -> text.append(String.format(
            "  %-16s %9d %9d %9d %9d %9d %9d  %s%n", place, count[0], count[1], count[2], count[3], count[4], count[5],
            place.consequence)));
        return text.toString();
    }
}
