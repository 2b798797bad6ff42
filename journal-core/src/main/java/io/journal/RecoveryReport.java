package io.journal;

import java.util.List;

import io.journal.internal.recover.Recovery;

/**
 * What opening found, truncated and repaired. Immutable.
 */
public final class RecoveryReport
{
    private final Recovery.Result result;

    RecoveryReport(final Recovery.Result result)
    {
        this.result = result;
    }

    /**
     * Whether opening created the journal.
     *
     * @return true if there was none before.
     */
    public boolean isNew()
    {
        return result.isNew;
    }

    /**
     * Whether the last writer closed the journal and its close frame was found, so that nothing had to be scanned.
     *
     * @return true after a clean close.
     */
    public boolean isCleanlyClosed()
    {
        return result.isCleanlyClosed;
    }

    /**
     * Where the scan began. Damage before it was not searched for.
     *
     * @return position in bytes; {@link #endPosition()} if nothing was scanned.
     */
    public long scanStartPosition()
    {
        return result.scanStartPosition;
    }

    /**
     * Where the journal ended when it was opened.
     *
     * @return position in bytes.
     */
    public long endPosition()
    {
        return result.endPosition;
    }

    /**
     * The last record found.
     *
     * @return its sequence, 0 if there is none.
     */
    public long lastSequence()
    {
        return result.lastSequence;
    }

    /**
     * The durable watermark that opening found. Everything below it was there.
     *
     * @return position in bytes.
     */
    public long durablePosition()
    {
        return result.attestedPosition;
    }

    /**
     * Whether records that were acknowledged as durable may be among what was truncated, since the last writer's
     * {@code journal.mark}, which survives a killed process, was absent. If it was present, no acknowledged record
     * was truncated; after a loss of power, which can leave an older one, that holds if the device kept what it
     * confirmed.
     *
     * @return true if there was no {@code journal.mark} with the durable watermark, and something was truncated, or the
     *         journal ends in a recycled segment, where damage to the last record leaves nothing to truncate. Also true
     *         if a cursor was saved at a record after the last one: that record was durable and is lost.
     */
    public boolean mayHaveLostAcknowledged()
    {
        return !result.isAcknowledgementKnown;
    }

    /**
     * Whether the tail above the durable watermark was rewritten before it was forced, since an earlier force had not
     * returned.
     *
     * @return true if it was.
     */
    public boolean isRewritten()
    {
        return result.isRewritten;
    }

    /**
     * How much was truncated.
     *
     * @return bytes from the end to the last non-zero byte, in all segments; 0 if nothing was truncated.
     */
    public long tornLength()
    {
        return result.cutLength;
    }

    /**
     * Why something was truncated.
     *
     * @return what was found at the end, or an empty text.
     */
    public String tornReason()
    {
        return result.cutReason;
    }

    /**
     * The files in which truncated bytes were quarantined.
     *
     * @return names of files within the journal's directory.
     */
    public List<String> quarantined()
    {
        return result.quarantined;
    }

    @Override
    public String toString()
    {
        return "RecoveryReport{isNew=" + result.isNew +
            ", isCleanlyClosed=" + result.isCleanlyClosed +
            ", scanStartPosition=" + result.scanStartPosition +
            ", endPosition=" + result.endPosition +
            ", lastSequence=" + result.lastSequence +
            ", durablePosition=" + result.attestedPosition +
            ", mayHaveLostAcknowledged=" + !result.isAcknowledgementKnown +
            ", isRewritten=" + result.isRewritten +
            ", tornLength=" + result.cutLength +
            ", tornReason='" + result.cutReason + '\'' +
            ", quarantined=" + result.quarantined + '}';
    }
}
