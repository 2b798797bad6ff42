package io.journal;

import java.nio.file.Path;

import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.Reading;
import io.journal.internal.read.RecordLookups;
import io.journal.internal.read.Verification;

/**
 * What a journal that is open for writing and one that is open for reading only have in common.
 */
abstract sealed class ReadableJournal implements AutoCloseable permits Journal, ReadOnlyJournal
{
    private final Path path;
    private final ReadSource source;
    private final ReaderGate gate;
    private final Verification verification;
    private final RecordLookups lookups;
    private final JournalCounters counters;

    ReadableJournal(
        final Path path,
        final ReadSource source,
        final ReaderGate gate,
        final Verification verification,
        final JournalCounters counters)
    {
        this.path = path;
        this.source = source;
        this.gate = gate;
        this.verification = verification;
        this.counters = counters;
        lookups = new RecordLookups(source, gate);
    }

    /**
     * {@return a reader of all written records, at the first one} For one thread at a time; the caller must close it.
     * With the mapped backend, up to 16 segments that readers have passed stay mapped in the process that writes, so
     * that reading them again is faster; until they are dropped, or this journal is closed.
     *
     * @throws CorruptJournalException if the first segment is damaged or missing.
     * @throws JournalException        if it cannot be read.
     * @throws IllegalStateException   if this journal is closed.
     */
    public JournalReader openReader()
    {
        return openReader(JournalReader.Limit.WRITTEN);
    }

    /**
     * {@return a reader at the first record} Its state becomes {@link JournalReader.State#CLOSED} when this object is
     * closed; that of a {@link ReadOnlyJournal} does not when a writer closes the journal, since another writer may
     * follow. Exceptions are those of {@link #openReader()}.
     *
     * @param limit how far it may read.
     */
    public JournalReader openReader(final JournalReader.Limit limit)
    {
        checkReadable();
        return openReader(limit, null);
    }

    /** Opens a reader behind a cursor. */
    final JournalReader openReader(final JournalCursor cursor, final JournalReader.Limit limit, final boolean isOwn)
    {
        checkReadable();
        if (!isOwn)
        {
            throw new IllegalArgumentException("not a cursor of this journal, or a deleted one: cursor=" + cursor);
        }

        return openReader(limit, cursor);
    }

    private JournalReader openReader(final JournalReader.Limit limit, final JournalCursor cursor)
    {
        final ReadSource.End end =
            JournalReader.Limit.FORCED == limit ? ReadSource.End.FORCED : ReadSource.End.WRITTEN;
        return JournalReader.open(new Reading(source, gate, end, verification), cursor);
    }

    /**
     * Passes one record to a handler, by its sequence. Any number of threads may call this; it opens no reader, keeps
     * what it has found for the next call, with up to 48 segments open, and allocates nothing then. Only this record's
     * checksum is verified: damage to other records, or to other segments, does not matter.
     *
     * @param sequence of the record; it need not be durable.
     * @param handler  called with the record; it must neither truncate the journal nor close a {@link ReadOnlyJournal}.
     * @return false if there is no such record: it was pruned or truncated, or is not there yet.
     * @throws CorruptJournalException if the record is damaged, or its segment is damaged or missing.
     * @throws JournalException        if it cannot be read.
     * @throws IllegalStateException   if this journal is closed.
     */
    public boolean get(final long sequence, final RecordHandler handler)
    {
        return get(sequence, 1, handler) > 0;
    }

    /**
     * Passes consecutive records to a handler, as {@link #get(long, RecordHandler)} does with one.
     *
     * @param first   sequence of the first record.
     * @param limit   maximum number of records, 0 or more.
     * @param handler called once per record; if it throws, the call ends.
     * @return number of records passed: fewer than the limit at the end of the journal, or if they are pruned or
     *         truncated meanwhile; 0 if there is no first record.
     */
    public int get(final long first, final int limit, final RecordHandler handler)
    {
        return lookups.get(first, limit, handler);
    }

    /** {@return the runtime metrics of the journal's writer, always the same object} They stay readable after close. */
    public JournalCounters counters()
    {
        return counters;
    }

    /** {@return the journal's directory, as it was given} */
    public Path path()
    {
        return path;
    }

    @Override
    public abstract void close();

    /** Throws if no reader may be opened. */
    abstract void checkReadable();
}
