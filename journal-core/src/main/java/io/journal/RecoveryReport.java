package io.journal;

import java.util.List;

import io.journal.internal.recover.Recovery;

/**
 * What opening found, cut and mended. Immutable.
 */
public final class RecoveryReport
{
    private final Recovery.Result result;

    RecoveryReport(final Recovery.Result result)
    {
        this.result = result;
    }

    /**
     * Whether there was no journal before.
     *
     * @return true if this opening created it.
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
     * Where the scan began: damage before it was not looked for.
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
     * Up to where the journal was attested as forced. Everything below was there.
     *
     * @return position in bytes.
     */
    public long attestedPosition()
    {
        return result.attestedPosition;
    }

    /**
     * Whether the mark file of the last writer was there. It outlives a killed process, and then nothing that was
     * acknowledged as forced is among what was cut. Without it, or after a loss of power, which can leave an older one,
     * that follows only from the device having kept what it confirmed.
     *
     * @return false if there was no mark file to say what was forced, and something was cut, or the journal ends in a
     *         recycled segment, where damage to the last record leaves nothing that would have to be cut.
     */
    public boolean isAcknowledgementKnown()
    {
        return result.isAcknowledgementKnown;
    }

    /**
     * Whether the unattested end was written anew before it was forced, since an earlier force had not returned.
     *
     * @return true if it was.
     */
    public boolean isRewritten()
    {
        return result.isRewritten;
    }

    /**
     * How much was cut.
     *
     * @return bytes from the end to the last one that was not zero, in all segments; 0 if nothing was cut.
     */
    public long cutLength()
    {
        return result.cutLength;
    }

    /**
     * Why something was cut.
     *
     * @return what was found at the end, or an empty text.
     */
    public String cutReason()
    {
        return result.cutReason;
    }

    /**
     * Where the bytes went that were cut.
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
            ", attestedPosition=" + result.attestedPosition +
            ", isAcknowledgementKnown=" + result.isAcknowledgementKnown +
            ", isRewritten=" + result.isRewritten +
            ", cutLength=" + result.cutLength +
            ", cutReason='" + result.cutReason + '\'' +
            ", quarantined=" + result.quarantined + '}';
    }
}
