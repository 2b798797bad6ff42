// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Resolves a path with all symbolic links.
 */
public final class RealPath
{
    private RealPath()
    {
    }

    /** The real path of a file, or of the nearest of its parents that exists. */
    public static Path ofNearest(final Path path) throws IOException
    {
        Path nearest = path.toAbsolutePath();
        Path parent = nearest.getParent();
        // A dangling link is not absent.
        while (null != parent && FileType.ABSENT == FileType.of(nearest, LinkOption.NOFOLLOW_LINKS))
        {
            nearest = parent;
            parent = nearest.getParent();
        }

        return nearest.toRealPath();
    }
}
