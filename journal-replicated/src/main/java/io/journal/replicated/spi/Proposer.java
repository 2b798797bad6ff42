package io.journal.replicated.spi;

import org.agrona.DirectBuffer;

/**
 * A client's way to the leader. It looks for the leader by itself, as often as it has to. For one thread at a time.
 */
public interface Proposer extends AutoCloseable
{
    /**
     * Proposes a message for the log, without waiting. Messages that are proposed while the leader stays are committed
     * in this order; a change of the leader may lose any number of the last ones.
     *
     * @param message holds the bytes, which are copied.
     * @param offset  of the message.
     * @param length  in bytes.
     * @return false if the message cannot be taken now.
     */
    boolean propose(DirectBuffer message, int offset, int length);

    /**
     * Does what there is to do: looks for the leader, keeps the connection alive, passes replies on.
     *
     * @return how much was done; 0 if the caller may idle.
     */
    int poll();

    /** {@return whether there is a leader that messages can be proposed to} */
    boolean isConnected();

    /**
     * Gives up the connection, if there is one: nobody answers. {@link #poll()} looks for the leader anew.
     */
    void reconnect();

    /** {@return why there is no connection, for people; "none" if nothing is known} */
    String obstacle();

    @Override
    void close();
}
