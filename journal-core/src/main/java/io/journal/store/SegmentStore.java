// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The files of one journal's directory.
 * <p>
 * Everything a journal makes durable goes through this interface, so that another implementation can inject faults.
 * Names are plain file names within the directory. Thread-safe; callers never change the same name concurrently.
 * Operations are not interruptible; the interrupt status is preserved.
 */
public interface SegmentStore
{
    /** How a file is opened. */
    enum Access
    {
        /** Read-only. */
        READ,
        /** Bytes can be read, written and forced. */
        WRITE,
        /**
         * As {@link #WRITE}, for a segment that records are appended to. While it is open nothing else writes it, and
         * it is mapped only if {@link #memory()} is {@link Memory#MAPPED}: a store may write past the page cache.
         */
        APPEND
    }

    /** Memory in which the journal composes and reads the bytes of a segment. */
    enum Memory
    {
        /** The file itself, mapped with {@link SegmentFile#map()}. Nothing is copied. */
        MAPPED,
        /** Memory outside the Java heap, copied with {@link SegmentFile#read} and {@link SegmentFile#write}. */
        DIRECT,
        /** Arrays on the Java heap, copied with {@link SegmentFile#read} and {@link SegmentFile#write}. */
        HEAP
    }

    /**
     * Disk full: the device has no space left, or the user's quota is exhausted. The journal continues once there is
     * space again; if it has failed, for example by a write in place, after it is reopened.
     */
    final class NoSpaceException extends IOException
    {
        private static final long serialVersionUID = 1L;

        /**
         * Constructs the exception.
         *
         * @param message what could not be written.
         * @param cause   the underlying cause, or null.
         */
        public NoSpaceException(final String message, final @Nullable Throwable cause)
        {
            super(message, cause);
        }
    }

    /**
     * An operation could not begin, for example because of file-descriptor exhaustion. Nothing was done, storage has
     * not failed, and the call may be retried.
     */
    final class NotBegunException extends IOException
    {
        private static final long serialVersionUID = 1L;

        /**
         * Constructs the exception.
         *
         * @param message what could not begin.
         * @param cause   the underlying cause, or null.
         */
        public NotBegunException(final String message, final @Nullable Throwable cause)
        {
            super(message, cause);
        }
    }

    /** The file system of a store cannot do what the store needs. Nothing was created or changed. */
    final class UnsupportedFileSystemException extends IOException
    {
        private static final long serialVersionUID = 1L;

        /**
         * Constructs the exception.
         *
         * @param message names the file system and the reason.
         */
        public UnsupportedFileSystemException(final String message)
        {
            super(message);
        }
    }

    /** {@return the kind of memory that suits this store, always the same one} */
    Memory memory();

    /**
     * Checks that the file system can do what this store needs, before anything is created. By default accepts any file
     * system.
     *
     * @throws UnsupportedFileSystemException if it cannot.
     * @throws IOException                    if that cannot be determined.
     */
    default void checkFileSystem() throws IOException
    {
    }

    /**
     * Creates the directory if it is absent. On return its name is durable, also if another process created it; if it
     * was absent, its parent's name is durable as well.
     *
     * @throws java.nio.file.NoSuchFileException if its parent does not exist: a path that is wrong, or a volume that is
     *                                           not mounted, is not created.
     * @throws IOException                       if the directory cannot be created or its name cannot be made durable.
     */
    void makeDirectory() throws IOException;

    /**
     * Lists the names of all entries of the directory, in no particular order.
     *
     * @return the names; empty if the directory is absent.
     * @throws IOException if the directory cannot be read.
     */
    List<String> list() throws IOException;

    /**
     * Creates a file and fills it with zeros by writing them, so that its blocks are allocated. Neither the file nor
     * its name is durable yet.
     *
     * @param name   of the file.
     * @param length of the file in bytes.
     * @return the open file.
     * @throws NoSpaceException if the device is full; the file is deleted.
     * @throws IOException      if the file exists or cannot be written; a file created by this call is deleted.
     */
    SegmentFile create(String name, long length) throws IOException;

    /**
     * Creates a file of zeros whose blocks need not be allocated yet: the caller writes zeros to it before it is
     * mapped. This lets an fsync make the length durable before there is much to write, and allows other work between
     * the writes. By default it fills the file, as {@link #create} does; each segment is then written twice.
     *
     * @param name   of the file.
     * @param length of the file in bytes.
     * @return the open file.
     * @throws NoSpaceException if the device is full; the file is deleted.
     * @throws IOException      if the file exists or cannot be written; a file created by this call is deleted.
     */
    default SegmentFile createUnallocated(final String name, final long length) throws IOException
    {
        return create(name, length);
    }

    /**
     * Opens an existing regular file. Symbolic links are not followed.
     *
     * @param name   of the file.
     * @param access mode in which the file is opened.
     * @return the open file.
     * @throws java.nio.file.NoSuchFileException if the file is absent, and for no other reason: the journal then takes
     *                                           the file for missing, not for unreadable.
     * @throws IOException                       if it is not a regular file or cannot be opened.
     */
    SegmentFile open(String name, Access access) throws IOException;

    /**
     * Renames a file or a subdirectory, with its content, without replacing an existing name. Durable only after
     * {@link #force()}.
     *
     * @param from current name.
     * @param to   new name.
     * @throws FileAlreadyExistsException if the new name exists; nothing was changed.
     * @throws IOException                if the file cannot be renamed; it keeps its name.
     */
    void rename(String from, String to) throws IOException;

    /**
     * Deletes a file or an empty subdirectory if it exists. Durable only after {@link #force()}.
     *
     * @param name of the file.
     * @throws IOException if the file cannot be deleted, or the subdirectory is not empty.
     */
    void delete(String name) throws IOException;

    /**
     * Fsyncs the directory, which makes all earlier creations, renames and deletions durable.
     *
     * @throws NotBegunException if the directory cannot be opened; nothing was done and the call may be retried.
     * @throws IOException       if the fsync fails; it must not be retried.
     */
    void force() throws IOException;

    /**
     * Returns the store of a subdirectory, which is created if absent. Its name is durable only after
     * {@link #force()} of this store.
     *
     * @param name of the subdirectory.
     * @return its store.
     * @throws java.nio.file.FileAlreadyExistsException if something other than a directory has the name.
     * @throws IOException                              if the subdirectory cannot be created.
     */
    SegmentStore child(String name) throws IOException;
}
