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
 * Builds {@link Turnover} in a process of its own: follows the journal of a bank that runs, was killed, or is started
 * again, and never notices the difference. A follower cannot write into the journal's directory; it keeps its position
 * in its own file, and the bank saves that as a cursor, so that nothing is pruned that the follower still needs.
 */
public final class TurnoverFollower
{
    private static final int BATCH_LIMIT = 4_096;
    private static final long WRITE_INTERVAL_MS = 250;
    private static final Duration IDLE = Duration.ofMillis(100);

    private final EventCodec codec = new EventCodec();
    private final Path file;
    private final Turnover turnover;

    private TurnoverFollower(final Path file) throws IOException
    {
        this.file = file;
        turnover = Turnover.read(file);
    }

    /**
     * Follows a journal.
     *
     * @param journal   directory of the journal, which may not be there yet.
     * @param file      of the read model.
     * @param isRunning asked repeatedly.
     * @throws IOException          if the read model cannot be read or written.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void follow(final Path journal, final Path file, final BooleanSupplier isRunning)
        throws IOException, InterruptedException
    {
        final TurnoverFollower follower = new TurnoverFollower(file);
        try (ReadOnlyJournal followed = open(journal, isRunning))
        {
            if (null != followed)
            {
                follower.run(followed, isRunning);
            }
        }
    }

    /** Waits until a writer has created the journal. */
    private static ReadOnlyJournal open(final Path journal, final BooleanSupplier isRunning)
        throws InterruptedException
    {
        while (isRunning.getAsBoolean())
        {
            try
            {
                return Journal.openReadOnly(journal);
            }
            catch (final JournalNotFoundException ex)
            {
                Thread.sleep(WRITE_INTERVAL_MS);
            }
        }
        return null;
    }

    private void run(final ReadOnlyJournal journal, final BooleanSupplier isRunning) throws IOException
    {
        try (JournalReader reader = journal.openReader(JournalReader.Limit.FORCED))
        {
            // The cursor keeps history from being pruned; had it been lost, the model would begin with what is there.
            reader.seek(Math.max(turnover.figures().sequence() + 1, journal.firstSequence()));
            long writtenAtMs = 0;
            long writtenSequence = -1;
            while (isRunning.getAsBoolean())
            {
                if (reader.await(IDLE))
                {
                    reader.poll(this::apply, BATCH_LIMIT);
                }
                final long sequence = turnover.figures().sequence();
                final long nowMs = System.nanoTime() / 1_000_000;
                if (sequence != writtenSequence && nowMs - writtenAtMs >= WRITE_INTERVAL_MS)
                {
                    turnover.write(file);
                    writtenSequence = sequence;
                    writtenAtMs = nowMs;
                }
            }
            turnover.write(file);
        }
    }

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        turnover.apply(header.sequence(), codec.decode(buffer, offset, length).event());
    }
}
