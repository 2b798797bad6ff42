package io.journal.replicated.aeron;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ArchiveException;
import io.aeron.cluster.ClusterControl;
import io.aeron.cluster.ClusteredMediaDriver;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.client.ClusterException;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.MinMulticastFlowControlSupplier;
import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.AeronException;
import io.journal.JournalException;
import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.MemberOptions;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Role;
import io.journal.replicated.spi.StateMachine;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.NoOpLock;
import org.agrona.concurrent.status.CountersReader;

/**
 * A member's parts of Aeron, all in this process: media driver, archive, consensus module, and the service. They end
 * together, also if one of them fails.
 */
final class AeronMember implements Member
{
    private static final long SESSION_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long ELECTION_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long CANVASS_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    // A process that was stopped for a while continues; by default Aeron's clients give up after 10 seconds.
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int MAX_SESSIONS = 64;

    private final AeronEngine engine;
    private final MemberOptions options;
    private final AeronService service;
    private final String host;
    private final String aeronDirectory;
    private final File markDirectory;
    private final Path archiveDirectory;
    private final Path clusterDirectory;
    private final ClusteredMediaDriver driver;
    private final ClusteredServiceContainer container;
    // Held to start and to end the parts: a failure while they start ends them once all are there, and a second close
    // waits for the first.
    private final Object lifecycle = new Object();
    private volatile Throwable lastError;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    AeronMember(final AeronEngine engine, final MemberOptions options, final StateMachine machine)
    {
        this.engine = engine;
        this.options = options;
        service = new AeronService(machine, this::onFailure);
        host = options.members().host(options.memberId());
        aeronDirectory = AeronDirectories.of(engine, options.directory());
        archiveDirectory = MemberFiles.archive(options.directory());
        clusterDirectory = MemberFiles.cluster(options.directory());
        // Not in the member's directory: an error is noted in them, and without space that would be one more.
        markDirectory = new File(aeronDirectory + "-marks");
        deleteMarkFiles();
        RecordingEnds.recover(archiveDirectory);

        synchronized (lifecycle)
        {
            ClusteredMediaDriver launched = null;
            try
            {
                launched = ClusteredMediaDriver.launch(driver(), archive(), consensusModule());
                container = ClusteredServiceContainer.launch(serviceContainer());
            }
            catch (final Exception ex)
            {
                isClosed.set(true);
                CloseHelper.quietClose(launched);
                throw new JournalException(
                    "cannot start the member: memberId=" + options.memberId() + ", directory=" + options.directory() +
                        "; cause=" + ex.getMessage(),
                    ex);
            }
            driver = launched;
        }
    }

    /**
     * Mark files tell that another process runs this member, for some seconds after it was killed. The caller has
     * locked the member's directory, so there is none.
     */
    private void deleteMarkFiles()
    {
        IoUtil.delete(markDirectory, true);
    }

    private MediaDriver.Context driver()
    {
        return new MediaDriver.Context()
            .aeronDirectoryName(aeronDirectory)
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .threadingMode(ThreadingMode.SHARED)
            .sharedIdleStrategy(engine.idleStrategies.get())
            .termBufferSparseFile(true)
            .clientLivenessTimeoutNs(PAUSE_NS)
            .publicationUnblockTimeoutNs(PAUSE_NS + 1)
            .multicastFlowControlSupplier(new MinMulticastFlowControlSupplier())
            // The leader sends at the pace of the slowest follower, but waits for a silent one no longer than this.
            .flowControlReceiverTimeoutNs(engine.heartbeatTimeout.toNanos() / 2)
            .warnIfDirectoryExists(false)
            .errorHandler(engine.errorHandler);
    }

    private Archive.Context archive()
    {
        // Forced: data and, by 1, not the file's times.
        final int fileSyncLevel = options.isForced() ? 1 : 0;
        final int termLength = engine.termFor(options.maxMessageLength());
        return new Archive.Context()
            .aeronDirectoryName(aeronDirectory)
            .archiveDir(archiveDirectory.toFile())
            .markFileDir(markDirectory)
            .controlChannel(Channels.archive(options.members(), options.memberId()))
            .localControlChannel("aeron:ipc?term-length=64k")
            .replicationChannel(Channels.anyPort(host))
            .recordingEventsEnabled(false)
            .segmentFileLength(engine.segmentFor(termLength))
            .lowStorageSpaceThreshold(engine.segmentFor(termLength))
            .fileSyncLevel(fileSyncLevel)
            .catalogFileSyncLevel(fileSyncLevel)
            .recordChecksum(new FrameChecksum())
            .replayChecksum(new FrameChecksum())
            .threadingMode(ArchiveThreadingMode.SHARED)
            .idleStrategySupplier(engine.idleStrategies)
            .archiveClientContext(new AeronArchive.Context().controlResponseChannel(Channels.anyPort(host)))
            .errorHandler(this::onError);
    }

    private AeronArchive.Context archiveClient()
    {
        return new AeronArchive.Context()
            .aeronDirectoryName(aeronDirectory)
            .lock(NoOpLock.INSTANCE)
            .controlRequestChannel("aeron:ipc?term-length=64k")
            .controlResponseChannel("aeron:ipc?term-length=64k");
    }

