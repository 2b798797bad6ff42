// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.file.Path;

import io.journal.internal.platform.FullDisk;
import io.journal.store.SegmentStore.NoSpaceException;

/**
 * Distinguishes a full disk from other write errors.
 */
final class NoSpace
{
    private NoSpace()
    {
    }

    /**
     * Returns a {@link NoSpaceException} if the error means that the disk is full, else the error itself.
     */
    static IOException translate(final IOException error, final Path path, final long missing)
    {
        if (error instanceof NoSpaceException || !FullDisk.isReason(error, path, missing))
        {
            return error;
        }

        return new NoSpaceException("no space left: file=" + path + ", missing=" + missing, error);
    }
}
