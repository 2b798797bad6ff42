// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.journal;

import java.util.List;

/**
 * Figures of the journal.
 *
 * @param isFailed       whether nothing more becomes durable until the journal is reopened.
 * @param first          sequence of the oldest event that is kept.
 * @param durable        sequence of the newest event that survives a loss of power: the durable watermark.
 * @param fsyncs         number of fsyncs since the journal was opened; on a cluster, number of messages to it.
 * @param fsyncNs        total duration of the fsyncs.
 * @param longestFsyncNs duration of the longest fsync.
 * @param bytes          length of all segment files; 0 on a cluster, whose members have them.
 * @param cluster        the cluster that keeps the journal; null if this machine keeps it.
 */
public record JournalStatus(
    boolean isFailed,
    long first,
    long durable,
    long fsyncs,
    long fsyncNs,
    long longestFsyncNs,
    long bytes,
    Cluster cluster)
{
    /** The cluster: state of the connection to it, such as {@code CONNECTED}, and its last known leader. */
    public record Cluster(String state, int leaderId, List<Member> members)
    {
    }

    /**
     * A member: {@code LEADER}, {@code FOLLOWER} or {@code DOWN}, its last event, and how many durable events it lacks.
     */
    public record Member(int id, String role, long sequence, long lag)
    {
    }
}
