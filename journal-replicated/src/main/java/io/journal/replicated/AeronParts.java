// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.aeron.Aeron;
import io.aeron.RethrowingErrorHandler;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.MinMulticastFlowControlSupplier;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.status.SystemCounterDescriptor;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;
import org.agrona.concurrent.NoOpLock;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * A member's parts of Aeron with their settings: media driver, archive, consensus module, service. Started and ended by
 * one thread at a time.
 */
final class AeronParts implements AutoCloseable
{
    /**
     * Long enough that a process which was stopped for a while continues. By default, Aeron's clients give up after 10
     * s.
     */
    static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(60);

    private static final long SESSION_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long ELECTION_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long CANVASS_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int MAX_SESSIONS = 64;

    private final JournalMember.Builder settings;
    private final Path directory;
    private final String host;
    private final String aeronDirectory;
    private final File markDirectory;
    private final AeronMember member;
    // A client that a part owns is also closed by that part.
    private final List<Aeron> clients = new ArrayList<>();
    private MediaDriver driver;
    private Archive archive;
    private ConsensusModule consensusModule;
    private ClusteredServiceContainer container;

    AeronParts(final JournalMember.Builder settings, final AeronMember member)
    {
        this.settings = settings;
        this.member = member;
        directory = settings.directory.engine();
        host = settings.members.host(settings.memberId);
        aeronDirectory = AeronDirectories.ofMember(settings.engine, directory);
        // Mark files are kept outside the member's directory: Aeron writes errors into them, which would fail again on
        // a full disk.
        markDirectory = new File(aeronDirectory + "-marks");
    }

    /**
     * Starts the parts. If this throws, the caller has to close.
     */
    void start(final AeronService service) throws IOException
    {
        deleteMarkFiles();
        recover();
        driver = MediaDriver.launch(driver());
        archive = Archive.launch(archive());
        consensusModule = ConsensusModule.launch(consensusModule());
        container = ClusteredServiceContainer.launch(container(service));
    }

    private void recover() throws IOException
    {
        MemberFiles.create(directory);
        final Path copyMark = MemberFiles.copyMark(directory);
        RecordingEnds.recover(MemberFiles.archive(directory), settings.isForced && !Files.exists(copyMark));
        IoUtil.deleteIfExists(copyMark.toFile());
    }

    /**
     * Removes mark files. For some seconds after a member was killed, they say that another process runs it. The caller
     * has locked the member's directory, so no other process does.
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
            .sharedIdleStrategy(settings.engine.idleStrategies.get())
            .termBufferSparseFile(true)
            .clientLivenessTimeoutNs(PAUSE_NS)
            .publicationUnblockTimeoutNs(PAUSE_NS + 1)
            .multicastFlowControlSupplier(new MinMulticastFlowControlSupplier())
            // The leader sends at the pace of the slowest follower, but waits no longer than this for a silent
            // follower.
            .flowControlReceiverTimeoutNs(settings.engine.heartbeatTimeout.toNanos() / 2)
            .warnIfDirectoryExists(false)
            .errorHandler(settings.errorHandler);
    }

    private Archive.Context archive()
    {
        // With 1, data is fsynced, and file times are not.
        final int fileSyncLevel = settings.isForced ? 1 : 0;
        final int termLength = settings.engine.termFor(settings.maxMessageLength());
        return new Archive.Context()
            .aeronDirectoryName(aeronDirectory)
            .aeron(connect(invokedClient()))
            .ownsAeronClient(true)
            .errorCounter(errors())
            .archiveDir(MemberFiles.archive(directory).toFile())
            .markFileDir(markDirectory)
            .controlChannel(Channels.archive(settings.members, settings.memberId))
            .localControlChannel("aeron:ipc?term-length=64k")
            .replicationChannel(Channels.anyPort(host))
            .recordingEventsEnabled(false)
            .segmentFileLength(settings.engine.segmentFor(termLength))
            .lowStorageSpaceThreshold(settings.engine.segmentFor(termLength))
            .fileSyncLevel(fileSyncLevel)
            .catalogFileSyncLevel(fileSyncLevel)
            .recordChecksum(new FrameChecksum())
            .replayChecksum(new FrameChecksum())
            .threadingMode(ArchiveThreadingMode.SHARED)
            .idleStrategySupplier(settings.engine.idleStrategies)
            .archiveClientContext(new AeronArchive.Context().controlResponseChannel(Channels.anyPort(host)))
            .errorHandler(member::onError);
    }

    private Aeron connect(final Aeron.Context context)
    {
        final Aeron client = Aeron.connect(context);
        clients.add(client);
        return client;
    }

    /** Settings of a client of the media driver whose owner has to invoke its conductor. */
    private Aeron.Context invokedClient()
    {
        return client().useConductorAgentInvoker(true).clientLock(NoOpLock.INSTANCE);
    }

