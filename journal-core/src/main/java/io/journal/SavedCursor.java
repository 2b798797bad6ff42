package io.journal;

/**
 * A cursor as it was saved last, as seen without opening the journal for writing: see
 * {@link ReadOnlyJournal#cursors()}.
 *
 * @param name     of the cursor.
 * @param sequence of the last record that its consumer has processed; -1 if the file cannot be used.
 * @param lag      how many records the consumer is behind; -1 if unknown.
 * @param fault    why the cursor cannot be used, or empty if it can.
 */
public record SavedCursor(String name, long sequence, long lag, String fault)
{
    /**
     * Whether the writer can use the cursor as it is.
     *
     * @return true if there is no fault.
     */
    public boolean isUsable()
    {
        return fault.isEmpty();
    }
}
