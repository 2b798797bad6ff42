package io.journal;

/**
 * Names of the files in a journal's directory.
 */
final class JournalFiles
{
    static final String META = "journal.meta";
    static final String MARK = "journal.mark";
    static final String LOCK = "journal.lock";
    static final String OWNER = "journal.owner";
    static final String BACKUP = "journal.backup";
    static final String QUARANTINE = "quarantine";
    static final String CURSORS = "cursors";
    static final String SNAPSHOTS = "snapshots";
    static final String SPARE_PREFIX = "spare-";

    private static final String SEGMENT_SUFFIX = ".journal";
    private static final int ORDINAL_DIGITS = 20;

    private JournalFiles()
    {
    }

    static String segment(final long ordinal)
    {
        return digits(ordinal) + SEGMENT_SUFFIX;
    }

    static String spare(final long ordinal)
    {
        return SPARE_PREFIX + digits(ordinal);
    }

    static String quarantined(final long position, final long epoch)
    {
        return digits(position) + "-" + epoch + ".tail";
    }

    static boolean isSpare(final String name)
    {
        return name.startsWith(SPARE_PREFIX);
    }

    /**
     * Whether a name claims to be a segment's; {@link #ordinal(String)} says whether it is one.
     */
    static boolean isSegment(final String name)
    {
        return name.endsWith(SEGMENT_SUFFIX);
    }

    /**
     * The ordinal a segment's name says.
     *
     * @throws CorruptJournalException if the name says none.
     */
    static long ordinal(final String name)
    {
        final long ordinal = ordinalOrNone(name);
        if (ordinal >= 0)
        {
            return ordinal;
        }

        throw new CorruptJournalException(
            "foreign file: file=" + name + ", expected=20 digits before " + SEGMENT_SUFFIX +
                "; move it out of the journal's directory");
    }

    /**
     * Whether a name is that of a segment.
     */
    static boolean isOrdinal(final String name)
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

    static String digits(final long value)
    {
        final String digits = Long.toString(value);
        return "0".repeat(ORDINAL_DIGITS - digits.length()) + digits;
    }
}
