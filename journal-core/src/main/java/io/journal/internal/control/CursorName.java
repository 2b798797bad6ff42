// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

/**
 * The names of cursors.
 */
public final class CursorName
{
    static final int MAX_LENGTH = 100;

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
}
