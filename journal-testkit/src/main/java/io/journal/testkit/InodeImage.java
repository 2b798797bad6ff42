// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

/**
 * Immutable snapshot of a file: its content in the page cache, and the contents the device may hold.
 */
final class InodeImage
{
    /** Length in the page cache. */
    final int length;

    /** Lengths the device may hold, the newest last; null if there is only one. */
    final int[] lengths;

    /** Pages in the page cache. */
    final Page[] cache;

    /** For each page, the contents the device may hold, the newest last; null if the page is durable as cached. */
    final Page[][] options;

    /** Pages that the next fsync writes. */
    final boolean[] isDirty;

    InodeImage(
        final int length, final int[] lengths, final Page[] cache, final Page[][] options, final boolean[] isDirty)
    {
        this.length = length;
        this.lengths = lengths;
        this.cache = cache;
        this.options = options;
        this.isDirty = isDirty;
    }

    /**
     * Returns a file whose content in the page cache is durable.
     */
    static InodeImage settled(final int length, final Page[] pages)
    {
        return new InodeImage(length, null, pages, new Page[pages.length][], new boolean[pages.length]);
    }

    boolean isSettled()
    {
        if (null != lengths)
        {
            return false;
        }
        for (final Page[] option : options)
        {
            if (null != option)
            {
                return false;
            }
        }

        return true;
    }

    long hash()
    {
        long hash = length;
        for (final Page page : cache)
        {
            hash = FolderImage.mix(hash, page.hash());
        }

        return hash;
    }
}
