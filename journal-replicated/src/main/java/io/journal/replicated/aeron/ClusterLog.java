package io.journal.replicated.aeron;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.aeron.Aeron;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.RecordingDescriptorConsumer;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.RecordingLog;
import io.journal.JournalException;
import org.agrona.collections.LongHashSet;
import org.agrona.collections.MutableLong;

/** The recordings of the cluster's log and of snapshots in a member's archive. */
final class ClusterLog
{
    private ClusterLog()
    {
    }

    /**
     * Deletes the log's files that end before a position, and before this member's newest snapshot that is complete:
     * without one, the member starts with the log's beginning. Deletes all older snapshots as well. A process that is
     * killed meanwhile leaves files that the next start deletes.
     */
    static void truncate(final AeronArchive.Context context, final Path directory, final long position)
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

            // A start depends on these alone from here on, so a loss of power must not take them.
            recordingLog.force(1);
            MemberFiles.force(directory, snapshot.recordingId, ofService.recordingId);
            truncateLog(
                archive, recordingLog.findLastTermRecordingId(), Math.min(position, snapshot.logPosition));
            purge(archive, recordingLog, Math.min(snapshot.recordingId, ofService.recordingId));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot fsync a snapshot: directory=" + directory, ex);
        }
    }

    private static void truncateLog(final AeronArchive archive, final long recordingId, final long end)
    {
        final MutableLong start = new MutableLong();
        final MutableLong newStart = new MutableLong();
        final RecordingDescriptorConsumer consumer = (controlSessionId, correlationId, id, startTimestamp,
            stopTimestamp, startPosition, stopPosition, initialTermId, segmentFileLength, termLength, mtuLength,
            sessionId, streamId, strippedChannel, originalChannel, sourceIdentity) ->
        {
            start.set(startPosition);
            newStart.set(AeronArchive.segmentFileBasePosition(startPosition, end, termLength, segmentFileLength));
        };
        if (1 == archive.listRecording(recordingId, consumer) && newStart.get() > start.get())
        {
            archive.purgeSegments(recordingId, newStart.get());
        }
    }

    /**
     * Recordings are numbered in the order in which they begin: what is older than the newest snapshot and not the log
     * is an older snapshot, or a part of one that was never completed.
     */
    private static void purge(
        final AeronArchive archive, final RecordingLog recordingLog, final long firstRecordingId)
    {
        final LongHashSet logs = new LongHashSet();
        for (final RecordingLog.Entry entry : recordingLog.entries())
        {
            if (RecordingLog.ENTRY_TYPE_TERM == entry.type)
            {
                logs.add(entry.recordingId);
            }
        }

        final List<Long> old = new ArrayList<>();
        archive.listRecordings(0, Integer.MAX_VALUE, (controlSessionId, correlationId, id, startTimestamp,
            stopTimestamp, startPosition, stopPosition, initialTermId, segmentFileLength, termLength, mtuLength,
            sessionId, streamId, strippedChannel, originalChannel, sourceIdentity) ->
        {
            if (id < firstRecordingId && Aeron.NULL_VALUE != stopPosition && !logs.contains(id))
            {
                old.add(id);
            }
        });
        old.forEach(archive::purgeRecording);
    }
}
