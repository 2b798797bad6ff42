package io.journal.examples.bank;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.journal.examples.bank.command.Recovery;

/**
 * Notes how long the starts took, for the page. The bank needs none of it: if it cannot be written, as on a full disk,
 * or a loss of power has left something else, the bank opens all the same.
 */
final class StartLog
{
    private static final int SHOWN = 8;
    private static final Pattern START = Pattern.compile("^(\\d{1,18}),(\\d{1,18}),(\\d{1,18})$", Pattern.MULTILINE);

    private StartLog()
    {
    }

    /**
     * A start of the bank.
     *
     * @param number   of the start, from 1.
     * @param snapshot last event in the snapshot that was loaded, 0 if there was none.
     * @param events   number of events in the history, with those in the snapshot.
     * @param micros   how long it took to build the state, in microseconds.
     */
    record Start(int number, long snapshot, long events, long micros)
    {
    }

    /** Adds a start; returns the last ones, the newest last. */
    static List<Start> add(final Path file, final Recovery state)
    {
        final String line = state.snapshotSequence() + "," + state.sequence() + "," + state.durationNs() / 1_000;
        String text = line;
        try
        {
            // On a line of its own, whatever is left of the one before.
            Files.writeString(file, "\n" + line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            text = Files.readString(file);
        }
        catch (final IOException ex)
        {
            System.getLogger(StartLog.class.getName())
                .log(System.Logger.Level.WARNING, "the start is not noted: file=" + file, ex);
        }

        final List<Start> starts = new ArrayList<>();
        for (final MatchResult start : START.matcher(text).results().toList())
        {
            starts.add(new Start(
                starts.size() + 1, Long.parseLong(start.group(1)), Long.parseLong(start.group(2)),
                Long.parseLong(start.group(3))));
        }
        return starts.subList(Math.max(0, starts.size() - SHOWN), starts.size());
    }
}
