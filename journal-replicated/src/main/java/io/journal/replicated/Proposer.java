// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import org.agrona.DirectBuffer;

/**
 * A client's connection to the leader. It looks for the leader by itself, as often as necessary. For one thread at a
 * time.
 */
interface Proposer extends AutoCloseable
{
    /** Called back by {@link #poll()} only. */
    interface Replies
    {
        /** A member has replied to this client. The bytes are valid during the call. */
        void onReply(DirectBuffer message, int offset, int length);

        /**
         * Called when there is a leader to propose to: the first, another leader, or the same after a lost connection.
         * Earlier proposals and replies may be lost.
         */
        void onLeader(int memberId);
    }

    /**
     * Proposes a message for the log, without waiting; its bytes are copied. Messages that are proposed while the
     * leader stays are committed in this order. A change of the leader may lose any number of the last messages.
     *
     * @return false if the message cannot be taken now.
     */
    boolean propose(DirectBuffer message, int offset, int length);

    /**
     * Looks for the leader, keeps the connection alive, passes replies on.
     *
     * @return how much was done; 0 if the caller may idle.
     */
    int poll();

    /** {@return whether there is a leader that messages can be proposed to} */
    boolean isConnected();

    /** Closes the connection, if there is one, because nobody answers. {@link #poll()} looks for the leader anew. */
    void reconnect();

    /** {@return why there is no connection, for people; "none" if nothing is known} */
    String obstacle();

    @Override
    void close();
}
