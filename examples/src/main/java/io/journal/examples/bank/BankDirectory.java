package io.journal.examples.bank;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.examples.bank.command.StartUp;
import io.journal.store.Backend;

/**
 * The files of a bank.
 *
 * @param path directory of them all.
 */
public record BankDirectory(Path path)
{
    private static final int SEGMENT_LENGTH = 1 << 20;
    private static final Pattern START = Pattern.compile("\\d{1,18},\\d{1,18},\\d{1,18}");

    /** {@return directory of the journal} */
    public Path journal()
    {
        return path.resolve("journal");
    }

    /** {@return file of the read model in SQLite} */
    public Path ledger()
    {
        return path.resolve("ledger.db");
    }

    /** {@return file of the read model in another process} */
    public Path turnover()
    {
        return path.resolve("turnover.properties");
    }

    /**
     * {@return settings for the journal} Fsyncs follow each other as long as there is something to fsync, so the
     * commands that arrive during one fsync share the next.
     */
    public JournalBuilder journalSettings()
    {
        return Journal.builder(journal())
            .segmentLength(SEGMENT_LENGTH)
            .force(ForcePolicy.every(Duration.ZERO));
    }

    /** Fsyncs the directory, so that the newest names of files are durable. */
    void force() throws IOException
    {
        Backend.FILE_CHANNEL.store(path).force();
    }

    /**
     * Notes a start, for the page. The bank needs none of it: if it cannot be written, as on a full disk, or a loss of
     * power has left something else, the bank opens all the same.
     *
     * @param startUp how the state was built.
     * @return all starts so far that can be read, one line each: snapshot sequence, replayed events, microseconds.
     */
    List<String> addStart(final StartUp startUp)
    {
        final Path file = path.resolve("starts.csv");
        final String line =
            startUp.snapshotSequence() + "," + startUp.replayedEvents() + "," + startUp.durationNs() / 1_000;
        try
        {
            // On a line of its own, whatever is left of the one before.
            Files.writeString(file, "\n" + line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return Files.readAllLines(file).stream().filter((it) -> START.matcher(it).matches()).toList();
        }
        catch (final IOException ex)
        {
            System.getLogger(BankDirectory.class.getName()).log(
                System.Logger.Level.WARNING, "the start is not noted: file=" + file, ex);
            return List.of(line);
        }
    }
}
