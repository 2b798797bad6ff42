// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Creates temporary directories in memory if the system offers that, because these tests need no real device. */
public final class MemoryDirectory implements TempDirFactory
{
    private static final Path MEMORY = Path.of("/dev/shm");

    @Override
    public Path createTempDirectory(
        final AnnotatedElementContext elementContext, final ExtensionContext extensionContext) throws Exception
    {
        return Files.isWritable(MEMORY) ?
            Files.createTempDirectory(MEMORY, "journal-tools-") : Files.createTempDirectory("journal-tools-");
    }
}
