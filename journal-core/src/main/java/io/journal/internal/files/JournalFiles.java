package io.journal.internal.files;

import io.journal.CorruptJournalException;

/**
 * Names of the files in a journal's directory.
 */
public final class JournalFiles
{
    public static final String META = "journal.meta";
    public static final String MARK = "journal.mark";
    public static final String LOCK = "journal.lock";
    public static final String QUARANTINE = "quarantine";
    public static final String CURSORS = "cursors";
    public static final String SNAPSHOTS = "snapshots";
    public static final String SPARE_PREFIX = "spare-";

    private static final String SEGMENT_SUFFIX = ".journal";
    private static final String TAIL_SUFFIX = ".tail";
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

    public static String quarantined(final long position, final long epoch)
    {
        return digits(position) + "-" + epoch + TAIL_SUFFIX;
    }

    /** As {@link #quarantined}, of a repair: it may hold durable records, so no recovery deletes it. */
    public static String quarantinedByRepair(final long position, final long epoch)
    {
        return digits(position) + "-" + epoch + ".repair" + TAIL_SUFFIX;
    }

    /**
     * The truncation epoch in a name that {@link #quarantined} made.
     *
     * @return the epoch, or -1 if it did not make the name.
     */
    public static long quarantinedEpoch(final String name)
    {
        final int end = name.length() - TAIL_SUFFIX.length();
        if (end <= ORDINAL_DIGITS + 1)
        {
            return -1;
        }

        try
        {
            final long position = Long.parseLong(name, 0, ORDINAL_DIGITS, 10);
            final long epoch = Long.parseLong(name, ORDINAL_DIGITS + 1, end, 10);
            return position >= 0 && epoch >= 0 && quarantined(position, epoch).equals(name) ? epoch : -1;
        }
        catch (final NumberFormatException ex)
        {
            return -1;
        }
    }

    public static boolean isSpare(final String name)
    {
        return name.startsWith(SPARE_PREFIX);
    }

    /**
     * Whether a name has the suffix of a segment; {@link #ordinal(String)} validates the rest.
     */
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

    /**
     * Whether a name is that of a segment, with a valid ordinal.
     */
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
