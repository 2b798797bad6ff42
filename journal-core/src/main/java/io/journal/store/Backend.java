package io.journal.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * How a journal's bytes reach its files. Every backend reads what any other wrote: the bytes are the same.
 */
public enum Backend
{
    /** Frames are composed in the mapped segment: nothing to write, and a force is an {@code msync} of the range. */
    MAPPED
    {
        @Override
        public SegmentStore store(final Path directory)
        {
            return new DirectoryStore(
                directory, (path, access) -> new ChannelFile(path, access, true), (length) -> new MappedWindow());
        }
    },

    /** Positional writes of a {@link java.nio.channels.FileChannel} from direct memory, forced with fdatasync. */
    FILE_CHANNEL
    {
        @Override
        public SegmentStore store(final Path directory)
        {
            return new DirectoryStore(
                directory,
                (path, access) -> new ChannelFile(path, access, false),
                (length) -> new StagingWindow(length, ByteBuffer::allocateDirect));
        }
    },

    /** Seek and write of a {@link java.io.RandomAccessFile} from heap memory, forced with fdatasync. */
    RANDOM_ACCESS_FILE
    {
        @Override
        public SegmentStore store(final Path directory)
        {
            return new DirectoryStore(
                directory, PlainFile::new, (length) -> new StagingWindow(length, ByteBuffer::allocate));
        }
    };

    /**
     * The files of a directory, seen through this backend. Opens and creates nothing.
     *
     * @param directory of the journal.
     * @return the store.
     */
    public abstract SegmentStore store(Path directory);
}
