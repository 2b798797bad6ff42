// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.aeron.Aeron;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ArchiveException;
import io.aeron.cluster.ClusterControl;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.RecordingLog;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.cluster.client.ClusterException;
import io.aeron.cluster.service.Cluster;
import io.aeron.exceptions.AeronException;
import io.aeron.logbuffer.FrameDescriptor;
import io.journal.JournalException;
import org.agrona.CloseHelper;
import org.agrona.collections.MutableLong;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * A member: its parts of Aeron, all in this process. They end together, even if only one fails.
 */
final class AeronMember implements Member
{
    // Aeron gives these errors no code of their own. Other errors pass, or are not about this member's files: a replay
    // has no listener, or another member asks for a replay from the middle of a frame.
    private static final List<String> DAMAGES = List.of(
        "CRC checksum mismatch", "unexpected end of recording", "recording segment not found",
        "recording segment file not created", "is less than recording start position");

    private final JournalMember.Builder settings;
    private final Path directory;
    private final AeronService service;
    private final AeronParts parts;
    // Held while the parts start or end. A failure during the start waits until all parts are there and then ends them;
    // a second close waits for the first.
    private final Object lifecycle = new Object();
    // Held while counters are read, and to forbid reading before their memory is unmapped.
    private final Object counters = new Object();
    private boolean areCountersMapped = true;
    private volatile Throwable lastError;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean isClosed;

    AeronMember(final JournalMember.Builder settings, final JournalMachine machine)
    {
        Channels.checkPorts(settings.members, settings.memberId);
        this.settings = settings;
        directory = settings.directory.engine();
        service = new AeronService(machine, this::fail);
        parts = new AeronParts(settings, this);
        synchronized (lifecycle)
        {
            try
            {
                parts.start(service);
            }
            catch (final Throwable ex)
            {
                isClosed = true;
                CloseHelper.quietClose(parts);
                throw ex instanceof final JournalException failed ? failed : new JournalException(
                    "cannot start the member: memberId=" + settings.memberId + ", directory=" + directory +
                        "; cause=" + ex.getMessage(),
                    ex);
            }
        }
    }

    /**
     * Ends the member for errors that leave a part of Aeron running without the member's work: it would neither take
     * part nor be missed. Any thread may call this.
     */
    void onError(final Throwable ex)
    {
        if (ex instanceof ClusterException && String.valueOf(ex.getMessage()).contains("incompatible version"))
        {
            fail(new JournalException(
                "the other members, or the cluster's log, are of another version of the protocol: version=" +
                    settings.version + "; run the same version of the library everywhere; cause=" + ex.getMessage(),
                ex));
        }
        else if (isOfStorage(ex))
        {
            fail(ex);
        }
        else if (isOfDamage(ex))
        {
            fail(new JournalException(
                "the member's log or snapshot is damaged, or the others have pruned what follows it: directory=" +
                    directory + "; move the member's directory away and seed it from another member; cause=" +
                    ex.getMessage(),
                ex));
        }
        else
        {
            if (!(ex instanceof AeronException warning) || AeronException.Category.WARN != warning.category())
            {
                lastError = ex;
            }
            settings.errorHandler.onError(ex);
        }
    }

    private static boolean isOfStorage(final Throwable ex)
    {
        // Accesses to mapped files fail with an InternalError.
        return ex instanceof InternalError || ex instanceof IOException ||
            ex instanceof ArchiveException failed && ArchiveException.STORAGE_SPACE == failed.errorCode() ||
            null != ex.getCause() && isOfStorage(ex.getCause());
    }

    /** {@return whether every further election or start would fail with the same error} */
    static boolean isOfDamage(final Throwable ex)
    {
        return ex instanceof ArchiveException && DAMAGES.stream().anyMatch(String.valueOf(ex.getMessage())::contains);
    }

    /** Called when a part of Aeron has ended by itself. */
    void onEnd(final String part)
    {
        final Throwable error = lastError;
        fail(new JournalException("Aeron's " + part + " ended: last error=" + error, error));
    }

    /**
     * Called before the memory of the counters is unmapped, also if Aeron's client ends by itself. Reading a counter
     * later would crash the JVM.
     */
    void onCountersUnmapped()
    {
        synchronized (counters)
        {
            areCountersMapped = false;
        }
    }

    /**
     * Any thread may fail the member. The member closes on another thread, because Aeron's threads cannot close the
     * parts that they belong to.
     */
    @Override
    public void fail(final Throwable ex)
    {
        if (!isClosed && failure.compareAndSet(null, ex))
        {
            settings.errorHandler.onError(
                new JournalException("the member ends: memberId=" + settings.memberId + "; cause=" + ex, ex));
            new Thread(this::close, "journal-member-end").start();
        }
    }

