package io.journal.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Immutable snapshot of a directory: the names the operating system lists, and those the device may hold.
 */
final class FolderImage
{
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    /** Names as the operating system lists them. */
    final Map<String, InodeImage> names;

    /** Names on the device when the directory was last fsynced. */
    final Map<String, InodeImage> durable;

    /** Changes since then, in order: each may have reached the device or not. */
    final List<NameChange<InodeImage>> pending;

    final Map<String, FolderImage> children;

    FolderImage(
        final Map<String, InodeImage> names,
        final Map<String, InodeImage> durable,
        final List<NameChange<InodeImage>> pending,
        final Map<String, FolderImage> children)
    {
        this.names = names;
        this.durable = durable;
        this.pending = pending;
        this.children = children;
    }

    /**
     * A directory that is durable as it is listed.
     */
    static FolderImage settled(final Map<String, InodeImage> names, final Map<String, FolderImage> children)
    {
        return new FolderImage(names, names, List.of(), children);
    }

    /**
     * Hash of the names, lengths and bytes in the page cache.
     */
    long hash()
    {
        long hash = 1;
        for (final Map.Entry<String, InodeImage> entry : new TreeMap<>(names).entrySet())
        {
            hash = mix(mix(hash, entry.getKey().hashCode()), entry.getValue().hash());
        }
        for (final Map.Entry<String, FolderImage> entry : new TreeMap<>(children).entrySet())
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
