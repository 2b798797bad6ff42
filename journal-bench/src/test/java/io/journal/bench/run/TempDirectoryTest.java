// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TempDirectoryTest
{
    @TempDir
    private Path parent;

    @Test
    void closeDeletesTheTree() throws IOException
    {
        final TempDirectory temp = TempDirectory.below(parent, "temp-");
        Files.createDirectories(temp.path().resolve("a/b"));
        Files.writeString(temp.path().resolve("a/b/c"), "content");

        temp.close();
        temp.close();

        assertFalse(Files.exists(temp.path()));
        assertTrue(Files.exists(parent));
    }
}
