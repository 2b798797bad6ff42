// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory: the names that the operating system lists, and the names that the device may hold.
 */
final class Folder
{
    private final Names<Inode> files;
    private final Names<Folder> children;

    Folder()
    {
        this(new Names<>(), new Names<>());
    }

    private Folder(final Names<Inode> files, final Names<Folder> children)
    {
        this.files = files;
        this.children = children;
    }

    /**
     * Restores a directory from an image.
     */
    static Folder of(final FolderImage image)
    {
        return new Folder(image.files.map(Inode::new), image.children.map(Folder::of));
    }

    FolderImage image()
    {
        return new FolderImage(files.map(Inode::image), children.map(Folder::image));
    }

    List<String> list()
    {
        final List<String> list = new ArrayList<>(files.current.keySet());
        list.addAll(children.current.keySet());
        return list;
    }

    Inode find(final String name) throws NoSuchFileException
    {
        final Inode inode = files.current.get(name);
        if (null == inode)
        {
            throw new NoSuchFileException(name);
        }

        return inode;
    }

    boolean contains(final String name)
    {
        return files.current.containsKey(name) || children.current.containsKey(name);
    }

    void add(final String name, final Inode inode)
    {
        files.change(new NameChange<>(null, name, inode));
    }

    void rename(final String from, final String to) throws NoSuchFileException, FileAlreadyExistsException
    {
        checkAbsent(to);
        final Folder child = children.current.get(from);
        if (null != child)
        {
            children.change(new NameChange<>(from, to, child));
        }
        else
        {
            files.change(new NameChange<>(from, to, find(from)));
        }
    }

    /**
     * Deletes a file or an empty subdirectory, if there is one.
     */
    void delete(final String name) throws DirectoryNotEmptyException
    {
        final Inode inode = files.current.get(name);
        final Folder child = children.current.get(name);
        if (null != inode)
        {
            files.change(new NameChange<>(name, null, inode));
        }
        else if (null != child)
        {
            if (!child.list().isEmpty())
            {
                throw new DirectoryNotEmptyException(name);
            }
            children.change(new NameChange<>(name, null, child));
        }
    }

    void force()
    {
        files.force();
        children.force();
    }

    /**
     * Returns the subdirectory of this name, and creates it if absent.
     */
    Folder child(final String name) throws FileAlreadyExistsException
    {
        if (files.current.containsKey(name))
        {
            throw new FileAlreadyExistsException(name);
        }

        final Folder child = children.current.get(name);
        if (null != child)
        {
            return child;
        }

        final Folder created = new Folder();
        children.change(new NameChange<>(null, name, created));
        return created;
    }

    long usedBytes()
    {
        long used = 0;
        for (final Inode inode : files.current.values())
        {
            used += inode.length();
        }
        for (final Folder child : children.current.values())
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
}
