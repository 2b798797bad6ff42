package io.journal.replicated.spi;

import org.agrona.DirectBuffer;

/**
 * The client from which a message comes, to be replied to.
 */
public interface Requester
{
    /**
     * Replies, if this member leads. The reply may get lost, also if the result is true.
     *
     * @param message holds the bytes.
     * @param offset  of the message.
     * @param length  in bytes.
     * @return whether the reply was sent, or needs not be.
     */
    boolean reply(DirectBuffer message, int offset, int length);
}
