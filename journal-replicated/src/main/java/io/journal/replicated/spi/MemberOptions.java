package io.journal.replicated.spi;

import java.nio.file.Path;

/**
 * What an {@link Engine} has to know of a member to start it.
 *
 * @param memberId         index of the member among the members.
 * @param members          of the cluster, the same for each of them.
 * @param directory        for the engine's files; no other process uses it, which the caller ensures.
 * @param isForced         whether a message counts as committed only once a quorum has fsynced it.
 * @param maxMessageLength length of the longest message in bytes.
 * @param version          of the messages. Members of different versions would apply them differently: the engine
 *                         ends a member that has another one than the leader, or the log.
 * @param capacity         of this member's state machine, in its own units, from 0 to {@link #MAX_CAPACITY}; all
 *                         machines learn it by {@link StateMachine#term} when this member leads.
 */
public record MemberOptions(
    int memberId, Members members, Path directory, boolean isForced, int maxMessageLength, int version, int capacity)
{
    /** Two bytes, which the engine writes into the log. */
    public static final int MAX_CAPACITY = 0xFFFF;
}
