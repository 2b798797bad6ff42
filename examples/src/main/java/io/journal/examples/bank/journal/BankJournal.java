package io.journal.examples.bank.journal;

import java.util.function.LongConsumer;

import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Snapshots;

/**
 * What the bank needs of its journal, wherever that is kept. <i>Durable</i> is what a loss of power cannot take back:
 * fsynced here, or committed by a majority of a cluster that has fsynced it. Thread-safe.
 */
public interface BankJournal extends AutoCloseable
{
    /** {@return the appender, for one thread} */
    JournalAppender appender();

    /** Waits until everything that was appended is durable. */
    void force();

    /**
     * Registers the one durability listener.
     *
     * @param listener called with the sequence up to which events are durable.
     */
    void onForced(LongConsumer listener);

    /** {@return the sequence of the newest durable event; all events that a start has found are durable} */
    long forcedSequence();

    /** {@return the sequence of the oldest event that is kept} */
    long firstSequence();

    /**
     * Passes one event to a handler.
     *
     * @param sequence of the event.
     * @param handler  called with the record.
     * @return whether there is such an event.
     */
    boolean get(long sequence, RecordHandler handler);

    /**
     * Opens a reader of durable events.
     *
     * @param sequence of the first event to read.
     * @return the reader, for one thread; the caller must close it.
     */
    JournalReader openReader(long sequence);

    /**
     * Called with a reader that has waited and found nothing.
     *
     * @param reader of this journal.
     * @return the same one; or one at the same place that has events, if the other will not get them soon. Then the
     *         other is closed.
     */
    JournalReader moveOn(JournalReader reader);

    /**
     * {@return the last event that a consumer has processed} Asked for the first time, it begins to hold back prune.
     *
     * @param consumer name of it.
     */
    long cursor(String consumer);

    /**
     * Notes what a consumer has processed.
     *
     * @param consumer name of it.
     * @param sequence of the event.
     */
    void saveCursor(String consumer, long sequence);

    /**
     * Loads the newest snapshot.
     *
     * @param reader of the state; not called if there is no snapshot.
     * @return the last event in it, 0 if there is none.
     */
    long loadSnapshot(Snapshots.Reader reader);

    /**
     * Saves a snapshot. On return it is durable, and so are the events in it.
     *
     * @param sequence of the last event in it.
     * @param writer   of the state.
     */
    void saveSnapshot(long sequence, Snapshots.Writer writer);

    /**
     * Prunes the history that the two newest snapshots and all consumers have passed.
     *
     * @return the sequence of the oldest event that is kept.
     */
    long prune();

    /** {@return the figures of this moment} */
    JournalStatus status();

    /** {@return the cluster at this moment; null without one} */
    ClusterStatus cluster();

    /** {@return whether nothing more becomes durable until the journal is opened again} */
    boolean isFailed();

    /** Closes the journal. Idempotent. */
    @Override
    void close();
}
