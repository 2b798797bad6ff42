package io.journal.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * How a journal reads and writes its files. All backends share one format: each reads what any other wrote.
 */
public enum Backend
{
    /** Frames are composed in the mapped segment, without a write call; a force is an {@code msync} of the range. */
    MAPPED
    {
        @Override
        public SegmentStore store(final Path directory)
        {
            return new DirectoryStore(
                directory, (path, access) -> new ChannelFile(path, access, true), (length) -> new MappedWindow());
        }
    },

    /** Positional writes of a {@link java.nio.channels.FileChannel} from direct memory; a force is an fdatasync. */
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

    /** Seek and write of a {@link java.io.RandomAccessFile} from heap memory; a force is an fdatasync. */
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
     * Returns the store of a directory for this backend. Opens and creates no file.
     *
     * @param directory of the journal.
     * @return the store.
     */
    public abstract SegmentStore store(Path directory);
}
