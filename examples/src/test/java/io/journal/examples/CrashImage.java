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
 * The directory of a journal in use, as a crash at this moment would leave it. <p> The copy is exact only while nothing
 * is written, so the journal must have no background thread, and the appending thread must wait.
 */
public final class CrashImage
{
    private CrashImage()
    {
    }

    /** Settings for small files and without a background thread, which would change the directory. */
    public static JournalBuilder settings(final Path directory)
    {
        return Journal.builder(directory)
            .segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .backgroundThread(false);
    }

    /**
     * Copies all but the lock file: a process that opens it a second time gives up the lock by closing it.
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
