package io.journal.examples.bank.journal;

import java.util.List;

/**
 * Figures of the journal.
 *
 * @param first          sequence of the oldest event that is kept.
 * @param durable        sequence of the newest event that survives a loss of power: the durable watermark.
 * @param fsyncs         number of fsyncs since the journal was opened; of messages to the cluster, if there is one.
 * @param fsyncNs        total duration of the fsyncs.
 * @param longestFsyncNs duration of the longest one.
 * @param bytes          length of all segment files; 0 on a cluster, whose members have them.
 * @param cluster        that keeps the journal; null if this machine does.
 */
public record JournalStatus(
    long first, long durable, long fsyncs, long fsyncNs, long longestFsyncNs, long bytes, Cluster cluster)
{
    /**
     * The cluster.
     *
     * @param state    of the bank's connection to it, such as {@code CONNECTED} or {@code FAILING_OVER}.
     * @param leaderId the leader that the bank was connected to last.
     * @param members  of it.
     */
    public record Cluster(String state, int leaderId, List<Member> members)
    {
    }

    /**
     * A member.
     *
     * @param id       from 0.
     * @param role     {@code LEADER}, {@code FOLLOWER} or {@code DOWN}.
     * @param sequence last event in its journal.
     * @param lag      durable events that are not in it.
     */
    public record Member(int id, String role, long sequence, long lag)
    {
    }
}
