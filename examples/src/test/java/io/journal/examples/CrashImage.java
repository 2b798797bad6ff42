// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;

/**
 * The directory of a journal in use, as a crash at this moment would leave it.
 * <p>
 * That is so only while nothing is written: the journal has no background thread, and the appending thread waits.
 */
public final class CrashImage
{
    private CrashImage()
    {
    }

    /** Settings that keep tests small and their directories still. */
    public static JournalBuilder settings(final Path directory)
    {
        return Journal.builder(directory)
            .segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .backgroundThread(false);
    }

    /**
     * Copies all but the lock file, which must not be opened twice in a process: closing it gives the lock up.
     *
     * @return the copy.
     */
    public static Path copy(final Path from, final Path to) throws IOException
    {
        final List<Path> files;
        try (Stream<Path> found = Files.list(from))
        {
            files = found.filter((file) -> !file.endsWith("journal.lock")).toList();
        }

        Files.createDirectory(to);
        for (final Path file : files)
        {
            Files.copy(file, to.resolve(file.getFileName()));
        }
        return to;
    }
}
