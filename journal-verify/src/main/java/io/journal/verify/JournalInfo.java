// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.util.List;
import java.util.UUID;

/**
 * Identity and size of a journal, and how its last writer left it. A number that is not known is -1.
 *
 * @param uuid              of the journal, which all its files carry.
 * @param segmentLength     length of each segment in bytes.
 * @param segments          number of segments in use.
 * @param preparedSegments  number of segments that were prepared in advance.
 * @param firstSequence     of the first record that was not pruned.
 * @param lastSequence      of the last record.
 * @param endPosition       where the last record ends, in bytes.
 * @param forcedPosition    durable watermark in the control file; 0 if it holds none of the current term.
 * @param isForceUnfinished whether an fsync has failed or did not return; also true while a writer is in an fsync.
 * @param isClosed          whether a writer has closed the journal, and none has opened it since.
 * @param term              number of the current term: how often the journal was opened for writing or truncated.
 * @param cutLength         bytes between the oldest and the newest record that are not part of the log: truncated, or
 *                          left by a crash.
 * @param oldestTimeMs      time of the oldest watermark frame, in milliseconds since 1970; 0 if there is none.
 * @param newestTimeMs      time of the newest watermark frame.
 * @param owner             last writer, as it described itself; empty if that is not known.
 * @param strayFiles        names that resemble a segment's but are not valid: opening refuses the journal.
 */
public record JournalInfo(
    UUID uuid, int segmentLength, int segments, int preparedSegments, long firstSequence, long lastSequence,
    long endPosition, long forcedPosition, boolean isForceUnfinished, boolean isClosed, long term, long cutLength,
    long oldestTimeMs, long newestTimeMs, String owner, List<String> strayFiles)
{
}
