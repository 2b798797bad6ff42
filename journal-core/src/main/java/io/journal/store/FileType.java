package io.journal.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * What lies at a path.
 * <p>
 * "It exists", "it does not exist" and "that cannot be known" are three answers. {@link Files#exists} and its siblings
 * give the second for the third, so that one failing system call makes a whole journal look empty. This class reports
 * the third as an {@link IOException}.
 */
public enum FileType
{
    /** Nothing. */
    ABSENT,
    /** A regular file. */
    REGULAR_FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link that was not followed, a pipe, a device. */
    OTHER;

    /**
     * Looks at a path.
     *
     * @param path    to look at.
     * @param options whether symbolic links are followed.
     * @return what lies there; {@link #ABSENT} if the operating system confirms that nothing does.
     * @throws IOException if it cannot be known, as after an I/O error or without permission.
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
}
