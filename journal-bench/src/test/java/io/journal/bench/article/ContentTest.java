// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ContentTest
{
    private static final int LENGTH = 200_000;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void setUp() throws IOException
    {
        file = directory.resolve("file");
        Content.write(file, LENGTH);
    }

    @Test
    void whatIsWrittenIsVerified() throws IOException
    {
        Content.verify(file, LENGTH);

        assertEquals(LENGTH, Files.size(file));
    }

    @Test
    void misplacedPageIsDetected() throws IOException
    {
        final byte[] bytes = Files.readAllBytes(file);
        System.arraycopy(bytes, 4096, bytes, 65536, 4096);
        Files.write(file, bytes);

        final IllegalStateException ex = assertThrows(IllegalStateException.class, () -> Content.verify(file, LENGTH));

        assertTrue(ex.getMessage().startsWith("wrong byte: offset=65536"), ex.getMessage());
    }

    @Test
    void wrongFileLengthIsDetected()
    {
        assertThrows(IllegalStateException.class, () -> Content.verify(file, LENGTH + 1));
        assertThrows(IllegalStateException.class, () -> Content.verify(file, LENGTH - 1));
    }

    @Test
    void sumsAreThoseOfTheFile() throws IOException
    {
        long sum = 0;
        long unsignedSum = 0;
        for (final byte each : Files.readAllBytes(file))
        {
            sum += each;
            unsignedSum += Byte.toUnsignedInt(each);
        }

        assertEquals(sum, Content.sum(LENGTH));
        assertEquals(unsignedSum, Content.unsignedSum(LENGTH));
    }
}
