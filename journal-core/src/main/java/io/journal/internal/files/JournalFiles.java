// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.files;

import io.journal.CorruptJournalException;

/**
 * Names of the files in a journal's directory.
 */
public final class JournalFiles
{
    public static final String CONTROL = "journal.control";
    public static final String LOCK = "journal.lock";
    public static final String SNAPSHOTS = "snapshots";
    public static final String SPARE_PREFIX = "spare-";

    private static final String SEGMENT_SUFFIX = ".journal";
    private static final int ORDINAL_DIGITS = 20;

    private JournalFiles()
    {
    }

    public static String segment(final long ordinal)
    {
        return digits(ordinal) + SEGMENT_SUFFIX;
    }

    public static String spare(final long ordinal)
    {
        return SPARE_PREFIX + digits(ordinal);
    }

    public static boolean isSpare(final String name)
    {
        return name.startsWith(SPARE_PREFIX);
    }

    /** Whether a name has the suffix of a segment; {@link #ordinal(String)} validates the rest. */
    public static boolean isSegment(final String name)
    {
        return name.endsWith(SEGMENT_SUFFIX);
    }

    /**
     * Parses the ordinal from a segment's name.
     *
     * @throws CorruptJournalException if the name has no valid ordinal.
     */
    public static long ordinal(final String name)
    {
        final long ordinal = ordinalOrNone(name);
        if (ordinal >= 0)
        {
            return ordinal;
        }

        throw new CorruptJournalException(
            "foreign file: file=" + name + ", expected=20 digits before " + SEGMENT_SUFFIX +
                "; move it out of the journal's directory",
            null, name, CorruptJournalException.UNKNOWN, CorruptJournalException.UNKNOWN);
    }

    /** Whether a name is a segment's, with a valid ordinal. */
    public static boolean isOrdinal(final String name)
    {
        return ordinalOrNone(name) >= 0;
    }

    private static long ordinalOrNone(final String name)
    {
        final int digits = name.length() - SEGMENT_SUFFIX.length();
        if (ORDINAL_DIGITS != digits)
        {
            return -1;
        }

        try
        {
            final long ordinal = Long.parseLong(name, 0, digits, 10);
            return ordinal >= 0 && segment(ordinal).equals(name) ? ordinal : -1;
        }
        catch (final NumberFormatException ex)
        {
            return -1;
        }
    }

    public static String digits(final long value)
    {
        final String digits = Long.toString(value);
        return "0".repeat(ORDINAL_DIGITS - digits.length()) + digits;
    }
}