    @Override
    public boolean isLeader()
    {
        return read(() -> Cluster.Role.LEADER == Cluster.Role.get(parts.consensus().clusterNodeRoleCounter()), false);
    }

    private <T> T read(final Supplier<T> counter, final T whenClosed)
    {
        synchronized (counters)
        {
            return areCountersMapped ? counter.get() : whenClosed;
        }
    }

    @Override
    public int leaderId()
    {
        return isClosed ? JournalMember.NO_LEADER : service.leaderId();
    }

    @Override
    public long commitPosition()
    {
        return read(() -> Math.max(0, parts.consensus().commitPositionCounter().get()), 0L);
    }

    @Override
    public boolean requestSnapshot()
    {
        return isLeader() && read(this::toggleSnapshot, false);
    }

    private boolean toggleSnapshot()
    {
        final AtomicCounter toggle = ClusterControl.findControlToggle(
            parts.consensus().aeron().countersReader(), parts.consensus().clusterId());
        return null != toggle && ClusterControl.ToggleState.SNAPSHOT.toggle(toggle);
    }

    @Override
    public void truncateLog(final long logPosition)
    {
        if (!isClosed)
        {
            try (Aeron client = newClient())
            {
                truncateLog(
                    parts.archiveClient().aeron(client).ownsAeronClient(false).errorHandler(this::onError),
                    logPosition);
            }
        }
    }

    /**
     * Deletes the files of the log that end before a position and before this member's newest complete snapshot,
     * because without a snapshot the member starts at the beginning of the log. Deletes all older snapshots as well. If
     * the process is killed meanwhile, the next start deletes the files that are left.
     */
    private void truncateLog(final AeronArchive.Context context, final long position)
    {
        try (RecordingLog recordingLog = new RecordingLog(MemberFiles.cluster(directory).toFile(), false);
            AeronArchive archive = AeronArchive.connect(context))
        {
            final RecordingLog.Entry snapshot =
                recordingLog.getLatestSnapshot(ConsensusModule.Configuration.SERVICE_ID);
            final RecordingLog.Entry ofService = recordingLog.getLatestSnapshot(0);
            if (null == snapshot || null == ofService)
            {
                return;
            }

            // From here on, a start depends on these files alone, so they must survive a power loss.
            recordingLog.force(1);
            MemberFiles.force(directory, snapshot.recordingId, ofService.recordingId);
            purge(
                archive, recordingLog.findLastTermRecordingId(), Math.min(position, snapshot.logPosition),
                Math.min(snapshot.recordingId, ofService.recordingId));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot fsync a snapshot: directory=" + directory, ex);
        }
    }

    /**
     * Recordings are numbered in the order in which they begin: a recording with a lower number than the newest
     * snapshot, other than the log, is an older snapshot or a part of a snapshot that was never completed.
     */
    private static void purge(
        final AeronArchive archive, final long logId, final long logPosition, final long snapshotId)
    {
        final MutableLong logStart = new MutableLong();
        final List<Long> snapshots = new ArrayList<>();
        archive.listRecordings(0, Integer.MAX_VALUE, (controlSessionId, correlationId, id, startTimestamp,
            stopTimestamp, startPosition, stopPosition, initialTermId, segmentFileLength, termLength, mtuLength,
            sessionId, streamId, strippedChannel, originalChannel, sourceIdentity) ->
        {
            if (id == logId)
            {
                logStart.set(AeronArchive.segmentFileBasePosition(
                    startPosition, logPosition, termLength, segmentFileLength));
            }
            else if (id < snapshotId && Aeron.NULL_VALUE != stopPosition)
            {
                snapshots.add(id);
            }
        });
        if (logStart.get() > archive.getStartPosition(logId))
        {
            archive.purgeSegments(logId, logStart.get());
        }
        snapshots.forEach(archive::purgeRecording);
    }

    Aeron newClient()
    {
        return parts.newClient();
    }

    @Override
    public Proposer connect(final Proposer.Replies replies)
    {
        return new AeronProposer(
            settings.engine, settings.members, settings.engine.termFor(settings.maxMessageLength()),
            settings.errorHandler, replies,
            parts.aeronDirectory());
    }

    /**
     * {@return the length in bytes of the longest message that a member's log takes, which depends on the settings of
     * its first leader; {@link Integer#MAX_VALUE} if there is no log yet}
     */
    static int maxMessageLength(final Path engineDirectory)
    {
        final int termLength = RecordingEnds.termLengthOfLog(MemberFiles.archive(engineDirectory));
        return 0 == termLength ? Integer.MAX_VALUE :
            FrameDescriptor.computeMaxMessageLength(termLength) - AeronCluster.SESSION_HEADER_LENGTH;
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
            if (!isClosed)
            {
                isClosed = true;
                parts.close();
            }
        }
    }
}
