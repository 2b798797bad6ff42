package io.journal.tools;

import java.io.PrintWriter;
import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.JournalCursor;
import io.journal.ReadOnlyJournal;

/**
 * A sample of a journal's ends and of its cursors.
 *
 * @param timeNs         of the sample, by {@link System#nanoTime()}.
 * @param firstSequence  oldest record.
 * @param lastSequence   newest written record, found by reading the journal.
 * @param lastPosition   where that record begins, in bytes; 0 if there is none.
 * @param forcedSequence newest durable record.
 * @param forcedPosition where that record begins; 0 if there is none.
 * @param cursors        saved cursors of the consumers.
 */
record Sample(
    long timeNs, long firstSequence, long lastSequence, long lastPosition, long forcedSequence, long forcedPosition,
    List<JournalCursor.Saved> cursors)
{
    static Sample of(final ReadOnlyJournal journal)
    {
        final long last = journal.lastSequence();
        final long forced = Math.min(last, journal.forcedSequence());
        return new Sample(
            System.nanoTime(), journal.firstSequence(), last, position(journal, last), forced,
            position(journal, forced), journal.cursors());
    }

    private static long position(final ReadOnlyJournal journal, final long sequence)
    {
        final long[] position = new long[1];
        journal.get(sequence, (buffer, offset, length, header) -> position[0] = header.position());
        return position[0];
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

    double recordsPerSecond(final Sample before)
    {
        return perSecond(before, lastSequence - before.lastSequence);
    }

    double bytesPerSecond(final Sample before)
    {
        return perSecond(before, lastPosition - before.lastPosition);
    }

    private double perSecond(final Sample before, final long count)
    {
        // A truncation lowers the ends.
        return Math.max(0, count) * 1e9 / (timeNs - before.timeNs);
    }

    static void write(final ObjectNode object, final List<JournalCursor.Saved> cursors)
    {
        final ArrayNode array = object.putArray("cursors");
        cursors.forEach((cursor) -> array.addObject()
            .put("name", cursor.name()).put("sequence", cursor.sequence()).put("lag", cursor.lag()));
    }

    /**
     * Prints the consumers' cursors.
     */
    static void print(final PrintWriter out, final List<JournalCursor.Saved> cursors)
    {
        cursors.forEach((cursor) -> Text.line(out, "consumer", cursor.name() + ": done with record " +
            Text.number(cursor.sequence()) + ", " + Text.number(cursor.lag()) + " behind"));
    }

    void write(final ObjectNode object, final Sample before)
    {
        object
            .put("timeMs", System.currentTimeMillis())
            .put("firstSequence", firstSequence)
            .put("lastSequence", lastSequence)
            .put("lastPosition", lastPosition)
            .put("forcedSequence", forcedSequence)
            .put("forcedPosition", forcedPosition)
            .put("recordsPerSecond", Math.round(recordsPerSecond(before)))
            .put("bytesPerSecond", Math.round(bytesPerSecond(before)));
        write(object, cursors);
    }
}
