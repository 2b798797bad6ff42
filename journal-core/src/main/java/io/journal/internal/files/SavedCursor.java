package io.journal.internal.files;

/**
 * A cursor as found in its file. Users see it as {@code JournalCursor.Saved}, which has the same components.
 */
public record SavedCursor(String name, long sequence, long lag, String fault)
{
    public boolean isUsable()
    {
        return fault.isEmpty();
    }
}
