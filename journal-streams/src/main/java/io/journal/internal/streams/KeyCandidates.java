// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

/** The candidates of one key in all sources. */
final class KeyCandidates implements Candidates
{
    /** Notified of a damaged source, which is searched as a gap from then on. */
    interface DamageListener
    {
        void onDamage(Source source, IndexDamagedException damage);
    }

    private final Source[] sources;
    private final Candidates[] candidates;
    private final long key;
    private final DamageListener listener;

    /**
     * @param sources in order; each begins after the end of the one before.
     */
    KeyCandidates(final Source[] sources, final long key, final DamageListener listener)
    {
        this.sources = sources;
        candidates = new Candidates[sources.length];
        this.key = key;
        this.listener = listener;
    }

    @Override
    public long find(final long from, final boolean isForward)
    {
        int i = sources.length - 1;
        while (i > 0 && sources[i].first() > from)
        {
            i--;
        }
        long found = NONE;
        for (; NONE == found && i >= 0 && i < sources.length; i += isForward ? 1 : -1)
        {
            found = find(i, from, isForward);
        }

        return found;
    }

    private long find(final int source, final long from, final boolean isForward)
    {
        try
        {
            if (null == candidates[source])
            {
                candidates[source] = sources[source].candidates(key);
            }

            return candidates[source].find(from, isForward);
        }
        catch (final IndexDamagedException ex)
        {
            candidates[source] = new Gap(sources[source].first(), sources[source].last()).candidates(key);
            listener.onDamage(sources[source], ex);

            return find(source, from, isForward);
        }
    }
}
