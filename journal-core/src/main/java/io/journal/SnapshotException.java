package io.journal;

/**
 * A snapshot and its journal do not fit together: the journal ends before the snapshot, holds another record at its
 * sequence, or no longer has the records after it. Nothing was changed.
 * <p>
 * Do not append in this state: new records would take sequences that the snapshot already contains. The message names
 * the remedy, one of these:
 * <ul>
 * <li>restore the journal from a backup that is newer than the snapshot;</li>
 * <li>discard the snapshots that are ahead of the journal, and with them the records the journal has lost:
 * {@link Snapshots#discardAfter(long)}, then load again.</li>
 * </ul>
 */
public final class SnapshotException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /** See {@link #snapshotSequence()}. */
    private final long snapshotSequence;
    /** See {@link #firstSequence()}. */
    private final long firstSequence;
    /** See {@link #lastSequence()}. */
    private final long lastSequence;

    /**
     * Constructs the exception.
     *
     * @param message          what does not fit, and what to do next.
     * @param snapshotSequence see {@link #snapshotSequence()}.
     * @param firstSequence    see {@link #firstSequence()}.
     * @param lastSequence     see {@link #lastSequence()}.
     */
    public SnapshotException(
        final String message, final long snapshotSequence, final long firstSequence, final long lastSequence)
    {
        super(message);
        this.snapshotSequence = snapshotSequence;
        this.firstSequence = firstSequence;
        this.lastSequence = lastSequence;
    }

    /**
     * The last record that the snapshot contains.
     *
     * @return its sequence; -1 if there is no usable snapshot, and the journal does not begin with record 1.
     */
    public long snapshotSequence()
    {
        return snapshotSequence;
    }

    /**
     * The oldest record of the journal.
     *
     * @return {@link Journal#firstSequence()} when this was thrown.
     */
    public long firstSequence()
    {
        return firstSequence;
    }

    /**
     * The newest record of the journal.
     *
     * @return {@link Journal#lastSequence()} when this was thrown.
     */
    public long lastSequence()
    {
        return lastSequence;
    }
}
