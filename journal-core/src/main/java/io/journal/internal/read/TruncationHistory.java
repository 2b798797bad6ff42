package io.journal.internal.read;

import java.util.Arrays;

import io.journal.internal.files.JournalMeta;

/**
 * The truncations of a journal's last epochs: shows readers whether records they have read were truncated. Bounded; for
 * older epochs it reports that everything was truncated.
 */
public final class TruncationHistory
{
    private static final int MAX_CUTS = 64;
    private static final JournalMeta.Cut EVERYTHING = new JournalMeta.Cut(0, 0, 0);

    // The truncation that began an epoch lies at that epoch, modulo the length.
    private final JournalMeta.Cut[] truncations = new JournalMeta.Cut[MAX_CUTS];
    private long epoch;

    /**
     * @param epoch current epoch of the journal.
     */
    public TruncationHistory(final long epoch)
    {
        this.epoch = epoch;
    }

    /**
     * Adds a truncation. Must precede the publication of the new epoch to readers.
     *
     * @param epoch that begins with it.
     * @param cut   the truncation, or null if it is not known.
     */
    public synchronized void add(final long epoch, final JournalMeta.Cut cut)
    {
        if (epoch != this.epoch + 1)
        {
            Arrays.fill(truncations, EVERYTHING);
        }
        truncations[(int)(epoch % MAX_CUTS)] = null == cut ? EVERYTHING : cut;
        this.epoch = epoch;
    }

    /**
     * The lowest truncation after an epoch.
     *
     * @return the truncation, or null if there was none.
     */
    synchronized JournalMeta.Cut since(final long epoch)
    {
        // A higher epoch is from before a repair that could not determine it.
        if (this.epoch - epoch > MAX_CUTS || epoch > this.epoch)
        {
            return EVERYTHING;
        }

        JournalMeta.Cut lowest = null;
        for (long e = epoch + 1; e <= this.epoch; e++)
        {
            final JournalMeta.Cut cut = truncations[(int)(e % MAX_CUTS)];
            if (null == lowest || cut.position < lowest.position)
            {
                lowest = cut;
            }
        }

        return lowest;
    }
}
