package io.journal.store;

import java.nio.file.Path;

/**
 * How a journal reads and writes its files. All backends share one format: each reads what any other wrote.
 */
public enum Backend
{
    /** Frames are composed in the mapped segment, without a write call; a force is an {@code msync} of the range. */
    MAPPED(SegmentStore.Memory.MAPPED, (path, access) -> new ChannelFile(path, access, true)),

    /** Positional writes of a {@link java.nio.channels.FileChannel} from direct memory; a force is an fdatasync. */
    FILE_CHANNEL(SegmentStore.Memory.DIRECT, (path, access) -> new ChannelFile(path, access, false)),

    /** Seek and write of a {@link java.io.RandomAccessFile} from heap memory; a force is an fdatasync. */
    RANDOM_ACCESS_FILE(SegmentStore.Memory.HEAP, PlainFile::new);

    private final SegmentStore.Memory memory;
    private final DirectoryStore.FileOpener opener;

    Backend(final SegmentStore.Memory memory, final DirectoryStore.FileOpener opener)
    {
        this.memory = memory;
        this.opener = opener;
    }

    /**
     * Returns the store of a directory for this backend. Opens and creates no file.
     *
     * @param directory of the journal.
     * @return the store.
     */
    public SegmentStore store(final Path directory)
    {
        return new DirectoryStore(directory, opener, memory);
    }
}
