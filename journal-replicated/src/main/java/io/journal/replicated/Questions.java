package io.journal.replicated;

import java.util.UUID;

import io.journal.replicated.spi.Proposer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a writer asks the leader: for its epoch, or for what is committed. It asks again each second until it has an
 * answer, since either may be lost. Guarded by the writer's lock.
 */
final class Questions
{
    static final long REPEAT_NS = 1_000_000_000;
    private static final long NONE = 0;
    // The session may be one with a member that leads no more, and does not know that yet.
    private static final int MAX_UNANSWERED = 5;

    private final UUID writerId = UUID.randomUUID();
    private boolean isAsked;
    private int unanswered;
    private long id;
    private long askedId;
    private long askedNs;

    /**
     * Asks if it is time to, for an epoch if there is none. The proposer must be connected.
     *
     * @return how much was done.
     */
    int ask(final Proposer proposer, final UnsafeBuffer message, final long epoch, final long nowNs)
    {
        if (isAsked && nowNs - askedNs < REPEAT_NS)
        {
            return 0;
        }

        if (unanswered >= MAX_UNANSWERED)
        {
            reset();
            proposer.reconnect();
            return 1;
        }

        // The same number until it is answered: an answer may take longer than the time to repeat, and nothing is sent
        // meanwhile.
        askedId = NONE == askedId ? nextId() : askedId;
        Protocol.header(message, 0 == epoch ? Protocol.OPEN : Protocol.RESUME, 0, epoch, askedId);
        Protocol.writerId(message, writerId);
        isAsked = proposer.propose(message, 0, Protocol.OPEN_LENGTH);
        askedNs = nowNs;
        // What could not be sent is asked again at once, and says nothing of the session.
        unanswered += isAsked ? 1 : 0;
        return isAsked ? 1 : 0;
    }

    /** {@return a new correlation id} */
    long nextId()
    {
        return ++id;
    }

    long askedNs()
    {
        return askedNs;
    }

    boolean isLast(final long correlationId)
    {
        return NONE != correlationId && correlationId == askedId;
    }

    /** The next one is due at once; what is committed by now, an answer to one before does not say. */
    void repeat()
    {
        isAsked = false;
        askedId = NONE;
    }

    /** The last one is answered, or given up. */
    void reset()
    {
        isAsked = false;
        unanswered = 0;
    }
}
