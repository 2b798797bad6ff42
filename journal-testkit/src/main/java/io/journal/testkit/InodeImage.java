package io.journal.testkit;

/**
 * A file at a moment: what the operating system shows of it, and what the device may hold. Nothing in it changes.
 */
final class InodeImage
{
    /** Length the operating system shows. */
    final int length;

    /** Lengths the device may hold, the newest last; null if there is but one. */
    final int[] lengths;

    /** What the operating system shows. */
    final Page[] cache;

    /** What the device may hold of each page, the newest last; null for a page it holds as shown. */
    final Page[][] options;

    /** Pages that the next force writes. */
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
     * A file that the device holds as it is shown.
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
