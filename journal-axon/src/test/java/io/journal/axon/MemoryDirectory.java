// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Temporary directories in memory where the system offers that: tests do not wait for a device. */
final class MemoryDirectory implements TempDirFactory
{
    private static final Path MEMORY = Path.of("/dev/shm");

    @Override
    public Path createTempDirectory(
        final AnnotatedElementContext elementContext, final ExtensionContext extensionContext) throws Exception
    {
        return Files.isWritable(MEMORY) ?
            Files.createTempDirectory(MEMORY, "journal-axon-") : Files.createTempDirectory("journal-axon-");
    }
}
