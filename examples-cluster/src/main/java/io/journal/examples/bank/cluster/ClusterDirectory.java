package io.journal.examples.bank.cluster;

import java.nio.file.Path;
import java.time.Duration;

import io.journal.replicated.aeron.AeronEngine;

/**
 * The files of a bank on a cluster whose members all run on this machine. In earnest each has a machine of its own.
 *
 * @param path directory of them all.
 */
record ClusterDirectory(Path path)
{
    private static final int TERM_LENGTH = 1 << 20;
    private static final int LOG_SEGMENT_LENGTH = 4 << 20;
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(1);

    /** What Aeron needs of the JVM. */
    static final String JAVA_OPTION = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

    Path member(final int memberId)
    {
        return path.resolve("member-" + memberId);
    }

    Path memberLog(final int memberId)
    {
        return path.resolve("member-" + memberId + ".log");
    }

    Path journal(final int memberId)
    {
        return member(memberId).resolve("journal");
    }

    Path snapshots()
    {
        return path.resolve("snapshots");
    }

    /** Aeron's buffers, which are not needed once all processes have ended. */
    Path memory()
    {
        return path.resolve("memory");
    }

    AeronEngine engine(final Path memory)
    {
        return new AeronEngine().termLength(TERM_LENGTH).logSegmentLength(LOG_SEGMENT_LENGTH)
            .heartbeatTimeout(HEARTBEAT_TIMEOUT).memoryDirectory(memory);
    }
}
