package io.journal;

import io.journal.internal.recover.Recovery;

/**
 * What opening found. Immutable.
 */
public final class RecoveryReport
{
    private final Recovery.Result result;

    RecoveryReport(final Recovery.Result result)
    {
        this.result = result;
    }

    /** {@return whether opening created the journal} */
    public boolean isNew()
    {
        return result.isNew;
    }

    /**
     * {@return whether the last writer closed the journal} Then only its last records were read.
     */
    public boolean isCleanlyClosed()
    {
        return result.isCleanlyClosed;
    }

    /**
     * {@return the position in bytes at which the scan began; {@link #endPosition()} if nothing was scanned} Damage
     * before it was not searched for.
     */
    public long scanStartPosition()
    {
        return result.scanStartPosition;
    }

    /** {@return the position in bytes at which the journal ended when it was opened} */
    public long endPosition()
    {
        return result.endPosition;
    }

    /** {@return the sequence of the last record found; that before {@link Journal#firstSequence()} if there is none} */
    public long lastSequence()
    {
        return result.lastSequence;
    }

    /** {@return the durable watermark that opening found, a position in bytes} Everything below it was there. */
    public long durablePosition()
    {
        return result.durablePosition;
    }

    /**
     * Whether records that were acknowledged as durable may be lost, since the last writer's durable watermark, which
     * survives a killed process, was absent. If it was present, no acknowledged record is lost; after a loss of power,
     * which can leave an older one, that holds if the device kept what it confirmed.
     *
     * @return true if there was no durable watermark in {@code journal.control}: then it is unknown what was durable,
     *         even if nothing was lost. False for a journal that opening created.
     */
    public boolean mayHaveLostAcknowledged()
    {
        return result.mayHaveLostAcknowledged;
    }

    /**
     * {@return whether the tail above the durable watermark was rewritten before it was forced} It is if an earlier
     * force had not returned.
     */
    public boolean isRewritten()
    {
        return result.isRewritten;
    }

    /**
     * {@return how many bytes are behind the end, and no part of the log} From {@link #endPosition()} to the last
     * non-zero byte, in all segments. They stay where they are until their segment is pruned; appending goes on behind
     * them.
     */
    public long tornLength()
    {
        return result.tornLength;
    }

    /** {@return what was found at the end in place of a record; empty if there are no such bytes} */
    public String tornReason()
    {
        return result.tornReason;
    }

    @Override
    public String toString()
    {
        return "RecoveryReport{isNew=" + result.isNew +
            ", isCleanlyClosed=" + result.isCleanlyClosed +
            ", scanStartPosition=" + result.scanStartPosition +
            ", endPosition=" + result.endPosition +
            ", lastSequence=" + result.lastSequence +
            ", durablePosition=" + result.durablePosition +
            ", mayHaveLostAcknowledged=" + result.mayHaveLostAcknowledged +
            ", isRewritten=" + result.isRewritten +
            ", tornLength=" + result.tornLength +
            ", tornReason='" + result.tornReason + "'}";
    }
}
