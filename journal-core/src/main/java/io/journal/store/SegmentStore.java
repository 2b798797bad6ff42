package io.journal.store;

import java.io.IOException;
import java.util.List;

/**
 * The files of one journal's directory, and how their bytes reach the device.
 * <p>
 * Everything a journal makes durable goes through here, so that another implementation can inject faults. Names are
 * plain file names within the directory. Safe for use by several threads; two threads never change the same name at
 * once. No method is ended by an interrupt of the calling thread, which keeps its interrupt flag.
 */
public interface SegmentStore
{
    /**
     * How a file is opened.
     */
    enum Access
    {
        /** Nothing of the file can be changed. */
        READ,
        /** Bytes can be changed and forced. */
        WRITE
    }

    /**
     * Makes the directory, and those above it, if they are absent. Its name is durable when this returns, whoever made
     * it.
     *
     * @throws IOException if it cannot be made.
     */
    void makeDirectory() throws IOException;

    /**
     * Names of all entries of the directory, in no order.
     *
     * @return the names; empty if there is no directory.
     * @throws IOException if the directory cannot be read.
     */
    List<String> list() throws IOException;

    /**
     * Creates a file that is absent and fills it with zeros by writing them, so that the device has room for it.
     * The file is not forced yet, and nor is its name.
     *
     * @param name   of the file.
     * @param length of the file in bytes.
     * @return the open file.
     * @throws NoSpaceException if the device is full; nothing of the file is left.
     * @throws IOException      if the file exists or cannot be written; nothing is left of what was made here.
     */
    SegmentFile create(String name, long length) throws IOException;

    /**
     * Opens a file that exists. Anything but a regular file is refused; links are not followed.
     *
     * @param name   of the file.
     * @param access what the file is opened for.
     * @return the open file.
     * @throws IOException if it is absent, is no regular file or cannot be opened.
     */
    SegmentFile open(String name, Access access) throws IOException;

    /**
     * Renames a file to a name that is absent. Durable only after {@link #force()}.
     *
     * @param from present name.
     * @param to   new name.
     * @throws IOException if the new name is taken or the file cannot be renamed; it keeps its name.
     */
    void rename(String from, String to) throws IOException;

    /**
     * Deletes a file. Durable only after {@link #force()}.
     *
     * @param name of the file; it is no error if there is none.
     * @throws IOException if the file cannot be deleted.
     */
    void delete(String name) throws IOException;

    /**
     * Forces the directory: creations, renames and deletions made before survive a loss of power.
     *
     * @throws NotBegunException if the directory cannot be opened for it.
     * @throws IOException       if the device does not confirm it; it must not be asked again.
     */
    void force() throws IOException;

    /**
     * The store of a directory within this one, which is made if it is absent. Its name is durable only after
     * {@link #force()} of this one.
     *
     * @param name of the directory.
     * @return its store.
     * @throws IOException if it cannot be made.
     */
    SegmentStore child(String name) throws IOException;

    /**
     * A window through which one user at a time sees segments, one after another.
     *
     * @param length of the memory to begin with, in bytes, for windows that have memory of their own.
     * @return a window that is not attached to a file.
     */
    Window newWindow(int length);
}
