// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter;

/**
 * A process that appends until its disk is full, in code that the JIT compiler has optimized by then. Exits with 0 only
 * if a {@link JournalException} ended it.
 * <p>
 * A line is a word and a number. {@code warm}: the code is hot. {@code forced}, {@code appended}: a sequence that is
 * acknowledged as durable, as appended. {@code failed}: the last sequence.
 */
final class CopyOnWriteWriter
{
    static final int SEGMENT_LENGTH = 2 * 1024 * 1024;

    private static final int WARM_UP = 20_000;
    private static final int KEPT = 2_000;
    private static final long LONGEST_LIFE_S = 300;

    private final Journal journal;
    private final JournalAppender appender;
    private final SplittableRandom random;
    private final RecordBatch batch = new RecordBatch();
    private long appended;

    private CopyOnWriteWriter(final Journal journal, final long seed)
    {
        this.journal = journal;
        appender = journal.appender();
        random = new SplittableRandom(seed);
    }

    /**
     * Runs until the disk is full.
     *
     * @param args directory, backend, seed.
     */
    public static void main(final String[] args)
    {
        FaultedWriter.halt(LONGEST_LIFE_S);
        final long seed = Long.parseLong(args[2]);
        final Journal journal = Journal.builder(Path.of(args[0]))
            .backend(Backend.valueOf(args[1]))
            .segmentLength(SEGMENT_LENGTH)
            .writeWindow(0)
            .force(0 == seed % 2 ? ForcePolicy.manual() : ForcePolicy.every(Duration.ofMillis(2)))
            .recycleSegments(0 == seed % 3)
            .errorHandler((ex) ->
            {
            })
            .open();
        final CopyOnWriteWriter writer = new CopyOnWriteWriter(journal, seed);
        try
        {
            writer.run();
        }
        catch (final JournalException ex)
        {
            System.err.println(ex);
            FaultedWriter.say("appended", writer.appended);
            FaultedWriter.say("failed", journal.lastSequence());
        }
        // Neither closed nor killed by a signal: nothing more reaches the files.
        Runtime.getRuntime().halt(0);
    }

    private void run()
    {
        while (true)
        {
            appended = append();
            if (0 == random.nextInt(20))
            {
                journal.awaitForced(appended);
                FaultedWriter.say("forced", appended);
            }
            if (0 == random.nextInt(KEPT))
            {
                journal.prune(Math.max(journal.firstSequence(), appended - KEPT));
            }
            if (appended >= WARM_UP && appended < WARM_UP + 10)
            {
                FaultedWriter.say("warm", appended);
            }
        }
    }

    private long append()
    {
        final int length = 0 == random.nextInt(10) ? random.nextInt(9_000) : random.nextInt(300);
        switch (random.nextInt(6))
        {
            case 0:
                batch.clear();
                for (int i = 0; i < 3; i++)
                {
                    batch.add(1, KilledWriter.record(1, 0, random.nextInt(500)));
                }
                return appender.append(batch);

            case 1:
                final byte[] record = KilledWriter.record(1, 0, length);
                try (RecordClaim claim = appender.claim(record.length))
                {
                    claim.buffer().putBytes(0, record);
                    return claim.tag(1).commit();
                }

            default:
                return appender.append(1, KilledWriter.record(1, 0, length));
        }
    }
}
