package io.journal.testkit;

import java.nio.ByteBuffer;

/**
 * One call to a {@link FaultStore}, before it is made.
 *
 * @param kind   of the call.
 * @param name   of the file, after the names of the directories it is in; of a directory, its own, empty for the first.
 * @param to     the new name of a file that is to be renamed, else empty.
 * @param offset of the first byte to be read, written or forced, else 0.
 * @param length in bytes of what is to be created, read, written or forced, else 0.
 * @param bytes  to be written, else empty; valid during the call.
 */
public record StoreStep(Kind kind, String name, String to, long offset, long length, ByteBuffer bytes)
{
    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /** The calls of a store and its files. */
    public enum Kind
    {
        /** A directory is made, if it is absent. */
        MAKE_DIRECTORY,
        /** A file is created and filled with zeros. */
        CREATE,
        /** A file is opened. */
        OPEN,
        /** Bytes are read. */
        READ,
        /** Bytes are written. What is stored to mapped memory is no call. */
        WRITE,
        /** Bytes of a file are forced. */
        FORCE,
        /** A file is renamed. */
        RENAME,
        /** A file is deleted. */
        DELETE,
        /** The names in a directory are forced. */
        FORCE_DIRECTORY;

        /**
         * Whether calls of this kind can change what is stored, or what of it is safe.
         *
         * @return false for what only looks.
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
