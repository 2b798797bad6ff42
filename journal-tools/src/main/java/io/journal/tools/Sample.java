package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.JournalCounters;
import io.journal.ReadOnlyJournal;
import io.journal.SavedCursor;

/**
 * What a journal and its writer tell at one moment.
 *
 * @param timeNs           when it was asked.
 * @param firstSequence    the oldest record.
 * @param lastSequence     the newest that is written.
 * @param forcedSequence   the newest that is forced.
 * @param isLive           whether a writer keeps the counters.
 * @param isFailed         whether its storage failed.
 * @param toldMs           when it told what follows.
 * @param appendedSequence the newest record that is appended.
 * @param appendedPosition where that ends.
 * @param writtenSequence  the newest that is written, says the writer.
 * @param writtenPosition  where that ends.
 * @param forcedPosition   up to where the journal is forced.
 * @param segments         of the history.
 * @param preparedSegments that are ready.
 * @param refusals         for want of space.
 * @param forces           since it opened the journal.
 * @param forceTimeNs      that they took.
 * @param maxForceTimeNs   that the longest took.
 * @param waiters          threads that wait for a force.
 * @param cursors          places of the consumers.
 */
record Sample(
    long timeNs, long firstSequence, long lastSequence, long forcedSequence, boolean isLive, boolean isFailed,
    long toldMs, long appendedSequence, long appendedPosition, long writtenSequence, long writtenPosition,
    long forcedPosition, long segments, long preparedSegments, long refusals, long forces, long forceTimeNs,
    long maxForceTimeNs, long waiters, List<SavedCursor> cursors)
{
    static Sample of(final ReadOnlyJournal journal)
    {
        final JournalCounters counters = journal.counters();
        final long last = journal.lastSequence();
        return new Sample(
            System.nanoTime(), journal.firstSequence(), last, Math.min(last, journal.forcedSequence()),
            counters.isLive(), counters.isFailed(), counters.timeMs(), counters.appendedSequence(),
            counters.appendedPosition(), counters.writtenSequence(), counters.writtenPosition(),
            counters.forcedPosition(), counters.segments(), counters.preparedSegments(), counters.refusals(),
            counters.forces(), counters.forceTimeNs(), counters.maxForceTimeNs(), counters.waiters(),
            journal.cursors());
    }

    long unforced()
    {
        return lastSequence - Math.max(forcedSequence, firstSequence - 1);
    }

    /**
     * How far the slowest consumer is behind; 0 if there is none.
     */
    long lag()
    {
        return cursors.stream().mapToLong(SavedCursor::lag).max().orElse(0);
    }

    /**
     * Whether any writer has ever told anything in the present mark file.
     */
    boolean isTold()
    {
        return 0 != toldMs;
    }

    double recordsPerSecond(final Sample before)
    {
        return perSecond(before, lastSequence - before.lastSequence);
    }

    double bytesPerSecond(final Sample before)
    {
        return perSecond(before, appendedPosition - before.appendedPosition);
    }

    double forcesPerSecond(final Sample before)
    {
        return perSecond(before, forces - before.forces);
    }

    /**
     * Mean time of the forces since then; 0 if there were none.
     */
    double msPerForce(final Sample before)
    {
        return forces > before.forces ? (forceTimeNs - before.forceTimeNs) / 1e6 / (forces - before.forces) : 0;
    }

    private double perSecond(final Sample before, final long count)
    {
        // Another writer begins its counts anew, and a cut goes back.
        return Math.max(0, count) * 1e9 / (timeNs - before.timeNs);
    }

    static void write(final ObjectNode object, final List<SavedCursor> cursors, final Path journal)
    {
        final ArrayNode array = object.putArray("cursors");
        for (final SavedCursor cursor : cursors)
        {
            final ObjectNode node = array.addObject().put("name", cursor.name()).put("isUsable", cursor.isUsable());
            if (cursor.isUsable())
            {
                node.put("sequence", cursor.sequence()).put("lag", cursor.lag());
            }
            else
            {
                node.put("fault", cursor.fault())
                    .put("meaning", Remedy.consequence(cursor, journal))
                    .put("repair", Remedy.of(cursor, journal));
            }
        }
    }

    /**
     * Prints the places of consumers.
     */
    static void print(final PrintWriter out, final List<SavedCursor> cursors, final Path journal)
    {
        for (final SavedCursor cursor : cursors)
        {
            if (cursor.isUsable())
            {
                Text.line(out, "consumer", cursor.name() + ": done with record " + Text.number(cursor.sequence()) +
                    ", " + Text.number(cursor.lag()) + " behind");
            }
            else
            {
                Text.line(out, "consumer", cursor.name() + ": UNUSABLE: " + Text.harmless(cursor.fault()));
                Text.line(out, "  means", Remedy.consequence(cursor, journal));
                Text.command(out, "  repair", Remedy.of(cursor, journal));
            }
        }
    }

    void write(final ObjectNode object, final Sample before, final Path journal)
    {
        object
            .put("timeMs", System.currentTimeMillis())
            .put("firstSequence", firstSequence)
            .put("lastSequence", lastSequence)
            .put("forcedSequence", forcedSequence)
            .put("recordsPerSecond", Math.round(recordsPerSecond(before)))
            .put("bytesPerSecond", Math.round(bytesPerSecond(before)))
            .put("forcesPerSecond", Math.round(forcesPerSecond(before)));
        object.putObject("writer")
            .put("isLive", isLive)
            .put("isFailed", isFailed)
            .put("timeMs", toldMs)
            .put("appendedSequence", appendedSequence)
            .put("appendedPosition", appendedPosition)
            .put("writtenSequence", writtenSequence)
            .put("writtenPosition", writtenPosition)
            .put("forcedPosition", forcedPosition)
            .put("segments", segments)
            .put("preparedSegments", preparedSegments)
            .put("refusals", refusals)
            .put("forces", forces)
            .put("forceTimeNs", forceTimeNs)
            .put("maxForceTimeNs", maxForceTimeNs)
            .put("waiters", waiters);
        write(object, cursors, journal);
    }
}
