package io.journal.examples.bank.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;

import io.journal.Journal;
import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.command.Recovery;
import io.journal.examples.bank.command.StartUp;
import io.journal.examples.bank.domain.Event;
import io.journal.examples.bank.journal.LocalJournal;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Measures how long the bank's state takes from the whole history, and from a snapshot near its end.
 */
public final class StartUpRun
{
    private static final int ACCOUNTS = 100;
    private static final int ROUNDS = 5;

    private StartUpRun()
    {
    }

    /**
     * Entry point.
     *
     * @param args {@code --dir} of a new bank, {@code --events} in its history, {@code --tail} events after the
     *             snapshot.
     * @throws IOException if the directory cannot be created.
     */
    public static void main(final String[] args) throws IOException
    {
        final Options options = new Options(args, List.of("dir", "events", "tail"));
        final BankDirectory directory = new BankDirectory(Path.of(options.text("dir", "target/start-up")));
        final int events = options.number("events", 1_000_000);
        final int tail = options.number("tail", 10_000);
        if (Files.exists(directory.path()))
        {
            throw new IllegalArgumentException("the directory must not exist: " + directory.path());
        }

        Files.createDirectories(directory.path());
        append(directory, events - tail);
        saveSnapshot(directory);
        append(directory, tail);
        measure(directory, "snapshot");
        // Renames it, so that it is not found.
        discardSnapshot(directory);
        measure(directory, "whole history");
    }

    private static void append(final BankDirectory directory, final int events)
    {
        final EventCodec codec = new EventCodec();
        final SplittableRandom random = new SplittableRandom(events);
        try (Journal journal = directory.journalSettings().open())
        {
            for (int i = 0; i < events; i++)
            {
                final long next = journal.lastSequence();
                final long account = 1 + random.nextInt(ACCOUNTS);
                codec.encode(
                    new UUID(random.nextLong(), random.nextLong()), next < ACCOUNTS ?
                        new Event.AccountOpened(next + 1, "Customer", 1) : new Event.Deposited(account, 1));
                journal.appender().append(codec.tag(), codec.buffer(), 0, codec.length());
            }
            journal.force();
        }
    }

    private static void saveSnapshot(final BankDirectory directory)
    {
        try (Journal journal = directory.journalSettings().open())
        {
            final Recovery state = Recovery.of(new LocalJournal(journal), SystemEpochClock.INSTANCE);
            final byte[] bytes = SnapshotCodec.encode(state.bank());
            journal.snapshots().save(state.sequence(), (output) -> output.write(bytes));
            System.out.printf(Locale.ROOT, "snapshot: %,d bytes%n", bytes.length);
        }
    }

    private static void discardSnapshot(final BankDirectory directory)
    {
        try (Journal journal = directory.journalSettings().open())
        {
            journal.snapshots().discardAfter(0);
        }
    }

    private static void measure(final BankDirectory directory, final String from)
    {
        for (int round = 1; round <= ROUNDS; round++)
        {
            final long startNs = System.nanoTime();
            try (Journal journal = directory.journalSettings().open())
            {
                final long openedNs = System.nanoTime();
                final StartUp startUp = Recovery.of(new LocalJournal(journal), SystemEpochClock.INSTANCE).startUp();
                System.out.printf(
                    Locale.ROOT, "%s: journal opened in %.0f ms, %,d events replayed, state after %.0f ms%n", from,
                    (openedNs - startNs) / 1e6, startUp.replayedEvents(), startUp.durationNs() / 1e6);
            }
        }
    }
}
