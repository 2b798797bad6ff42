// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.journal.Journal;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Compares the text of each command, as its user sees it; other tests read the JSON. Values that differ from run to run
 * are replaced.
 */
class GoldenTextTest extends ToolsFixture
{
    private Path small()
    {
        final Path path = temp.resolve("orders");
        try (Journal journal = builder(path).backgroundThread(false).open())
        {
            for (final String text : List.of("apples", "pears\n", "plums"))
            {
                journal.appender().append(7, text.getBytes(StandardCharsets.UTF_8));
            }
            journal.force();
            journal.cursor("mails").save(2);
        }
        return path;
    }

    /**
     * Compares the output with the expected text. Unfolds both first, because the place of a fold depends on the length
     * of the paths.
     */
    private void assertText(final String expected, final Object... args)
    {
        final Run run = run(args);
        final String text = run.out().replace(temp + "/", "")
            .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uuid>")
            .replaceAll("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|(?m)^[0-9]{2}:[0-9]{2}:[0-9]{2}", "<time>")
            .replaceAll("pid=[0-9]+", "pid=<pid>").replaceAll("(expected|found)=[0-9a-f]+", "$1=<crc>");
        assertEquals(unwrapped(expected), unwrapped(text), run::toString);
    }

    private static String unwrapped(final String text)
    {
        // A line that begins with a word of a sentence may have been folded.
        return text.replaceAll("\\R {13}", " ").replaceAll(" +\\R", "\n")
            .replaceAll("\\R(?=[a-z0-9]+( [^ ]|[.,:;]))", " ");
    }

    @Test
    void info()
    {
        final Path journal = small();

        assertText("""
            journal      orders
            uuid         <uuid>
            segments     1 of 64 KiB, 64 KiB
            records      1 to 3
            time         from <time> to <time> or later
            end          position 4,256
            state        closed
            durable      up to position 4,256, by journal.control
            term         1
            writer       pid=<pid>, since=<time> (a process with this id is running)
            consumer     mails: done with record 2, 1 behind
            """, "info", journal);
    }

    @Test
    void dumpAndTail()
    {
        final Path journal = small();

        assertText("""
            1  tag 7  apples
            2  tag 7  pears\\n
            3  tag 7  plums
            """, "dump", journal);
        assertText("""
            3  tag 7  plums
            """, "tail", "-n", 1, journal);
        assertText("""
            2  tag 7  6 bytes
                     +-------------------------------------------------+
                     |  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |
            +--------+-------------------------------------------------+----------------+
            |00000000| 70 65 61 72 73 0a                               |pears.          |
            +--------+-------------------------------------------------+----------------+
            """, "dump", "--from", 2, "--to", 2, "--hex", journal);
    }

    @Test
    void stats()
    {
        assertText("""
            time          written not durable records/s   bytes/s      lag
            <time>            3           0         0   0 bytes        1
            """, "stats", "--every", 0.01, small());
    }

    @Test
    void cursorsAndPrune()
    {
        final Path journal = small();

        assertText("""
            consumer     mails: done with record 2, 1 behind
            """, "cursors", journal);
        assertText("""
            Nothing to drop: no whole segment is below record 2.
            """, "prune", "--before", 2, journal);
        assertText("""
            Deleted the cursor mails. Its consumer begins again at the oldest record.
            """, "cursors", "--delete", "mails", journal);
        assertText("""
            No cursors.
            """, "cursors", journal);
    }

    @Test
    void backupAndSalvage()
    {
        final Path journal = small();

        assertText("""
            Copied to copy: records 1 to 3, each verified.
            """, "backup", journal, temp.resolve("copy"));
        assertText("""
            copied       records 1 to 3
            Written to salvaged: 3 records; nothing is missing.
            """, "salvage", journal, temp.resolve("salvaged"));
    }

    @Test
    void intactJournal()
    {
        final Path journal = small();

        assertText("""
            1 segment and 3 records read: all intact, and the journal was closed.
            """, "verify", journal);
        assertText("""
            Nothing to repair.
            """, "repair", journal);
    }

    @Test
    void damagedJournal() throws IOException
    {
        final Path journal = small();
        // Damage the second record.
        flip(segment(journal, 0), 4192 + 26);

        final String finding = """
            DAMAGE in 00000000000000000000.journal at offset 4,192, record 2
              expected   a valid frame
              found      wrong checksum (length 30)
              means      this was durable, up to position 4256, and is not what was
                         written: restore the file from a backup

            """;
        assertText(finding + """
            1 segment and 1 record read: the journal is damaged. Intact from the beginning:
            record 1.
            Restore it from a backup. Without one, journal repair shows what can be kept.
            """, "verify", journal);
        assertText("""
            copied       record 1
            MISSING      record 2 (00000000000000000000.journal, offset 4,192: wrong checksum
                         (length 30))
            copied       record 3, which begin at 2 now
            Written to salvaged: 2 records.
            """, "salvage", journal, temp.resolve("salvaged"));
        assertText(finding + """
            would keep   record 1
            would lose   everything after that; it contains no record that can be read
            truncation   at position 4,192; what follows stays in its files until the journal
                         is opened for writing, which deletes whole segments
            Nothing was changed. Copy the directory, then add --apply --accept-loss.
            """, "repair", journal);
        assertText(finding + """
            would keep   record 1
            would lose   everything after that; it contains no record that can be read
            truncation   at position 4,192; what follows stays in its files until the journal
                         is opened for writing, which deletes whole segments
            Not repaired: durable records would be lost. Restore a backup, or, if there is
            none, add --accept-loss.
            """, "repair", "--apply", journal);
        assertText(finding + """
            kept         record 1
            lost         everything after that; it contains no record that can be read
            truncated    at position 4,192; what follows stays in its files until the journal
                         is opened for writing, which deletes whole segments
              left out   00000000000000000000.journal, offsets 4,192 to 65,536
            Repaired: the journal opens.
            """, "repair", "--apply", "--accept-loss", journal);
    }

    @Test
    void damagedControlFile() throws IOException
    {
        final Path journal = small();
        flip(journal.resolve("journal.control"), 100);

        assertText("""
            rebuilt      journal.control as journal <uuid>, segmentLength 65536, first sequence 1 in
                         00000000000000000000.journal, term 1
              fault      damaged header: file=journal.control, offset=4092, expected=<crc>, found=<crc>; restore the
                         file from a backup
            Repaired: the journal opens.
            """, "repair", "--apply", journal);
    }
}
