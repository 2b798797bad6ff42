package io.journal.testkit;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A directory: the names the operating system lists, and those the device may hold.
 */
final class Folder
{
    private final Map<String, Inode> names;
    private final Map<String, Inode> durable;
    private final List<NameChange<Inode>> pending;
    private final Map<String, Folder> children;

    Folder()
    {
        this(new HashMap<>(), new HashMap<>(), new ArrayList<>(), new HashMap<>());
    }

    private Folder(
        final Map<String, Inode> names,
        final Map<String, Inode> durable,
        final List<NameChange<Inode>> pending,
        final Map<String, Folder> children)
    {
        this.names = names;
        this.durable = durable;
        this.pending = pending;
        this.children = children;
    }

    /**
     * Restores a directory from an image.
     */
    static Folder of(final FolderImage image)
    {
        final Map<InodeImage, Inode> inodes = new IdentityHashMap<>();
        final Function<InodeImage, Inode> inode = (file) -> inodes.computeIfAbsent(file, Inode::new);
        final Map<String, Folder> children = new HashMap<>();
        image.children.forEach((name, child) -> children.put(name, of(child)));
        final List<NameChange<Inode>> pending = new ArrayList<>();
        image.pending.forEach((change) -> pending.add(change.map(inode)));
        return new Folder(map(image.names, inode), map(image.durable, inode), pending, children);
    }

    FolderImage image()
    {
        final Map<String, FolderImage> childImages = new HashMap<>();
        children.forEach((name, child) -> childImages.put(name, child.image()));
        final List<NameChange<InodeImage>> changes = new ArrayList<>();
        pending.forEach((change) -> changes.add(change.map(Inode::image)));
        return new FolderImage(map(names, Inode::image), map(durable, Inode::image), changes, childImages);
    }

    List<String> list()
    {
        final List<String> list = new ArrayList<>(names.keySet());
        list.addAll(children.keySet());
        return list;
    }

    Inode find(final String name) throws NoSuchFileException
    {
        final Inode inode = names.get(name);
        if (null == inode)
        {
            throw new NoSuchFileException(name);
        }

        return inode;
    }

    boolean contains(final String name)
    {
        return names.containsKey(name) || children.containsKey(name);
    }

    void add(final String name, final Inode inode)
    {
        change(new NameChange<>(null, name, inode));
    }

    void rename(final String from, final String to) throws NoSuchFileException, FileAlreadyExistsException
    {
        final Inode inode = find(from);
        checkAbsent(to);
        change(new NameChange<>(from, to, inode));
    }

    /**
     * @return the file that was deleted, or null if there was none.
     */
    Inode delete(final String name)
    {
        final Inode inode = names.get(name);
        if (null != inode)
        {
            change(new NameChange<>(name, null, inode));
        }

        return inode;
    }

    void force()
    {
        durable.clear();
        durable.putAll(names);
        pending.clear();
    }

    /**
     * The subdirectory of this name, created if absent; its name is durable at once.
     */
    Folder child(final String name)
    {
        return children.computeIfAbsent(name, (key) -> new Folder());
    }

    long usedBytes()
    {
        long used = 0;
        for (final Inode inode : names.values())
        {
            used += inode.length();
        }
        for (final Folder child : children.values())
        {
            used += child.usedBytes();
        }

        return used;
    }

    void checkAbsent(final String name) throws FileAlreadyExistsException
    {
        if (contains(name))
        {
            throw new FileAlreadyExistsException(name);
        }
    }

    private void change(final NameChange<Inode> change)
    {
        change.apply(names);
        pending.add(change);
    }

    private static <T, R> Map<String, R> map(final Map<String, T> files, final Function<T, R> mapper)
    {
        final Map<String, R> mapped = new HashMap<>();
        files.forEach((name, file) -> mapped.put(name, mapper.apply(file)));
        return mapped;
    }
}
