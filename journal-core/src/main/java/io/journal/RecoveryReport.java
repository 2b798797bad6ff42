package io.journal;

import java.util.List;

/**
 * What opening found, cut and mended. Immutable.
 */
public final class RecoveryReport
{
    private final boolean isNew;
    private final boolean isCleanlyClosed;
    private final long scanStartPosition;
    private final long endPosition;
    private final long lastSequence;
    private final long attestedPosition;
    private final boolean isAcknowledgementKnown;
    private final boolean isRewritten;
    private final long cutLength;
    private final String cutReason;
    private final List<String> quarantined;

    RecoveryReport(
        final boolean isNew,
        final boolean isCleanlyClosed,
        final long scanStartPosition,
        final long endPosition,
        final long lastSequence,
        final long attestedPosition,
        final boolean isAcknowledgementKnown,
        final boolean isRewritten,
        final long cutLength,
        final String cutReason,
        final List<String> quarantined)
    {
        this.isNew = isNew;
        this.isCleanlyClosed = isCleanlyClosed;
        this.scanStartPosition = scanStartPosition;
        this.endPosition = endPosition;
        this.lastSequence = lastSequence;
        this.attestedPosition = attestedPosition;
        this.isAcknowledgementKnown = isAcknowledgementKnown;
        this.isRewritten = isRewritten;
        this.cutLength = cutLength;
        this.cutReason = cutReason;
        this.quarantined = List.copyOf(quarantined);
    }

    /**
     * Whether there was no journal before.
     *
     * @return true if this opening created it.
     */
    public boolean isNew()
    {
        return isNew;
    }

    /**
     * Whether the last writer closed the journal and its close frame was found, so that nothing had to be scanned.
     *
     * @return true after a clean close.
     */
    public boolean isCleanlyClosed()
    {
        return isCleanlyClosed;
    }

    /**
     * Where the scan began: damage before it was not looked for.
     *
     * @return position in bytes; {@link #endPosition()} if nothing was scanned.
     */
    public long scanStartPosition()
    {
        return scanStartPosition;
    }

    /**
     * Where the journal ended when it was opened.
     *
     * @return position in bytes.
     */
    public long endPosition()
    {
        return endPosition;
    }

    /**
     * The last record found.
     *
     * @return its sequence, 0 if there is none.
     */
    public long lastSequence()
    {
        return lastSequence;
    }

    /**
     * Up to where the journal was attested as forced. Everything below was there.
     *
     * @return position in bytes.
     */
    public long attestedPosition()
    {
        return attestedPosition;
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
        return isAcknowledgementKnown;
    }

    /**
     * Whether the unattested end was written anew before it was forced, since an earlier force had not returned.
     *
     * @return true if it was.
     */
    public boolean isRewritten()
    {
        return isRewritten;
    }

    /**
     * How much was cut.
     *
     * @return bytes from the end to the last one that was not zero, in all segments; 0 if nothing was cut.
     */
    public long cutLength()
    {
        return cutLength;
    }

    /**
     * Why something was cut.
     *
     * @return what was found at the end, or an empty text.
     */
    public String cutReason()
    {
        return cutReason;
    }

    /**
     * Where the bytes went that were cut.
     *
     * @return names of files within the journal's directory.
     */
    public List<String> quarantined()
    {
        return quarantined;
    }

    @Override
    public String toString()
    {
        return "RecoveryReport{isNew=" + isNew +
            ", isCleanlyClosed=" + isCleanlyClosed +
            ", scanStartPosition=" + scanStartPosition +
            ", endPosition=" + endPosition +
            ", lastSequence=" + lastSequence +
            ", attestedPosition=" + attestedPosition +
            ", isAcknowledgementKnown=" + isAcknowledgementKnown +
            ", isRewritten=" + isRewritten +
            ", cutLength=" + cutLength +
            ", cutReason='" + cutReason + '\'' +
            ", quarantined=" + quarantined + '}';
    }
}
