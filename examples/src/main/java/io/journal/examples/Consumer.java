// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordHandler;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A consumer that continues where it stopped. Each run appends an order and mails what was not mailed yet: run it from
 * the project's root, twice.
 *
 * <pre>
 * mvn -q -pl examples -am -Pexample compile -Dexample=Consumer
 * </pre>
 *
 * A crash between the mail and the commit leads to a second mail (at-least-once). Where an effect must happen exactly
 * once, it is stored together with its position: see the ledger of the bank.
 */
public final class Consumer
{
    private static final int SEGMENT_LENGTH = 1 << 20;

    private Consumer()
    {
    }

    /** Entry point; the argument is the journal's directory, {@code target/consumer} by default. */
    public static void main(final String[] args) throws IOException
    {
        final Path directory = Path.of(args.length > 0 ? args[0] : "target/consumer");
        // A journal creates its own directory only.
        Files.createDirectories(directory.toAbsolutePath().resolve("..").normalize());
        try (Journal journal = Journal.builder(directory).segmentLength(SEGMENT_LENGTH).open())
        {
            journal.appender().append("3 apples".getBytes(UTF_8));
            consume(journal, (buffer, offset, length, header) -> System.out.println(
                "mailed " + header.sequence() + ": " + buffer.getStringWithoutLengthUtf8(offset, length)));
        }
    }

    static void consume(final Journal journal, final RecordHandler handler)
    {
        try (JournalReader reader = journal.openReader(journal.cursor("mailer")))
        {
            while (reader.await(Duration.ofSeconds(1))) // parks until a record is appended
            {
                reader.poll(handler, 100);
                reader.commit();                        // durable; at-least-once
            }
        }
    }
}
