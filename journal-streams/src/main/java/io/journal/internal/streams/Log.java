// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.JournalReader.Limit;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import org.jspecify.annotations.Nullable;

/** What reading events takes of a journal, whether it is open for writing or not. */
record Log(
    LongSupplier firstSequence,
    LongSupplier lastSequence,
    LongSupplier forcedSequence,
    Lookup lookup,
    Supplier<JournalReader> readers,
    BiFunction<Checkpoint, Limit, JournalReader> checkpointReaders)
{
    private static final int TRIES = 10;

    /** Passes consecutive records. */
    interface Lookup
    {
        int get(long first, int limit, RecordHandler handler);
    }

    /** Called with the keys of an event; returns whether to go on. */
    interface KeyHandler
    {
        boolean onKeys(long position, long[] keys);
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

    /** Repeats what fails because events that it looks for are pruned meanwhile, or truncated by another process. */
    <T extends @Nullable Object> T repeatIfPruned(final Supplier<T> read)
    {
        for (int tries = 1;; tries++)
        {
            final long oldest = first();
            try
            {
                return read.get();
            }
            catch (final IllegalArgumentException | JournalException ex)
            {
                // A truncation does not show in the first sequence.
                if (oldest == first() && tries >= TRIES)
                {
                    throw ex;
                }
            }
        }
    }

    /** A reader of written records, at a position. */
    JournalReader openReader(final long position)
    {
        final JournalReader reader = readers.get();
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

    /** Passes the keys of consecutive events; returns the checkpoint of the last that was passed. */
    Checkpoint readKeys(final long first, final long last, final KeyHandler handler)
    {
        final EventRecord event = new EventRecord();
        final boolean[] isStopped = new boolean[1];
        try (JournalReader reader = openReader(first))
        {
            while (!isStopped[0] && reader.nextSequence() <= last)
            {
                final int count = reader.controlledPoll((buffer, offset, length, header) ->
                {
                    isStopped[0] = !handler.onKeys(
                        header.sequence(), event.wrap(buffer, offset, length, header).keys());
                    return isStopped[0] ? RecordHandler.Action.BREAK : RecordHandler.Action.CONTINUE;
                }, (int)Math.min(last - reader.nextSequence() + 1, Integer.MAX_VALUE));
                if (0 == count)
                {
                    throw new CorruptJournalException("records are missing: sequence=" + reader.nextSequence());
                }
            }

            return reader.checkpoint();
        }
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
        try (JournalReader reader = checkpointReaders.apply(checkpoint, Limit.FORCED))
        {
            return reader.state();
        }
    }
}
