// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The messages of glibc and musl for {@code ENOSPC} and {@code EDQUOT} mean a full disk, although the file system has
 * space.
 */
class FullDiskTest
{
    @TempDir
    Path temp;

    @ParameterizedTest
    @ValueSource(strings = { "No space left on device", "Disk quota exceeded", "Quota exceeded" })
    void fullDiskAndExhaustedQuotaAreRecognizedByTheirMessages(final String message)
    {
        assertTrue(FullDisk.isReason(new IOException(message), temp, 0));
        assertTrue(FullDisk.isReason(new FileSystemException(temp.toString(), null, message), temp, 0));
    }

    @Test
    void otherErrorsAreNoFullDisk()
    {
        assertFalse(FullDisk.isReason(new IOException("Input/output error"), temp, 0));
        assertFalse(FullDisk.isReason(new IOException(), temp, 0));
    }

    @Test
    void lessSpaceThanIsNeededIsAFullDiskWhateverTheMessage()
    {
        assertTrue(FullDisk.isReason(new IOException("voll"), temp, Long.MAX_VALUE));
    }
}
