// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

/**
 * The type of the file at a path.
 * <p>
 * "Exists", "does not exist" and "unknown" are three answers. {@link Files#exists} and its siblings return the second
 * answer for the third, so that one failing system call makes a whole journal look empty. This class reports the third
 * as an {@link IOException}.
 */
public enum FileType
{
    ABSENT,
    REGULAR_FILE,
    DIRECTORY,
    /** A symbolic link that was not followed, a pipe or a device. */
    OTHER;

    /**
     * Determines the type of the file at a path: {@link #ABSENT} only if the operating system confirms that there is
     * no file.
     *
     * @throws IOException if the type cannot be determined, as after an I/O error or without permission.
     */
    public static FileType of(final Path path, final LinkOption... options) throws IOException
    {
        final BasicFileAttributes attributes;
        try
        {
            attributes = Files.readAttributes(path, BasicFileAttributes.class, options);
        }
        catch (final NoSuchFileException ignore)
        {
            return ABSENT;
        }

        return attributes.isDirectory() ? DIRECTORY : attributes.isRegularFile() ? REGULAR_FILE : OTHER;
    }

    /**
     * The identity of a regular file. Rejects anything else before it is opened: opening a pipe could block forever.
     *
     * @return the key, or null if the file system has none.
     */
    public static @Nullable Object regularFileKey(final Path path) throws IOException
    {
        final BasicFileAttributes attributes =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile())
        {
            throw new NotRegularFileException(path);
        }
        return attributes.fileKey();
    }

    /** The real path of a file, or of the nearest of its parents that exists. */
    public static Path nearestRealPath(final Path path) throws IOException
    {
        Path nearest = path.toAbsolutePath();
        Path parent = nearest.getParent();
        // A dangling link is not absent.
        while (null != parent && ABSENT == of(nearest, LinkOption.NOFOLLOW_LINKS))
        {
            nearest = parent;
            parent = nearest.getParent();
        }

        return nearest.toRealPath();
    }

    /** A name refers to a directory, a symbolic link or a pipe, for example. It was not opened. */
    public static final class NotRegularFileException extends IOException
    {
        private static final long serialVersionUID = 1L;

        NotRegularFileException(final Path path)
        {
            super("not a regular file: file=" + path);
        }
    }
}
