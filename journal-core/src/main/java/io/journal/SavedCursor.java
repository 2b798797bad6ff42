package io.journal;

/**
 * A consumer's place as it was saved last, told to somebody who only looks: see {@link ReadOnlyJournal#cursors()}.
 *
 * @param name     of the cursor.
 * @param sequence of the last record that its consumer is done with; -1 if the file cannot be used.
 * @param lag      how many records the consumer is behind; -1 if that cannot be told.
 * @param fault    why the cursor cannot be used, or empty if it can.
 */
public record SavedCursor(String name, long sequence, long lag, String fault)
{
    /**
     * Whether the writer would hand out the cursor as it is.
     *
     * @return true if there is no fault.
     */
    public boolean isUsable()
    {
        return fault.isEmpty();
    }
}
