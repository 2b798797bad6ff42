// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The program of {@code docs/getting-started.md}: a stock of apples. Each delivery is a record of one little-endian
 * {@code long}. Run it from the project's root, a step at a time.
 *
 * <pre>
 * mvn -q -pl examples -am -Pexample compile -Dexample=GettingStarted -Dexample.args=open
 * </pre>
 */
public final class GettingStarted
{
    private GettingStarted()
    {
    }

    /** Entry point; the arguments are a step and the journal's directory, {@code target/getting-started} by default. */
    public static void main(final String[] args) throws IOException
    {
        final Path directory = Path.of(args.length > 1 ? args[1] : "target/getting-started");
        // A journal creates its own directory only.
        Files.createDirectories(directory.toAbsolutePath().resolve("..").normalize());
        switch (args[0])
        {
            case "open" -> open(directory);
            case "append" -> append(directory);
            case "crash" -> crash(directory);
            case "replay" -> replay(directory);
            case "consume" -> consume(directory);
            case "snapshot" -> snapshot(directory);
            default -> throw new IllegalArgumentException("no such step: " + args[0]);
        }
    }

    private static void open(final Path directory)
    {
        // step:start
        try (Journal journal = Journal.builder(directory).segmentLength(1 << 20).open())
        {
            System.out.println("new: " + journal.recoveryReport().isNew() + ", last record: " + journal.lastSequence());
        }
        // step:end
    }

    private static void append(final Path directory)
    {
        // step:start
        try (Journal journal = Journal.open(directory))
        {
            final MutableDirectBuffer record = JournalAppender.wrap(new byte[Long.BYTES]);
            record.putLong(0, 3, ByteOrder.LITTLE_ENDIAN);
            final long sequence = journal.appender().append(0, record, 0, Long.BYTES);
            journal.awaitForced(sequence);
            System.out.println("record " + sequence + " is durable: 3 apples");
        }
        // step:end
    }

    private static void crash(final Path directory)
    {
        // step:start
        final Journal journal = Journal.open(directory);
        final MutableDirectBuffer record = JournalAppender.wrap(new byte[Long.BYTES]);
        record.putLong(0, 5, ByteOrder.LITTLE_ENDIAN);
        final long sequence = journal.appender().append(0, record, 0, Long.BYTES);
        System.out.println("record " + sequence + " is written: 5 apples");
        Runtime.getRuntime().halt(0); // ends the process here: nothing is closed
        // step:end
    }

    private static void replay(final Path directory)
    {
        // step:start
        try (Journal journal = Journal.open(directory);
            JournalReader reader = journal.openReader())
        {
            final Stock stock = new Stock();
            while (reader.poll(stock::apply, 100) > 0)
            {
                // Repeat until there are no more records.
            }
            System.out.println("closed: " + journal.recoveryReport().isCleanlyClosed() + ", apples: " + stock.apples);
        }
        // step:end
    }

    private static void consume(final Path directory)
    {
        // step:start
        try (Journal journal = Journal.open(directory);
            JournalReader reader = journal.openReader(journal.cursor("mailer")))
        {
            while (reader.await(Duration.ofMillis(100))) // parks until a record is appended
            {
                reader.poll((buffer, offset, length, header) -> System.out.println(
                    "mail: " + buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN) + " apples have arrived"), 100);
                reader.commit(); // durable; at-least-once
            }
            System.out.println("mailed up to record " + (reader.nextSequence() - 1));
        }
        // step:end
    }

    private static void snapshot(final Path directory)
    {
        // step:start
        try (Journal journal = Journal.open(directory);
            JournalReader reader = journal.openReader())
        {
            final Stock stock = new Stock();
            final long loaded = journal.snapshots().load(stock::readFrom); // 0 if there is none: replay everything
            reader.seek(loaded + 1);
            while (reader.poll(stock::apply, 100) > 0)
            {
                // Repeat until there are no more records.
            }
            final long applied = reader.nextSequence() - 1;
            System.out.println("apples: " + stock.apples + ", replayed: " + (applied - loaded));
            journal.snapshots().save(applied, stock::writeTo); // first makes the journal durable up to that record
            journal.snapshots().prune(); // keeps what cursors and the two newest snapshots need
        }
        // step:end
    }

    // step:start
    /** The state: it is what its records say, and is rebuilt from them. */
    private static final class Stock
    {
        private long apples;

        void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
        {
            apples += buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        }

        void writeTo(final OutputStream output) throws IOException
        {
            new DataOutputStream(output).writeLong(apples);
        }

        void readFrom(final InputStream input) throws IOException
        {
            apples = new DataInputStream(input).readLong();
        }
    }
    // step:end
}
