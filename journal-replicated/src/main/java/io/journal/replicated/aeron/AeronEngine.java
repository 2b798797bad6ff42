package io.journal.replicated.aeron;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

import io.aeron.cluster.client.AeronCluster;
import io.aeron.logbuffer.FrameDescriptor;
import io.journal.replicated.spi.Engine;
import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.MemberOptions;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Problems;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.StateMachine;
import org.agrona.BitUtil;
import org.agrona.ErrorHandler;
import org.agrona.SemanticVersion;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Aeron Cluster. It needs {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED} on the command line of the JVM,
 * and UDP between members and writers.
 */
public final class AeronEngine implements Engine
{
    private static final int MIN_TERM_LENGTH = 64 * 1024;
    private static final int MAX_TERM_LENGTH = 1024 * 1024 * 1024;
    private static final int DEFAULT_TERM_LENGTH = 8 * 1024 * 1024;
    private static final int DEFAULT_LOG_SEGMENT_LENGTH = 64 * 1024 * 1024;
    // Aeron takes an eighth of a term as the longest message, its headers included.
    private static final int TERM_OF_MESSAGE = 16;

    Duration heartbeatTimeout = Duration.ofSeconds(2);
    Supplier<IdleStrategy> idleStrategies = () -> new BackoffIdleStrategy(10, 10, 1_000, 1_000_000);
    // Throws nothing: Aeron's threads would end, one by one, while their member seems to take part.
    ErrorHandler errorHandler = Problems.guarded(Problems.LOGGED);
    Path memoryDirectory;
    private int termLength = DEFAULT_TERM_LENGTH;
    private int logSegmentLength = DEFAULT_LOG_SEGMENT_LENGTH;

    /**
     * Constructs an engine with its defaults.
     */
    public AeronEngine()
    {
    }

    /**
     * Sets how long followers wait for a silent leader before they elect another one. 2 seconds by default: a leader
     * whose JVM pauses for longer loses its role. Choose longer where members share processors with other work: if
     * their threads wait for longer than this, leaders change for no reason, and elections may not end.
     *
     * @param timeout at least 500 ms, the same for all members.
     * @return this engine.
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
     * @return this engine.
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
     * @return this engine.
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
     * Sets how Aeron's threads idle. By default they back off to 1 ms, which costs little of a processor and some
     * latency.
     *
     * @param supplier of a new strategy for each thread.
     * @return this engine.
     */
    public AeronEngine idleStrategy(final Supplier<IdleStrategy> supplier)
    {
        idleStrategies = Objects.requireNonNull(supplier, "supplier");
        return this;
    }

    /**
     * Sets where Aeron's buffers are created: in a new directory below this one, for each member and writer. By default
     * where Aeron puts them, on Linux in {@code /dev/shm}.
     *
     * @param directory on a file system in memory, for speed.
     * @return this engine.
     */
    public AeronEngine memoryDirectory(final Path directory)
    {
        memoryDirectory = Objects.requireNonNull(directory, "directory");
        return this;
    }

    /**
     * Sets the handler for errors in the background. By default they are logged.
     *
     * @param handler called by any thread. What it throws is logged.
     * @return this engine.
     */
    public AeronEngine errorHandler(final ErrorHandler handler)
    {
        errorHandler = Problems.guarded(Objects.requireNonNull(handler, "handler"));
        return this;
    }

    @Override
    public void check()
    {
        Requirements.checkFlag();
    }

    @Override
    public Member start(final MemberOptions options, final StateMachine machine)
    {
        Requirements.checkPorts(options.members(), options.memberId());
        return new AeronMember(this, options, machine);
    }

    @Override
    public Proposer connect(final Members members, final int maxMessageLength, final Replies replies)
    {
        return new AeronProposer(this, members, termFor(maxMessageLength), replies, null);
    }

    @Override
    public int maxMessageLength(final Path directory)
    {
        final int logTermLength = RecordingEnds.termLengthOfLog(MemberFiles.archive(directory));
        return 0 == logTermLength ? Integer.MAX_VALUE :
            FrameDescriptor.computeMaxMessageLength(logTermLength) - AeronCluster.SESSION_HEADER_LENGTH;
    }

    @Override
    public void copy(final Path source, final Path target) throws IOException
    {
        MemberFiles.copy(source, target);
    }

    /** What members check of each other, in Aeron's terms: the version as the major one, then the capacity. */
    static int appVersion(final MemberOptions options)
    {
        return SemanticVersion.compose(options.version(), options.capacity() >>> 8, options.capacity() & 0xFF);
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
