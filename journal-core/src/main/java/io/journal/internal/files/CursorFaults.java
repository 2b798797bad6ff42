package io.journal.internal.files;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;

/**
 * Why a cursor cannot be used.
 */
final class CursorFaults
{
    private CursorFaults()
    {
    }

    static CorruptJournalException unusable(
        final String path, final int offset, final String expected, final String found)
    {
        return new CorruptJournalException(
            "unusable cursor: file=" + path + ", offset=" + offset + ", expected=" + expected + ", found=" + found,
            null, path, offset, CorruptJournalException.UNKNOWN);
    }

    static CorruptJournalException impossible(
        final String path, final int slot, final long generation, final long term, final long sequence)
    {
        return unusable(
            path, slot, "a possible place",
            "generation " + generation + ", term " + term + ", sequence " + sequence);
    }

    /** The file may be intact. */
    static JournalException unreadable(final String path, final IOException cause)
    {
        return new JournalException(
            "cannot read a cursor: file=" + path + "; cause=" + cause, cause, path, JournalException.UNKNOWN,
            JournalException.UNKNOWN);
    }
}
