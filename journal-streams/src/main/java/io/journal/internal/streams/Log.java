// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;

/** What reading events takes of a journal, whether it is open for writing or not. */
abstract class Log
{
    static Log of(final Journal journal)
    {
        return new Log()
        {
            @Override
            long first()
            {
                return journal.firstSequence();
            }

            @Override
            long last()
            {
                return journal.lastSequence();
            }

            @Override
            long durable()
            {
                return journal.forcedSequence();
            }

            @Override
            int get(final long first, final int limit, final RecordHandler handler)
            {
                return journal.get(first, limit, handler);
            }

            @Override
            JournalReader openReader(final JournalReader.Limit limit)
            {
                return journal.openReader(limit);
            }

            @Override
            JournalReader openReader(final Checkpoint checkpoint)
            {
                return journal.openReader(checkpoint);
            }
        };
    }

    static Log of(final ReadOnlyJournal journal)
    {
        return new Log()
        {
            @Override
            long first()
            {
                return journal.firstSequence();
            }

            @Override
            long last()
            {
                return journal.lastSequence();
            }

            @Override
            long durable()
            {
                return journal.forcedSequence();
            }

            @Override
            int get(final long first, final int limit, final RecordHandler handler)
            {
                return journal.get(first, limit, handler);
            }

            @Override
            JournalReader openReader(final JournalReader.Limit limit)
            {
                return journal.openReader(limit);
            }

            @Override
            JournalReader openReader(final Checkpoint checkpoint)
            {
                return journal.openReader(checkpoint);
            }
        };
    }

    abstract long first();

    abstract long last();

    abstract long durable();

    abstract int get(long first, int limit, RecordHandler handler);

    abstract JournalReader openReader(JournalReader.Limit limit);

    abstract JournalReader openReader(Checkpoint checkpoint);

    /**
     * The checkpoint of a record: together with the term, which is random, it identifies the journal and its history.
     *
     * @return the checkpoint; with term 0 if the term is not known.
     */
    final Checkpoint checkpoint(final long sequence)
    {
        if (0 == sequence)
        {
            return Checkpoint.START;
        }
        try (JournalReader reader = openReader(JournalReader.Limit.WRITTEN))
        {
            reader.seek(sequence + 1);
            return reader.checkpoint();
        }
        catch (final IllegalArgumentException | IllegalStateException | JournalException ex)
        {
            return new Checkpoint(0, sequence);
        }
    }

    /** How a checkpoint stands to the journal. */
    final JournalReader.State standing(final Checkpoint checkpoint)
    {
        try (JournalReader reader = openReader(checkpoint))
        {
            return reader.state();
        }
    }
}
