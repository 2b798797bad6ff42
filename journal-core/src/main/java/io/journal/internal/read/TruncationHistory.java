package io.journal.internal.read;

import java.util.Arrays;

import io.journal.internal.files.JournalMeta;

/**
 * The truncations of a journal's last epochs: tells readers whether what they have read was cut. Bounded; of older ones
 * it says that everything was cut.
 */
public final class TruncationHistory
{
    private static final int MAX_CUTS = 64;
    private static final JournalMeta.Cut EVERYTHING = new JournalMeta.Cut(0, 0, 0);

    // The cut that began an epoch lies at that epoch, modulo the length.
    private final JournalMeta.Cut[] truncations = new JournalMeta.Cut[MAX_CUTS];
    private long epoch;

    /**
     * @param epoch of the journal now.
     */
    public TruncationHistory(final long epoch)
    {
        this.epoch = epoch;
    }

    /**
     * Remembers a cut. Comes before readers can see the new epoch.
     *
     * @param epoch that begins with it.
     * @param cut   what was cut, or null if that is not known.
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
     * The lowest of the cuts behind an epoch.
     *
     * @return the cut, or null if there was none.
     */
    synchronized JournalMeta.Cut since(final long epoch)
    {
        // A higher one is of before a repair that could not tell it.
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
