// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Sets the permissions of new files and directories, which only their owner may access if the file system has POSIX
 * permissions, and explains errors that are due to permissions.
 */
public final class Permissions
{
    private static final FileAttribute<?>[] NONE = {};

    private Permissions()
    {
    }

    public static FileAttribute<?>[] ofFile(final FileSystem fileSystem)
    {
        return attributes(fileSystem, "rw-------");
    }

    public static FileAttribute<?>[] ofDirectory(final FileSystem fileSystem)
    {
        return attributes(fileSystem, "rwx------");
    }

    private static FileAttribute<?>[] attributes(final FileSystem fileSystem, final String permissions)
    {
        return fileSystem.supportedFileAttributeViews().contains("posix") ?
            new FileAttribute<?>[]{
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)) } :
            NONE;
    }

    /**
     * Names owner and mode of the file that may not be accessed, or of the nearest directory around it that shows them.
     *
     * @return text to append to a message; empty if permissions are not the reason of the error.
     */
    public static String explain(final Throwable error)
    {
        for (Throwable cause = error; null != cause; cause = cause.getCause())
        {
            if (cause instanceof AccessDeniedException denied && null != denied.getFile())
            {
                return explain(Path.of(denied.getFile()).toAbsolutePath());
            }
        }

        return "";
    }

    private static String explain(final Path path)
    {
        for (Path seen = path; null != seen; seen = seen.getParent())
        {
            try
            {
                final PosixFileAttributes attributes =
                    Files.readAttributes(seen, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                return "; access denied: file=" + seen + ", owner=" + attributes.owner().getName() + ", mode=" +
                    PosixFilePermissions.toString(attributes.permissions()) + ", user=" +
                    System.getProperty("user.name") +
                    "; a journal is its owner's alone: run as the same user, or give its files to this one";
            }
            catch (final IOException | UnsupportedOperationException ignore)
            {
                // Not even the attributes may be read.
            }
        }

        return "";
    }
}
