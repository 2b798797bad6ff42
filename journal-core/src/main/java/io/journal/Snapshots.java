package io.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.manage.SnapshotKeeper;

/**
 * Snapshots of an application's state, kept beside the journal it was built from, so that a start need not replay all
 * history and history can be pruned. Made by {@link Journal#snapshots()}.
 * <pre>{@code
 * long sequence = journal.snapshots().load(state::readFrom);    // 0 if there is none
 * reader.seek(sequence + 1);                                    // and apply what follows
 * ...
 * journal.snapshots().save(appliedSequence, state::writeTo);
 * journal.snapshots().prune();
 * }</pre>
 * The two newest valid snapshots are kept. A save first makes the journal durable up to the snapshot's sequence, so no
 * snapshot is ever ahead of the journal it belongs to, whenever power is lost. Each snapshot carries a checksum, and
 * what identifies its journal and the record it ends with; a load refuses one that does not fit the journal by a
 * {@link SnapshotException}.
 * <p>
 * Safe for use by several threads, which wait for each other; appending and reading go on meanwhile. {@link Retention}
 * does not know of snapshots: one that may drop records behind the last snapshot makes that snapshot useless.
 */
public final class Snapshots
{
    /**
     * Writes an application's state.
     */
    @FunctionalInterface
    public interface Writer
    {
        /**
         * Called once by {@link Snapshots#save}. It must not use the journal's snapshots.
         *
         * @param output to write to, of any length. Bytes go to the file in chunks, and it need not be closed.
         * @throws IOException if the output or the state cannot be written: nothing is saved.
         */
        void write(OutputStream output) throws IOException;
    }

    /**
     * Reads an application's state.
     */
    @FunctionalInterface
    public interface Reader
    {
        /**
         * Called at most once by {@link Snapshots#load}. It must not use the journal's snapshots.
         *
         * @param input what the writer has written, checked before. It need not be read to its end, nor closed.
         * @throws IOException if the input or the state cannot be read.
         */
        void read(InputStream input) throws IOException;
    }

    private final SnapshotKeeper keeper;

    Snapshots(final SnapshotKeeper keeper)
    {
        this.keeper = keeper;
    }

    /**
     * Saves a snapshot. On return it is durable, as are all records up to its sequence; of the older ones the newest
     * valid one is kept, and the others are deleted.
     * <p>
     * Whatever fails, the snapshots before stay as they are, and nothing is left of the new one except after a failed
     * fsync, when it may be there, whole.
     *
     * @param sequence of the last record that is in the state, from one less than {@link Journal#firstSequence()} to
     *                 {@link Journal#lastSequence()}. The journal is made durable up to it first, at once under every
     *                 {@link ForcePolicy}.
     * @param writer   of the state.
     * @throws IllegalArgumentException     if the journal has no such record, or there is a snapshot of a later one.
     * @throws SnapshotException            if there is a snapshot that is ahead of the journal.
     * @throws IllegalStateException        if called by a writer or a reader of a snapshot, or if records were cut
     *                                      meanwhile.
     * @throws java.io.UncheckedIOException with what the writer has thrown; its unchecked exceptions come as they are.
     *                                      The journal goes on.
     * @throws JournalFullException         if there is no space; the same call works once there is.
     * @throws JournalException             if the file cannot be written: the same call may work later. Or if an fsync
     *                                      failed, now or before: nothing more is acknowledged, reopen to recover.
     * @throws JournalClosedException       if the journal is closed.
     */
    public void save(final long sequence, final Writer writer)
    {
        Objects.requireNonNull(writer, "writer");
        keeper.save(sequence, writer::write);
    }

    /**
     * Loads the newest snapshot that is valid: after its checksum was verified, its content is passed to the reader. A
     * corrupt one is left where it is, reported to {@link JournalBuilder#errorHandler}, and the one before it is taken.
     * <p>
     * The application is then to apply the records from the next sequence on.
     *
     * @param reader of the state; not called if there is no snapshot.
     * @return sequence of the last record in the snapshot; 0 if there is none, and the journal has all records from 1.
     * @throws SnapshotException            if a snapshot is ahead of the journal, or the newest valid one does not fit
     *                                      it, or records are missing behind that. The reader was not called. Append
     *                                      nothing, and follow the message.
     * @throws IllegalStateException        if called by a writer or a reader of a snapshot.
     * @throws UnsupportedFormatException   if the snapshot is of a newer format.
     * @throws java.io.UncheckedIOException with what the reader has thrown; its unchecked exceptions come as they are.
     * @throws CorruptJournalException      if the journal's record of that sequence is corrupt.
     * @throws JournalException             if a file cannot be read, or storage failed before.
     * @throws JournalClosedException       if the journal is closed.
     */
    public long load(final Reader reader)
    {
        Objects.requireNonNull(reader, "reader");
        return keeper.load(reader::read);
    }

    /**
     * Prunes the records that neither the snapshots nor the cursors need any more: those that are in both of the two
     * newest valid snapshots, and that no cursor has still to pass. So if one snapshot is corrupted one day, the other
     * one has all the records it needs. Nothing is pruned until there are two.
     * <p>
     * Reads and verifies both snapshots before, and makes their names durable. {@link Journal#prune(long)} drops
     * whatever it is told to, whether cursors or snapshots need it or not.
     *
     * @return {@link Journal#firstSequence()} afterwards.
     * @throws SnapshotException          if a snapshot is ahead of the journal or does not fit it; nothing was pruned.
     * @throws IllegalStateException      if called by a writer or a reader of a snapshot.
     * @throws UnsupportedFormatException if a snapshot is of a newer format; nothing was pruned.
     * @throws JournalException           if a snapshot cannot be read, or as for {@link Journal#prune(long)}.
     * @throws JournalClosedException     if the journal is closed.
     */
    public long prune()
    {
        return keeper.prune();
    }

    /**
     * Gives up the snapshots of records behind one: they get names under which nothing looks for them, and are never
     * deleted. On return that is durable.
     * <p>
     * After a {@link SnapshotException}, with {@link Journal#lastSequence()}, this accepts that the journal has lost
     * the records behind. Before {@link Journal#truncateAfter(long)}, with the same sequence, it makes way for that.
     *
     * @param sequence of the last record that a snapshot may contain.
     * @return how many snapshots were given up.
     * @throws IllegalStateException  if called by a writer or a reader of a snapshot.
     * @throws JournalException       if storage failed, now or before; some may be given up then.
     * @throws JournalClosedException if the journal is closed.
     */
    public int discardAfter(final long sequence)
    {
        return keeper.discardAfter(sequence);
    }

    @Override
    public String toString()
    {
        return "Snapshots{directory=" + JournalFiles.SNAPSHOTS + '}';
    }
}
