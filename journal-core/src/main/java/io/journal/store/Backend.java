// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * How a journal reads and writes its files. All backends share one format: each reads what any other wrote.
 */
public enum Backend
{
    /** Copies into the mapped segment, without a write call; a force is an {@code msync} of the range. */
    MAPPED(SegmentStore.Memory.MAPPED, () -> ChannelFile::new),

    /** Positional writes of a {@link java.nio.channels.FileChannel} from direct memory; a force is an fdatasync. */
    FILE_CHANNEL(SegmentStore.Memory.DIRECT, () -> ChannelFile::new),

    /** Seek and write of a {@link java.io.RandomAccessFile} from heap memory; a force is an fdatasync. */
    RANDOM_ACCESS_FILE(SegmentStore.Memory.HEAP, () -> PlainFile::new),

    /**
     * Direct I/O ({@code O_DIRECT}): records are written in whole blocks, past the page cache; a force is an fdatasync,
     * which then has nothing to write. All else is read and written as by {@link #FILE_CHANNEL}. Suits records that are
     * forced, because each write waits for the device. Unless the journal's write window is set to 0, records share
     * writes.
     * <p>
     * Needs Linux and a file system that supports it. Elsewhere opening a journal throws an exception whose cause is
     * {@link SegmentStore.UnsupportedFileSystemException}, and creates nothing.
     */
    DIRECT(SegmentStore.Memory.DIRECT, DirectFiles::new);

    private final SegmentStore.Memory memory;
    private final Supplier<DirectoryStore.FileOpener> openers;

    Backend(final SegmentStore.Memory memory, final Supplier<DirectoryStore.FileOpener> openers)
    {
        this.memory = memory;
        this.openers = openers;
    }

    /**
     * Returns the store of a directory for this backend. Opens and creates no file.
     *
     * @param directory of the journal.
     * @return the store.
     */
    public SegmentStore store(final Path directory)
    {
        return new DirectoryStore(directory, openers.get(), memory);
    }
}
