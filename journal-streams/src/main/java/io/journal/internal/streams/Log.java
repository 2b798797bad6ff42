// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.function.Function;
import java.util.function.LongSupplier;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.JournalReader.Limit;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;

/** What reading events takes of a journal, whether it is open for writing or not. */
record Log(
    LongSupplier firstSequence,
    LongSupplier lastSequence,
    LongSupplier forcedSequence,
    Lookup lookup,
    Function<Limit, JournalReader> readers,
    Function<Checkpoint, JournalReader> checkpointReaders)
{
    /** Passes consecutive records. */
    interface Lookup
    {
        int get(long first, int limit, RecordHandler handler);
    }

    static Log of(final Journal journal)
    {
        return new Log(journal::firstSequence, journal::lastSequence, journal::forcedSequence, journal::get,
            journal::openReader, journal::openReader);
    }

    static Log of(final ReadOnlyJournal journal)
    {
        return new Log(journal::firstSequence, journal::lastSequence, journal::forcedSequence, journal::get,
            journal::openReader, journal::openReader);
    }

    long first()
    {
        return firstSequence.getAsLong();
    }

    long last()
    {
        return lastSequence.getAsLong();
    }

    long durable()
    {
        return forcedSequence.getAsLong();
    }

    int get(final long first, final int limit, final RecordHandler handler)
    {
        return lookup.get(first, limit, handler);
    }

    /** A reader of written records, at a position. */
    JournalReader openReader(final long position)
    {
        final JournalReader reader = readers.apply(Limit.WRITTEN);
        try
        {
            reader.seek(position);
        }
        catch (final RuntimeException ex)
        {
            reader.close();
            throw ex;
        }

        return reader;
    }

    /**
     * The checkpoint of a record: together with the term, which is random, it identifies the journal and its history.
     *
     * @return the checkpoint; with term 0 if the term is not known.
     */
    Checkpoint checkpoint(final long sequence)
    {
        if (0 == sequence)
        {
            return Checkpoint.START;
        }
        try (JournalReader reader = openReader(sequence + 1))
        {
            return reader.checkpoint();
        }
        catch (final IllegalArgumentException | IllegalStateException | JournalException ex)
        {
            return new Checkpoint(0, sequence);
        }
    }

    /** How a checkpoint stands to the journal. */
    JournalReader.State standing(final Checkpoint checkpoint)
    {
        try (JournalReader reader = checkpointReaders.apply(checkpoint))
        {
            return reader.state();
        }
    }
}
