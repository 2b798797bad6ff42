// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.util.Map;
import java.util.TreeMap;

/**
 * Immutable snapshot of a directory: the names that the operating system lists, and the names that the device may hold.
 */
final class FolderImage
{
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    final Names<InodeImage> files;
    final Names<FolderImage> children;

    FolderImage(final Names<InodeImage> files, final Names<FolderImage> children)
    {
        this.files = files;
        this.children = children;
    }

    /**
     * Hash of the names, lengths and bytes in the page cache.
     */
    long hash()
    {
        long hash = 1;
        for (final Map.Entry<String, InodeImage> entry : new TreeMap<>(files.current).entrySet())
        {
            hash = mix(mix(hash, entry.getKey().hashCode()), entry.getValue().hash());
        }
        for (final Map.Entry<String, FolderImage> entry : new TreeMap<>(children.current).entrySet())
        {
            hash = mix(mix(hash, entry.getKey().hashCode()), entry.getValue().hash());
        }

        return hash;
    }

    static long mix(final long hash, final long value)
    {
        final long mixed = (hash ^ value) * MIX;
        return mixed ^ mixed >>> 29;
    }
}
