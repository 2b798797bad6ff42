// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.journal.Journal;
import io.journal.JournalNotFoundException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.examples.bank.codec.EventCodec;
import org.agrona.DirectBuffer;

/**
 * Builds {@link Turnover} in a process of its own. It follows the journal whether the bank is running, was killed, or
 * is started again. A follower writes nothing into the journal's directory. Its position is in its own file; the bank
 * reads that file, and prunes no event that the follower still needs.
 */
public final class TurnoverFollower
{
    private static final int BATCH_LIMIT = 4_096;
    private static final long WRITE_INTERVAL_NS = 250_000_000;
    private static final Duration IDLE = Duration.ofMillis(100);

    private final EventCodec codec = new EventCodec();
    private Turnover turnover;

    private TurnoverFollower(final Turnover turnover)
    {
        this.turnover = turnover;
    }

    /** Follows a journal, which need not exist yet, and keeps a file up to date. */
    public static void follow(final Path journal, final Path file, final BooleanSupplier isRunning)
        throws IOException, InterruptedException
    {
        while (isRunning.getAsBoolean())
        {
            try (ReadOnlyJournal followed = Journal.openReadOnly(journal);
                JournalReader reader = followed.openReader(JournalReader.Limit.FORCED))
            {
                final Turnover kept = Turnover.read(file);
                final long next = kept.sequence() + 1;
                final boolean isThere = next >= followed.firstSequence() && next <= followed.lastSequence() + 1;
                // The next event is not in the journal if the file belongs to another history, or was lost after events
                // were pruned. Then rebuild the model from the oldest event.
                reader.seek(isThere ? next : followed.firstSequence());
                new TurnoverFollower(isThere ? kept : Turnover.NONE).run(reader, file, isRunning);
            }
            catch (final JournalNotFoundException ex)
            {
                // The bank has not created the journal yet.
                Thread.sleep(IDLE.toMillis());
            }
        }
    }

    private void run(final JournalReader reader, final Path file, final BooleanSupplier isRunning) throws IOException
    {
        long writtenAtNs = System.nanoTime();
        long writtenSequence = -1;
        while (isRunning.getAsBoolean())
        {
            if (reader.await(IDLE))
            {
                reader.poll(this::apply, BATCH_LIMIT);
            }
            if (turnover.sequence() != writtenSequence && System.nanoTime() - writtenAtNs >= WRITE_INTERVAL_NS)
            {
                turnover.write(file);
                writtenSequence = turnover.sequence();
                writtenAtNs = System.nanoTime();
            }
        }
        turnover.write(file);
    }

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        turnover = turnover.plus(header.sequence(), codec.decode(buffer, offset, length, header).event());
    }
}
