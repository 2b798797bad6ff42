package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.JournalCounters;
import io.journal.JournalCursor;
import io.journal.ReadOnlyJournal;

/**
 * A sample of a journal's ends, of its writer's counters and of its cursors.
 *
 * @param timeNs           of the sample, by {@link System#nanoTime()}.
 * @param firstSequence    oldest record.
 * @param lastSequence     newest written record, found by reading the journal.
 * @param forcedSequence   newest durable record.
 * @param isLive           whether a writer updates the counters.
 * @param isFailed         whether its storage failed.
 * @param countersTimeMs   when it stored the counters below, in milliseconds since 1970; 0 if never.
 * @param appendedSequence newest appended record.
 * @param appendedPosition end of that record.
 * @param writtenSequence  newest written record, by the writer's counters.
 * @param writtenPosition  end of that record.
 * @param forcedPosition   durable watermark.
 * @param segments         number of segments, without prepared ones.
 * @param preparedSegments number of prepared segments.
 * @param refusals         appends refused because the disk was full.
 * @param forces           fsyncs since the writer opened the journal.
 * @param forceTimeNs      total duration of these fsyncs.
 * @param maxForceTimeNs   duration of the longest of them.
 * @param waiters          threads that wait for an fsync.
 * @param cursors          saved cursors of the consumers.
 */
record Sample(
    long timeNs, long firstSequence, long lastSequence, long forcedSequence, boolean isLive, boolean isFailed,
    long countersTimeMs, long appendedSequence, long appendedPosition, long writtenSequence, long writtenPosition,
    long forcedPosition, long segments, long preparedSegments, long refusals, long forces, long forceTimeNs,
    long maxForceTimeNs, long waiters, List<JournalCursor.Saved> cursors)
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
     * Lag of the slowest consumer in records; 0 if there is none.
     */
    long lag()
    {
        return cursors.stream().mapToLong(JournalCursor.Saved::lag).max().orElse(0);
    }

    /**
     * Whether a writer has ever stored counters in the present {@code journal.mark}.
     */
    boolean hasCounters()
    {
        return 0 != countersTimeMs;
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
     * Mean duration of the fsyncs since then; 0 if there were none.
     */
    double msPerForce(final Sample before)
    {
        return forces > before.forces ? (forceTimeNs - before.forceTimeNs) / 1e6 / (forces - before.forces) : 0;
    }

    private double perSecond(final Sample before, final long count)
    {
        // A new writer restarts its counts, and a truncation lowers the ends.
        return Math.max(0, count) * 1e9 / (timeNs - before.timeNs);
    }

    static void write(final ObjectNode object, final List<JournalCursor.Saved> cursors, final Path journal)
    {
        final ArrayNode array = object.putArray("cursors");
        for (final JournalCursor.Saved cursor : cursors)
        {
            final ObjectNode node = array.addObject().put("name", cursor.name()).put("isUsable", cursor.isUsable());
            if (cursor.isUsable())
            {
                node.put("sequence", cursor.sequence()).put("lag", cursor.lag());
            }
            else
            {
                node.put("fault", cursor.fault())
                    .put("meaning", RepairHint.consequence(cursor, journal))
                    .put("repair", RepairHint.of(cursor, journal));
            }
        }
    }

    /**
     * Prints the consumers' cursors.
     */
    static void print(final PrintWriter out, final List<JournalCursor.Saved> cursors, final Path journal)
    {
        for (final JournalCursor.Saved cursor : cursors)
        {
            if (cursor.isUsable())
            {
                Text.line(out, "consumer", cursor.name() + ": done with record " + Text.number(cursor.sequence()) +
                    ", " + Text.number(cursor.lag()) + " behind");
            }
            else
            {
                Text.line(out, "consumer", cursor.name() + ": UNUSABLE: " + Text.harmless(cursor.fault()));
                Text.line(out, "  means", RepairHint.consequence(cursor, journal));
                Text.command(out, "  repair", RepairHint.of(cursor, journal));
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
            .put("timeMs", countersTimeMs)
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
