package io.journal.examples.bank.journal;

import java.util.List;

/**
 * The cluster that keeps the journal.
 *
 * @param state         state of the bank's connection to it, such as {@code CONNECTED} or {@code FAILING_OVER}.
 * @param leaderId      the leader that the bank was connected to last.
 * @param leaderChanges how often the bank has found a leader.
 * @param resent        events that were sent again, since they might have been lost with a leader.
 * @param members       of the cluster.
 */
public record ClusterStatus(String state, int leaderId, long leaderChanges, long resent, List<Member> members)
{
    /**
     * A member.
     *
     * @param id       from 0.
     * @param role     {@code LEADER}, {@code FOLLOWER} or {@code CANDIDATE}; {@code STARTING} or {@code DOWN}.
     * @param sequence last event in its journal.
     * @param lag      durable events that are not in it.
     */
    public record Member(int id, String role, long sequence, long lag)
    {
    }
}