    private Aeron.Context client()
    {
        return new Aeron.Context()
            .aeronDirectoryName(aeronDirectory)
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PAUSE_NS))
            .errorHandler(member::onError)
            .subscriberErrorHandler(RethrowingErrorHandler.INSTANCE)
            .awaitingIdleStrategy(YieldingIdleStrategy.INSTANCE);
    }

    private AtomicCounter errors()
    {
        return new AtomicCounter(driver.context().countersValuesBuffer(), SystemCounterDescriptor.ERRORS.id());
    }

    /**
     * Returns a client for a thread outside Aeron, which has to close it. A client created by the archive would have
     * the default settings: the JVM would exit if the media driver was silent for 10 seconds, as after a pause of the
     * process, or if the clock was set forward.
     */
    Aeron newClient()
    {
        return Aeron.connect(client());
    }

    AeronArchive.Context archiveClient()
    {
        return new AeronArchive.Context()
            .aeronDirectoryName(aeronDirectory)
            .lock(NoOpLock.INSTANCE)
            .controlRequestChannel("aeron:ipc?term-length=64k")
            .controlResponseChannel("aeron:ipc?term-length=64k");
    }

    private ConsensusModule.Context consensusModule()
    {
        final int termLength = settings.engine.termFor(settings.maxMessageLength());
        return new ConsensusModule.Context()
            .aeronDirectoryName(aeronDirectory)
            .aeron(connect(invokedClient().closeHandler(member::onCountersUnmapped)))
            .ownsAeronClient(true)
            .errorCounter(errors())
            .clusterDir(MemberFiles.cluster(directory).toFile())
            .markFileDir(markDirectory)
            .archiveContext(archiveClient())
            .clusterMemberId(settings.memberId)
            .clusterMembers(Channels.members(settings.members))
            .serviceCount(1)
            .ingressChannel(Channels.udp(termLength))
            .logChannel(Channels.udp(termLength))
            .replicationChannel(Channels.anyPort(host))
            .fileSyncLevel(settings.isForced ? 1 : 0)
            .appVersion(AeronEngine.appVersion(settings.version, Protocol.capacity(settings.maxRecordLength)))
            .maxConcurrentSessions(MAX_SESSIONS)
            .sessionTimeoutNs(SESSION_TIMEOUT_NS)
            .leaderHeartbeatTimeoutNs(settings.engine.heartbeatTimeout.toNanos())
            // Machines so slow that they need a long heartbeat timeout need more time for an election, too.
            .electionTimeoutNs(Math.max(ELECTION_TIMEOUT_NS, settings.engine.heartbeatTimeout.toNanos() / 2))
            .startupCanvassTimeoutNs(Math.max(CANVASS_TIMEOUT_NS, 2 * settings.engine.heartbeatTimeout.toNanos()))
            .idleStrategySupplier(settings.engine.idleStrategies)
            .errorHandler(member::onError)
            .terminationHook(() -> member.onEnd("consensus module"));
    }

    private ClusteredServiceContainer.Context container(final AeronService service)
    {
        return new ClusteredServiceContainer.Context()
            .aeronDirectoryName(aeronDirectory)
            .aeron(connect(client()))
            .ownsAeronClient(true)
            .clusterDir(MemberFiles.cluster(directory).toFile())
            .markFileDir(markDirectory)
            .archiveContext(archiveClient())
            .clusteredService(service)
            .serviceId(0)
            .appVersion(AeronEngine.appVersion(settings.version, Protocol.capacity(settings.maxRecordLength)))
            .idleStrategySupplier(settings.engine.idleStrategies)
            .errorHandler(member::onError)
            .terminationHook(() -> member.onEnd("service"));
    }

    String aeronDirectory()
    {
        return aeronDirectory;
    }

    /** Its counters must not be read any more once their memory is unmapped. */
    ConsensusModule.Context consensus()
    {
        return consensusModule.context();
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(settings.errorHandler, container, consensusModule, archive);
        CloseHelper.closeAll(settings.errorHandler, clients);
        CloseHelper.close(settings.errorHandler, driver);
        deleteMarkFiles();
    }
}
