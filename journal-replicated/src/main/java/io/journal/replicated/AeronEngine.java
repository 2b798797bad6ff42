// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

import io.journal.JournalException;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.SemanticVersion;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Settings of Aeron Cluster, which needs {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED} on the command
 * line of the JVM, and UDP between members and writers. Not thread-safe.
 */
public final class AeronEngine
{
    private static final String PACKAGE = "jdk.internal.misc";
    private static final int MIN_TERM_LENGTH = 64 * 1024;
    private static final int MAX_TERM_LENGTH = 1024 * 1024 * 1024;
    private static final int DEFAULT_TERM_LENGTH = 8 * 1024 * 1024;
    private static final int DEFAULT_LOG_SEGMENT_LENGTH = 64 * 1024 * 1024;
    // Aeron takes an eighth of a term as the longest message, its headers included.
    private static final int TERM_OF_MESSAGE = 16;

    Duration heartbeatTimeout = Duration.ofSeconds(2);
    Supplier<IdleStrategy> idleStrategies = () -> new BackoffIdleStrategy(10, 10, 1_000, 1_000_000);
    Path memoryDirectory;
    private int termLength = DEFAULT_TERM_LENGTH;
    private int logSegmentLength = DEFAULT_LOG_SEGMENT_LENGTH;

    /**
     * Constructs settings with their defaults.
     */
    public AeronEngine()
    {
    }

    /**
     * Sets how long followers wait for a silent leader before they elect a new one. 2 seconds by default: a leader
     * whose JVM pauses for longer loses its role. Choose a longer time where members share processors with other work:
     * if their threads wait for longer than this, leaders change for no reason, and elections may not end.
     *
     * @param timeout at least 500 ms, the same for all members.
     * @return these settings.
     */
    public AeronEngine heartbeatTimeout(final Duration timeout)
    {
        if (timeout.toMillis() < 500)
        {
            throw new IllegalArgumentException("heartbeatTimeout too short: heartbeatTimeout=" + timeout);
        }

        heartbeatTimeout = timeout;
        return this;
    }

    /**
     * Sets the length of the buffers of each connection; each has three. 8 MiB by default, more if the longest message
     * needs it.
     *
     * @param length in bytes, a power of two from 64 KiB to 1 GiB, the same for all members and writers.
     * @return these settings.
     */
    public AeronEngine termLength(final int length)
    {
        if (length < MIN_TERM_LENGTH || length > MAX_TERM_LENGTH || !BitUtil.isPowerOfTwo(length))
        {
            throw new IllegalArgumentException("termLength must be a power of two from 64 KiB to 1 GiB: " + length);
        }

        termLength = length;
        return this;
    }

    /**
     * Sets the length of the files of the cluster's log. 64 MiB by default.
     *
     * @param length in bytes, a power of two, at least that of a term.
     * @return these settings.
     */
    public AeronEngine logSegmentLength(final int length)
    {
        if (!BitUtil.isPowerOfTwo(length))
        {
            throw new IllegalArgumentException("logSegmentLength must be a power of two: " + length);
        }

        logSegmentLength = length;
        return this;
    }

    /**
     * Sets how Aeron's threads, and the threads of a {@link ReplicatedJournal}, idle. By default they back off to 1 ms,
     * which costs little processor time and some latency.
     *
     * @param supplier of a new strategy for each thread.
     * @return these settings.
     */
    public AeronEngine idleStrategy(final Supplier<IdleStrategy> supplier)
    {
        idleStrategies = Objects.requireNonNull(supplier, "supplier");
        return this;
    }

    /**
     * Sets where Aeron's buffers are created: in a new directory below this directory, for each member and writer. By
     * default they are at Aeron's own place, on Linux in {@code /dev/shm}.
     *
     * @param directory on a file system in memory, for speed.
     * @return these settings.
     */
    public AeronEngine memoryDirectory(final Path directory)
    {
        memoryDirectory = Objects.requireNonNull(directory, "directory");
        return this;
    }

    /** Checks that the JVM has Aeron's flag, because Aeron's own error would not name the remedy. */
    static void checkFlag()
    {
        // Ask the module system: loading the class of the buffers without the flag would fail for good.
        final Module base = Object.class.getModule();
        if (!base.isOpen(PACKAGE, AeronEngine.class.getClassLoader().getUnnamedModule()) &&
            !base.isOpen(PACKAGE, DirectBuffer.class.getModule()))
        {
            throw new JournalException(
                "Aeron needs a flag of the JVM: start it with --add-opens java.base/" + PACKAGE + "=ALL-UNNAMED");
        }
    }

    /**
     * {@return the version that members compare} Its major number is the version of the protocol; the capacity is in
     * the rest.
     */
    static int appVersion(final int version, final int capacity)
    {
        return SemanticVersion.compose(version, capacity >>> 8, capacity & 0xFF);
    }

    static int capacity(final int appVersion)
    {
        return SemanticVersion.minor(appVersion) << 8 | SemanticVersion.patch(appVersion);
    }

    int termFor(final int maxMessageLength)
    {
        return Math.max(termLength, BitUtil.findNextPositivePowerOfTwo(maxMessageLength * TERM_OF_MESSAGE));
    }

    int segmentFor(final int logTermLength)
    {
        return Math.max(logSegmentLength, logTermLength);
    }
}
