// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Directories in memory, if available, for tests that open thousands of journals. Such tests do not depend on a device,
 * and a busy device would dominate their run time.
 */
public final class MemoryDirectory implements TempDirFactory
{
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "journal-test-";

    @Override
    public Path createTempDirectory(
        final AnnotatedElementContext elementContext, final ExtensionContext extensionContext) throws Exception
    {
        return Files.isDirectory(MEMORY) && Files.isWritable(MEMORY) ?
            Files.createTempDirectory(MEMORY, PREFIX) : Files.createTempDirectory(PREFIX);
    }
}
