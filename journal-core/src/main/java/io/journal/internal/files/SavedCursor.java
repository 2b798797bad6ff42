package io.journal.internal.files;

import io.journal.JournalException;

/**
 * A cursor as found in its file.
 *
 * @param lag     how many records its consumer is behind.
 * @param fault   why it cannot be used, and sequence and lag are -1; or null.
 * @param isAhead whether the fault is that it was saved at a record after the journal's end: then it has a sequence,
 *                and the next opening for writing withdraws it.
 */
public record SavedCursor(String name, long sequence, long lag, JournalException fault, boolean isAhead)
{
}