    private ConsensusModule.Context consensusModule()
    {
        final int termLength = engine.termFor(options.maxMessageLength());
        return new ConsensusModule.Context()
            .aeronDirectoryName(aeronDirectory)
            .clusterDir(clusterDirectory.toFile())
            .markFileDir(markDirectory)
            .archiveContext(archiveClient())
            .clusterMemberId(options.memberId())
            .clusterMembers(Channels.members(options.members()))
            .serviceCount(1)
            .ingressChannel(Channels.udp(termLength))
            .logChannel(Channels.udp(termLength))
            .replicationChannel(Channels.anyPort(host))
            .fileSyncLevel(options.isForced() ? 1 : 0)
            .appVersion(AeronEngine.appVersion(options))
            .maxConcurrentSessions(MAX_SESSIONS)
            .sessionTimeoutNs(SESSION_TIMEOUT_NS)
            .leaderHeartbeatTimeoutNs(engine.heartbeatTimeout.toNanos())
            // On machines so slow that they need a long heartbeat timeout, an election takes its time as well.
            .electionTimeoutNs(Math.max(ELECTION_TIMEOUT_NS, engine.heartbeatTimeout.toNanos() / 2))
            .startupCanvassTimeoutNs(Math.max(CANVASS_TIMEOUT_NS, 2 * engine.heartbeatTimeout.toNanos()))
            .idleStrategySupplier(engine.idleStrategies)
            .errorHandler(this::onError)
            .terminationHook(() -> onEnd("consensus module"));
    }

    private ClusteredServiceContainer.Context serviceContainer()
    {
        return new ClusteredServiceContainer.Context()
            .aeronDirectoryName(aeronDirectory)
            .clusterDir(clusterDirectory.toFile())
            .markFileDir(markDirectory)
            .archiveContext(archiveClient())
            .clusteredService(service)
            .serviceId(0)
            .appVersion(AeronEngine.appVersion(options))
            .idleStrategySupplier(engine.idleStrategies)
            .errorHandler(this::onError)
            .terminationHook(() -> onEnd("service"));
    }

    /**
     * Errors that leave a part of Aeron running, but not as a member: it would neither take part nor be missed.
     */
    private void onError(final Throwable ex)
    {
        if (ex instanceof ClusterException && String.valueOf(ex.getMessage()).contains("incompatible version"))
        {
            onFailure(new JournalException(
                "the other members, or the cluster's log, are of another version of the protocol: version=" +
                    options.version() + "; run the same version of the library everywhere; cause=" + ex.getMessage(),
                ex));
        }
        else if (isOfStorage(ex))
        {
            onFailure(ex);
        }
        else
        {
            if (!(ex instanceof AeronException warning) || AeronException.Category.WARN != warning.category())
            {
                lastError = ex;
            }
            engine.errorHandler.onError(ex);
        }
    }

    private static boolean isOfStorage(final Throwable ex)
    {
        // Mapped files fail with an InternalError.
        return ex instanceof InternalError || ex instanceof IOException ||
            ex instanceof ArchiveException failed && ArchiveException.STORAGE_SPACE == failed.errorCode() ||
            null != ex.getCause() && isOfStorage(ex.getCause());
    }

    private void onEnd(final String part)
    {
        final Throwable error = lastError;
        onFailure(new JournalException("Aeron's " + part + " ended: last error=" + error, error));
    }

    /**
     * The first failure ends the member: a thread of Aeron's cannot close what it belongs to.
     */
    private void onFailure(final Throwable ex)
    {
        if (!isClosed.get() && failure.compareAndSet(null, ex))
        {
            engine.errorHandler.onError(
                new JournalException("the member ends: memberId=" + options.memberId() + "; cause=" + ex, ex));
            new Thread(this::close, "journal-member-end").start();
        }
    }

    @Override
    public Role role()
    {
        return isClosed.get() ? Role.FOLLOWER :
            AeronService.role(Cluster.Role.get(driver.consensusModule().context().clusterNodeRoleCounter()));
    }

    @Override
    public int leaderId()
    {
        return isClosed.get() ? Members.NONE : service.leaderId();
    }

    @Override
    public long commitPosition()
    {
        return isClosed.get() ? 0 : Math.max(0, driver.consensusModule().context().commitPositionCounter().get());
    }

    @Override
    public boolean requestSnapshot()
    {
        if (Role.LEADER != role())
        {
            return false;
        }

        final CountersReader counters = driver.consensusModule().context().aeron().countersReader();
        final AtomicCounter toggle =
            ClusterControl.findControlToggle(counters, driver.consensusModule().context().clusterId());
        return null != toggle && ClusterControl.ToggleState.SNAPSHOT.toggle(toggle);
    }

    @Override
    public void truncateLog(final long logPosition)
    {
        if (!isClosed.get())
        {
            ClusterLog.truncate(archiveClient(), options.directory(), logPosition);
        }
    }

    @Override
    public Proposer connect(final Replies replies)
    {
        return new AeronProposer(
            engine, options.members(), engine.termFor(options.maxMessageLength()), replies, aeronDirectory);
    }

    @Override
    public Throwable failure()
    {
        return failure.get();
    }

    @Override
    public void close()
    {
        synchronized (lifecycle)
        {
            if (isClosed.compareAndSet(false, true))
            {
                CloseHelper.closeAll(engine.errorHandler, container, driver);
                deleteMarkFiles();
            }
        }
    }
}
