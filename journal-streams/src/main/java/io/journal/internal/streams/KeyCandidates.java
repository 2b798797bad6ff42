// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

/** The candidates of one key, in all sources at the time of construction. */
final class KeyCandidates implements Candidates
{
    /** Notified of a damaged source, which is searched as a gap from then on. */
    interface DamageListener
    {
        void onDamage(Source source, IndexDamagedException damage);
    }

    private final Source[] sources;
    private final Postings[] postings;
    private final long key;
    private final DamageListener listener;

    /**
     * @param sources in order; each begins after the end of the one before.
     */
    KeyCandidates(final Source[] sources, final long key, final DamageListener listener)
    {
        this.sources = sources;
        postings = new Postings[sources.length];
        this.key = key;
        this.listener = listener;
    }

    @Override
    public long next(final long from)
    {
        for (int i = sourceOf(from); i < sources.length; i++)
        {
            final long found = find(i, from, true);
            if (Postings.NONE_AFTER != found)
            {
                return found;
            }
        }

        return Postings.NONE_AFTER;
    }

    @Override
    public long previous(final long upTo)
    {
        for (int i = sourceOf(upTo); i >= 0; i--)
        {
            final long found = find(i, upTo, false);
            if (Postings.NONE_BEFORE != found)
            {
                return found;
            }
        }

        return Postings.NONE_BEFORE;
    }

    /** Index of the last source that begins before or at a position; 0 if there is none. */
    private int sourceOf(final long position)
    {
        int i = sources.length - 1;
        while (i > 0 && sources[i].first() > position)
        {
            i--;
        }

        return i;
    }

    private long find(final int source, final long position, final boolean isNext)
    {
        try
        {
            if (null == postings[source])
            {
                postings[source] = sources[source].postings(key);
            }

            return isNext ? postings[source].next(position) : postings[source].previous(position);
        }
        catch (final IndexDamagedException ex)
        {
            postings[source] = new Gap(sources[source].first(), sources[source].last()).postings(key);
            listener.onDamage(sources[source], ex);

            return find(source, position, isNext);
        }
    }
}
