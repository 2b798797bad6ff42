package io.journal.peers;

import java.nio.file.Path;

/**
 * What a case asks of a peer.
 *
 * @param directory     of its files, on the measured disk.
 * @param memory        a directory in memory, for peers that share memory between processes.
 * @param segmentLength of its files, where they have a fixed length: a power of two.
 * @param recordLength  of every record of the case.
 * @param workload      that it is opened for, since some peers must be set up for durable appends or several threads.
 */
record PeerSettings(Path directory, Path memory, int segmentLength, int recordLength, Workload workload)
{
    PeerSettings withDirectory(final String name)
    {
        return new PeerSettings(
            directory.resolve(name), memory.resolve(name), segmentLength, recordLength, workload);
    }
}
