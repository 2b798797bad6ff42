// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.nio.file.FileSystem;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Attributes that restrict new files and directories to their owner, on file systems with POSIX permissions.
 */
public final class OwnerOnly
{
    private static final FileAttribute<?>[] NONE = {};

    private OwnerOnly()
    {
    }

    /**
     * Attributes of a new file; empty if the file system has no POSIX permissions.
     */
    public static FileAttribute<?>[] file(final FileSystem fileSystem)
    {
        return attributes(fileSystem, "rw-------");
    }

    /**
     * Attributes of a new directory; empty if the file system has no POSIX permissions.
     */
    public static FileAttribute<?>[] directory(final FileSystem fileSystem)
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
}
