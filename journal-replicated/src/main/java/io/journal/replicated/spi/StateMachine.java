package io.journal.replicated.spi;

import org.agrona.DirectBuffer;

/**
 * Applies committed messages, on every member in the same order and with the same result. One thread calls it.
 * <p>
 * What it throws ends the member: a machine that skipped a message would no longer equal the others.
 */
public interface StateMachine
{
    /**
     * Sets the state to that of a snapshot, before any message. Not called if there is none.
     *
     * @param snapshot as returned by {@link #snapshot}.
     */
    void restore(byte[] snapshot);

    /**
     * Applies a message of the log. After a restart the messages behind the newest snapshot come again.
     *
     * @param requester member or client that proposed it.
     * @param message   holds the bytes; they are valid during the call.
     * @param offset    of the message.
     * @param length    in bytes.
     */
    void committed(Requester requester, DirectBuffer message, int offset, int length);

    /**
     * The term of a leader begins. Part of the log, so it comes again after a restart as messages do.
     *
     * @param capacity that the leader has declared: {@link MemberOptions#capacity}.
     */
    void term(int capacity);

    /**
     * Makes what was applied durable, and describes it so that {@link #restore} can continue from here. Messages before
     * it will not come again.
     *
     * @param logPosition of the snapshot, in bytes of the log.
     * @return the description.
     */
    byte[] snapshot(long logPosition);

    /**
     * The member has another role.
     *
     * @param role it has now.
     */
    void role(Role role);

    /**
     * Does what there is to do besides messages; called often.
     *
     * @return how much was done.
     */
    int work();
}
