// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import io.journal.CorruptJournalException;
import io.journal.internal.control.History;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.SegmentStore;

/**
 * The segments of a journal: their ordinals, ascending, from the names of their files. Normative text:
 * {@code docs/format.md}, "Opening", step 3.
 */
public final class SegmentSet
{
    private SegmentSet()
    {
    }

    /**
     * Lists all segments. The caller owns the list.
     *
     * @throws CorruptJournalException if a name resembles a segment's but has no valid ordinal.
     */
    public static List<Long> ordinals(final SegmentStore store) throws IOException
    {
        // Throws for a name without a valid ordinal.
        return ordinals(store.list(), JournalFiles::ordinal);
    }

    /**
     * The segments of a list from an ordinal on.
     */
    public static List<Long> from(final List<Long> ordinals, final long first)
    {
        return ordinals.stream().filter((ordinal) -> ordinal >= first).toList();
    }

    /**
     * Lists the segments among the names of a directory, and passes names that only resemble a segment's to a consumer.
     */
    public static List<Long> ordinals(final Collection<String> names, final Consumer<String> foreign)
    {
        final List<Long> ordinals = new ArrayList<>();
        for (final String name : names)
        {
            if (JournalFiles.isOrdinal(name))
            {
                ordinals.add(JournalFiles.ordinal(name));
            }
            else if (JournalFiles.isSegment(name))
            {
                foreign.accept(name);
            }
        }
        Collections.sort(ordinals);

        return ordinals;
    }

    /**
     * Checks that segments begin where the log does, have no gap but where all frames are cut, and lead to where the
     * current term begins.
     */
    public static void checkComplete(final List<Long> ordinals, final History history, final int segmentLength)
    {
        long expected = history.startPosition / segmentLength;
        // A term that begins with a segment may begin without it.
        final long last = (history.newest().to() - SegmentHeader.LENGTH - 1) / segmentLength;
        if (ordinals.isEmpty())
        {
            throw missing(expected, "none");
        }

        for (final long ordinal : ordinals)
        {
            expected = history.skipDead(expected, ordinal, segmentLength);
            if (ordinal != expected)
            {
                throw missing(expected, JournalFiles.segment(ordinal));
            }
            expected++;
        }
        if (expected <= last)
        {
            throw missing(expected, "none");
        }
    }

    private static CorruptJournalException missing(final long ordinal, final String found)
    {
        final String name = JournalFiles.segment(ordinal);
        return new CorruptJournalException(
            "segment is missing: file=" + name + ", offset=0, expected=" + name + ", found=" + found +
                "; restore the file from a backup",
            null, name, 0, CorruptJournalException.UNKNOWN);
    }
}
