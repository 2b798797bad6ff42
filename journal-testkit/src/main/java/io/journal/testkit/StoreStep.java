// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.nio.ByteBuffer;

/**
 * One call to a {@link FaultStore}, before it is executed.
 *
 * @param kind   of the call.
 * @param name   of the file or directory, preceded by the names of its parent directories; empty for the journal's own
 *               directory.
 * @param to     new name of the file, for a rename, else empty.
 * @param offset of the first byte to read, write or force, else 0.
 * @param length in bytes of what is created, read, written or forced, else 0.
 * @param bytes  to write, else empty; valid during the call.
 */
public record StoreStep(Kind kind, String name, String to, long offset, long length, ByteBuffer bytes)
{
    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /** The kinds of calls to a store and its files. */
    public enum Kind
    {
        /** A directory is created, if it is absent. */
        MAKE_DIRECTORY,
        /** A file is created and filled with zeros. */
        CREATE,
        /** A file is opened. */
        OPEN,
        /** Bytes are read. */
        READ,
        /** Bytes are written. Stores to mapped memory are not calls. */
        WRITE,
        /** A range of a file is fsynced. */
        FORCE,
        /** A file is renamed. */
        RENAME,
        /** A file is deleted. */
        DELETE,
        /** A directory is fsynced. */
        FORCE_DIRECTORY;

        /**
         * Whether calls of this kind can change files, or make changes durable.
         *
         * @return false for calls that only open or read.
         */
        public boolean isChange()
        {
            return OPEN != this && READ != this;
        }
    }

    static StoreStep of(final Kind kind, final String name, final long offset, final long length)
    {
        return new StoreStep(kind, name, "", offset, length, NO_BYTES);
    }

    static StoreStep rename(final String from, final String to)
    {
        return new StoreStep(Kind.RENAME, from, to, 0, 0, NO_BYTES);
    }

    static StoreStep write(final String name, final long offset, final ByteBuffer source)
    {
        return new StoreStep(Kind.WRITE, name, "", offset, source.remaining(), source.slice().asReadOnlyBuffer());
    }
}
