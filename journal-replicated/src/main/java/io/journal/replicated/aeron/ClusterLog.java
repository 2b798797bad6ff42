package io.journal.replicated.aeron;

import java.nio.file.Path;

import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.RecordingDescriptorConsumer;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.RecordingLog;
import org.agrona.collections.MutableLong;

/** The recording of the cluster's log in a member's archive. */
final class ClusterLog
{
    private ClusterLog()
    {
    }

    /**
     * Deletes the files that end before a position, and before this member's newest snapshot that is complete: without
     * one, the member starts with the log's beginning.
     */
    static void truncate(final AeronArchive.Context context, final Path clusterDirectory, final long position)
    {
        try (RecordingLog recordingLog = new RecordingLog(clusterDirectory.toFile(), false);
            AeronArchive archive = AeronArchive.connect(context))
        {
            final RecordingLog.Entry snapshot =
                recordingLog.getLatestSnapshot(ConsensusModule.Configuration.SERVICE_ID);
            if (null == snapshot)
            {
                return;
            }

            final long end = Math.min(position, snapshot.logPosition);
            final long recordingId = recordingLog.findLastTermRecordingId();
            final MutableLong start = new MutableLong();
            final MutableLong newStart = new MutableLong();
            final RecordingDescriptorConsumer consumer = (controlSessionId, correlationId, id, startTimestamp,
                stopTimestamp, startPosition, stopPosition, initialTermId, segmentFileLength, termLength, mtuLength,
                sessionId, streamId, strippedChannel, originalChannel, sourceIdentity) ->
            {
                start.set(startPosition);
                newStart.set(
                    AeronArchive.segmentFileBasePosition(startPosition, end, termLength, segmentFileLength));
            };
            if (1 == archive.listRecording(recordingId, consumer) && newStart.get() > start.get())
            {
                archive.purgeSegments(recordingId, newStart.get());
            }
        }
    }
}
