// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CursorsCommandTest extends ToolsFixture
{
    /** A journal of 300 records in several segments, with consumers that are done with all but the last few. */
    private Path journalWithCursors(final Backend backend)
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).backend(backend).open())
        {
            append(open, 300);
            open.cursor("invoices").save(290);
            open.cursor("mails").save(280);
            open.cursor("mails").save(299);
        }

        return journal;
    }

    private static List<String> names(final Path journal)
    {
        try (Journal open = builder(journal).open())
        {
            return open.cursorNames();
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void cursorsAreListedAndDeleted(final Backend backend) throws IOException
    {
        final Path journal = journalWithCursors(backend);

        final Run list = run("cursors", journal);
        final JsonNode cursors = run("cursors", "--json", journal).json().get("cursors");

        list.assertExit(ExitCode.OK);
        assertEquals(
            List.of(
                "consumer     invoices: done with record 290, 10 behind",
                "consumer     mails: done with record 299, 1 behind"),
            list.out().lines().toList());
        assertEquals(2, cursors.size());
        assertEquals("mails", cursors.get(1).get("name").asText());
        assertEquals(299, cursors.get(1).get("sequence").asLong());
        assertEquals(1, cursors.get(1).get("lag").asLong());

        final Run delete = run("cursors", "--delete", "mails", journal);

        delete.assertExit(ExitCode.OK);
        assertTrue(delete.out().contains("Deleted the cursor mails."), delete.out());
        assertEquals(List.of("invoices"), names(journal));
        run("verify", journal).assertExit(ExitCode.OK);
        try (Journal open = builder(journal).backend(backend).open())
        {
            assertEquals(0, open.cursor("mails").sequence());
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void cursorAheadOfTheEndIsDamageThatRepairSetsBack(final Backend backend) throws IOException
    {
        final Path journal = journalWithCursors(backend);
        ControlFiles.saveCursor(journal, "mails", 301);

        final Run text = run("verify", journal);
        final JsonNode json = run("verify", "--json", journal).json();

        text.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(text.out()).contains("Intact from the beginning: records 1 to 300."), text.out());
        assertFalse(json.get("areRecordsWhole").asBoolean());
        final JsonNode finding = json.get("findings").get(0);
        assertEquals("DAMAGE", finding.get("severity").asText());
        assertEquals("journal.control", finding.get("place").get("file").asText());
        assertEquals("record 301, at which the cursor mails was saved", finding.get("expected").asText());

        // The cursor is the proof that a record is lost. So neither opening the journal nor deleting the cursor may
        // remove it.
        assertThrows(CorruptJournalException.class, () -> Journal.open(journal).close());
        run("cursors", "--delete", "mails", journal).assertExit(ExitCode.DAMAGED);

        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);
        run("verify", journal).assertExit(ExitCode.OK);
        try (Journal open = builder(journal).backend(backend).open())
        {
            assertEquals(300, open.lastSequence());
            assertEquals(300, open.cursor("mails").sequence());
            assertEquals(290, open.cursor("invoices").sequence());
        }
        assertHolds(journal, 1, 300);
    }

    @Test
    void cursorsOfAWriterAtWorkAreListedAndNotDeleted()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 30);
            open.cursor("mails").save(20);

            final Run list = run("cursors", journal);
            list.assertExit(ExitCode.OK);
            assertEquals("consumer     mails: done with record 20, 10 behind" + System.lineSeparator(), list.out());
            final Run delete = run("cursors", "--delete", "mails", journal);
            delete.assertExit(ExitCode.LOCKED);
            assertTrue(delete.err().contains("pid=" + ProcessHandle.current().pid()) ||
                delete.err().contains("owner=this process"), delete.err());
            assertEquals(List.of("mails"), open.cursorNames());
        }
    }

    @Test
    void unknownCursorIsRejectedWithTheNamesOfTheOthers() throws IOException
    {
        final Path journal = journalWithCursors(Backend.FILE_CHANNEL);
        final Map<String, String> before = picture(journal);
        for (final String name : List.of("mail", "../journal", "mails.cursor", ""))
        {
            final Run run = run("cursors", "--delete", name, journal);
            run.assertExit(ExitCode.USAGE);
            assertTrue(
                run.err().contains("no such cursor: " + name + "; there are: invoices, mails"), run.err());
        }
        assertEquals(before, picture(journal));

        run("cursors", "--delete", "mails", journal).assertExit(ExitCode.OK);
        run("cursors", "--delete", "invoices", journal).assertExit(ExitCode.OK);
        final Run none = run("cursors", "--delete", "mails", journal);
        none.assertExit(ExitCode.USAGE);
        assertTrue(none.err().contains("there are none"), none.err());
        assertEquals("No cursors." + System.lineSeparator(), run("cursors", journal).out());
        assertEquals(0, run("cursors", "--json", journal).json().get("cursors").size());
        assertHolds(journal, 1, 300);
    }
}
