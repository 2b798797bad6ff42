// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

/** A writer takes the first directory of buffers that nobody uses, also after another writer was killed in it. */
class AeronDirectoriesTest
{
    @TempDir
    private Path directory;

    /** A process that holds a directory until it is killed. */
    static final class Holder
    {
        private Holder()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            System.out.println(lock(Path.of(args[0])).name());
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @Test
    void directoryOfAKilledWriterIsTakenByTheNext() throws Exception
    {
        final Process holder = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), Holder.class.getName(), directory.toString()).start();
        final String held = holder.inputReader().readLine();
        try (AeronDirectories.OfWriter other = lock(directory))
        {
            assertNotEquals(held, other.name());
        }

        holder.destroyForcibly().waitFor();

        try (AeronDirectories.OfWriter next = lock(directory))
        {
            assertEquals(held, next.name());
        }
    }

    @Test
    void writersOfOneProcessHaveDirectoriesOfTheirOwn() throws Exception
    {
        final AeronDirectories.OfWriter first = lock(directory);
        try (AeronDirectories.OfWriter second = lock(directory))
        {
            assertNotEquals(first.name(), second.name());
        }
        first.close();
        try (AeronDirectories.OfWriter third = lock(directory))
        {
            assertEquals(first.name(), third.name());
        }
    }

    private static AeronDirectories.OfWriter lock(final Path directory) throws Exception
    {
        return AeronDirectories.lockForWriter(new AeronEngine().memoryDirectory(directory));
    }
}
