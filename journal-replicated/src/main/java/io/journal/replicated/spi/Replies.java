package io.journal.replicated.spi;

import org.agrona.DirectBuffer;

/**
 * Called back by {@link Proposer#poll()}.
 */
public interface Replies
{
    /**
     * A member has replied to this client.
     *
     * @param message holds the bytes; they are valid during the call.
     * @param offset  of the message.
     * @param length  in bytes.
     */
    void onReply(DirectBuffer message, int offset, int length);

    /**
     * There is a leader to propose to: the first, another one, or the same after a lost connection. What was proposed
     * before may be lost, and replies too.
     *
     * @param memberId of the leader.
     */
    void onLeader(int memberId);
}
