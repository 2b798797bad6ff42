// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.journal.tests.support.JournalDirectory;

/** Directory of fuzzed journals: in memory if possible, deleted when the process ends. */
final class FuzzDirectory
{
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final Path SCRATCH = create();

    private FuzzDirectory()
    {
    }

    static Path scratch()
    {
        return SCRATCH;
    }

    static JournalDirectory directory()
    {
        return new JournalDirectory(SCRATCH.resolve("journal"));
    }

    private static Path create()
    {
        try
        {
            final Path scratch = Files.isWritable(MEMORY) ?
                Files.createTempDirectory(MEMORY, "journal-fuzz-") : Files.createTempDirectory("journal-fuzz-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> new JournalDirectory(scratch).restore(Map.of())));
            return scratch;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
