// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;

import io.journal.streams.Event;
import io.journal.streams.Query;

/** Checks of types, tags and keys. */
public final class Names
{
    // With the prefix it is a tag.
    private static final int MAX_STREAM_LENGTH = 1000;

    private Names()
    {
    }

    public static String check(final String what, final String name)
    {
        return check(what, name, Event.MAX_NAME_LENGTH);
    }

    public static Set<String> checkAll(final String what, final Set<String> names, final int maximum)
    {
        Objects.requireNonNull(names, what);
        if (names.size() > maximum)
        {
            throw new IllegalArgumentException(
                "too many of one kind: kind=" + what + ", count=" + names.size() + ", maximum=" + maximum);
        }
        final Set<String> copy = Set.copyOf(names);
        copy.forEach((name) -> check(what, name));

        return copy;
    }

    static String streamTag(final String stream)
    {
        return Query.STREAM_PREFIX + check("stream", stream, MAX_STREAM_LENGTH);
    }

    static byte[] bytes(final String name)
    {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private static String check(final String what, final String name, final int maxLength)
    {
        final int length = Objects.requireNonNull(name, what).length();
        if (0 == length || length > maxLength)
        {
            throw new IllegalArgumentException(
                "must have 1 to " + maxLength + " characters: kind=" + what + ", length=" + length);
        }
        for (int i = 0; i < length; i++)
        {
            if (Character.isSurrogate(name.charAt(i)) &&
                (i + 1 == length || !Character.isSurrogatePair(name.charAt(i), name.charAt(++i))))
            {
                // Two names with half a surrogate pair would have equal bytes.
                throw new IllegalArgumentException("no valid Unicode: kind=" + what);
            }
        }

        return name;
    }
}
