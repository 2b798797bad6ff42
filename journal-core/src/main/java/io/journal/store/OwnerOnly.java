package io.journal.store;

import java.nio.file.FileSystem;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Attributes of new files and directories that keep everybody but the owner out, where the file system knows any.
 */
public final class OwnerOnly
{
    private static final FileAttribute<?>[] NONE = {};

    private OwnerOnly()
    {
    }

    /**
     * Attributes of a file.
     *
     * @param fileSystem it is made in.
     * @return attributes, perhaps none.
     */
    public static FileAttribute<?>[] file(final FileSystem fileSystem)
    {
        return attributes(fileSystem, "rw-------");
    }

    /**
     * Attributes of a directory.
     *
     * @param fileSystem it is made in.
     * @return attributes, perhaps none.
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
