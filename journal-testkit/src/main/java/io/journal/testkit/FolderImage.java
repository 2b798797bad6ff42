package io.journal.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A directory at a moment: what the operating system shows of it, and what the device may hold. Nothing in it changes.
 */
final class FolderImage
{
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    /** What the operating system shows. */
    final Map<String, InodeImage> names;

    /** What the device held when the directory was last forced. */
    final Map<String, InodeImage> durable;

    /** What was done since, in its order: each may have reached the device or not. */
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
     * A directory that the device holds as it is shown.
     */
    static FolderImage settled(final Map<String, InodeImage> names, final Map<String, FolderImage> children)
    {
        return new FolderImage(names, names, List.of(), children);
    }

    /**
     * Depends on the names, the lengths and the bytes that are shown.
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
