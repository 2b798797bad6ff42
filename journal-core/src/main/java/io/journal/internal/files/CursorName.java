package io.journal.internal.files;

/**
 * The names of cursors and of their files. Normative text: {@code docs/format.md}, "Cursors".
 */
public final class CursorName
{
    static final int MAX_LENGTH = 100;

    private static final String SUFFIX = ".cursor";

    private CursorName()
    {
    }

    /**
     * @throws IllegalArgumentException if a name is not valid for a cursor.
     */
    public static void check(final String name)
    {
        if (!isValid(name))
        {
            throw new IllegalArgumentException(
                "a cursor's name is 1 to 100 of A-Z, a-z, 0-9, dot, underscore and hyphen, not beginning with a dot: " +
                    "name=" + name);
        }
    }

    public static boolean isValid(final String name)
    {
        return !name.isEmpty() && name.length() <= MAX_LENGTH && '.' != name.charAt(0) &&
            name.chars().allMatch(CursorName::isInNames);
    }

    private static boolean isInNames(final int character)
    {
        return character >= 'A' && character <= 'Z' || character >= 'a' && character <= 'z' ||
            character >= '0' && character <= '9' || '.' == character || '_' == character || '-' == character;
    }

    /**
     * The name of the cursor that a file belongs to, or null if it is not the file of a cursor.
     */
    public static String ofFile(final String fileName)
    {
        final int length = fileName.length() - SUFFIX.length();
        final String name = fileName.endsWith(SUFFIX) ? fileName.substring(0, length) : "";
        return isValid(name) ? name : null;
    }

    public static String fileName(final String name)
    {
        return name + SUFFIX;
    }

    /** The path of the file in the journal's directory. */
    public static String path(final String name)
    {
        return JournalFiles.CURSORS + "/" + fileName(name);
    }
}
