package io.journal.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Suggests what may have been meant instead of a name that does not exist.
 */
final class Suggestion
{
    private static final int MAX_DISTANCE = 2;

    private Suggestion()
    {
    }

    /** A text that follows a message, or nothing: directories of a similar name. */
    static String of(final Path path)
    {
        final Path parent = path.toAbsolutePath().getParent();
        if (null == parent)
        {
            return "";
        }
        try (Stream<Path> entries = Files.list(parent))
        {
            return of(String.valueOf(path.getFileName()), entries
                .filter(Files::isDirectory).map((entry) -> String.valueOf(entry.getFileName())).sorted().toList());
        }
        catch (final IOException | UncheckedIOException ex)
        {
            return "";
        }
    }

    /** A text that follows a message, or nothing: the first of some names that is similar. */
    static String of(final String typed, final Collection<String> names)
    {
        // Of a short text, all other short ones are near.
        final int distance = Math.min(MAX_DISTANCE, typed.length() / 2);
        final List<String> near = names.stream()
            .filter((name) -> distance(typed.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT)) <= distance)
            .toList();
        return near.isEmpty() ? "" : "; did you mean " + Text.harmless(near.get(0)) + "?";
    }

    /** How many characters have to be inserted, removed or replaced. */
    private static int distance(final String left, final String right)
    {
        int[] before = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++)
        {
            before[j] = j;
        }
        for (int i = 1; i <= left.length(); i++)
        {
            final int[] now = new int[right.length() + 1];
            now[0] = i;
            for (int j = 1; j <= right.length(); j++)
            {
                final int replaced = before[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(replaced, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }

        return before[right.length()];
    }
}
