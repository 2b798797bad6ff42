// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The first steps: open, append, force, read. Run it from the project's root, twice: the second run also reads the
 * record of the first one.
 *
 * <pre>
 * mvn -q -pl examples -am -Pexample compile
 * </pre>
 */
public final class QuickStart
{
    private static final int SEGMENT_LENGTH = 1 << 20;

    private QuickStart()
    {
    }

    /**
     * Entry point.
     *
     * @param args the journal's directory; {@code target/quick-start} by default.
     * @throws IOException if the directory around it cannot be created.
     */
    public static void main(final String[] args) throws IOException
    {
        final Path directory = Path.of(args.length > 0 ? args[0] : "target/quick-start");
        // A journal creates its own directory only.
        Files.createDirectories(directory.toAbsolutePath().resolve("..").normalize());
        // Create the journal with small segments, because an example need not take files of 64 MiB. The length is fixed
        // at creation.
        Journal.builder(directory).segmentLength(SEGMENT_LENGTH).open().close();
        run(directory);
        System.out.println("The journal is in " + directory);
    }

    static void run(final Path directory)
    {
        // The README shows the lines between the two markers.
        // snippet:start
        try (Journal journal = Journal.open(directory))
        {
            final JournalAppender appender = journal.appender(); // one thread appends
            final byte[] order = "3 apples".getBytes(UTF_8);
            final long sequence = appender.append(order); // now it survives a crash of this process
            journal.awaitForced(sequence); // now it survives a power cut

            try (JournalReader reader = journal.openReader()) // begins at the first record, follows the newest
            {
                reader.poll((buffer, offset, length, header) ->
                {
                    final String text = buffer.getStringWithoutLengthUtf8(offset, length);
                    System.out.println(header.sequence() + ": " + text);
                }, 1000);
            }
        }
        // snippet:end
    }
}
