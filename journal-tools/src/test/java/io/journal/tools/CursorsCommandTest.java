package io.journal.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tools.CursorFiles.Harm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

class CursorsCommandTest extends ToolsFixture
{
    private static final int KEPT = 2;

    static Stream<Arguments> harms()
    {
        // The tools read the files of all backends alike: each harm on one of them, each backend with several.
        final Backend[] backends = Backend.values();
        return Arrays.stream(Harm.values())
            .map((harm) -> Arguments.of(backends[harm.ordinal() % backends.length], harm));
    }

    /**
     * A journal of 300 records in several segments, with consumers that are done with all but the last few.
     */
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

    private static Path file(final Path journal, final String cursor)
    {
        return journal.resolve("cursors").resolve(cursor + ".cursor");
    }

    /**
     * Opens the journal as an application does that keeps two segments, appends, and has consumers catch up.
     *
     * @return how many segments there are then, with the one that is prepared.
     */
    private static int segmentsAfterRetention(final Path journal, final Backend backend, final String... consumers)
        throws Exception
    {
        try (Journal open = builder(journal).backend(backend).backgroundThread(false)
            .retention(Retention.bytes(KEPT * SEGMENT_LENGTH)).errorHandler((error) ->
            {
            }).open())
        {
            append(open, 200);
            for (final String consumer : consumers)
            {
                open.cursor(consumer).save(open.lastSequence());
            }
            // Retention is applied when a segment was begun.
            append(open, 100);
            for (int i = 0; i < 100; i++)
            {
                open.backgroundAgent().doWork();
            }
        }
        try (Stream<Path> files = Files.list(journal))
        {
            return (int)files.filter((file) -> file.toString().endsWith(".journal")).count();
        }
    }

    @ParameterizedTest
    @MethodSource("harms")
    void unusableCursorIsReportedWithItsConsequenceAndDeletingItLetsRetentionWork(
        final Backend backend, final Harm harm) throws Exception
    {
        final Path journal = journalWithCursors(backend);
        harm.apply(file(journal, "mails"), file(journal, "invoices"));
        final Map<String, String> before = picture(journal);
        final String command = "journal cursors --delete mails " + journal;

        final Run text = run("verify", journal);
        final JsonNode json = run("verify", "--json", journal).json();

        text.assertExit(harm.isNewer() ? ExitCode.NO_JOURNAL : ExitCode.DAMAGED);
        assertTrue(
            unfolded(text.out()).contains("300 records read: the records are intact; 1 cursor is unusable."),
            text.out());
        assertFalse(text.out().contains("DAMAGE"), text.out());
        assertFalse(text.out().contains("backup"), text.out());
        assertTrue(text.out().lines().anyMatch((line) -> line.equals("  repair     " + command)), text.out());
        assertTrue(json.get("isDamaged").asBoolean());
        assertTrue(json.get("areRecordsWhole").asBoolean());
        assertEquals(1, json.get("unusableCursors").asInt());
        assertEquals(300, json.get("records").asLong());
        assertEquals(300, json.get("lastIntactSequence").asLong());
        assertEquals(1, json.get("findings").size(), json::toString);
        assertFinding(json.get("findings").get(0), harm, command);

        final Run list = run("cursors", journal);
        final JsonNode cursors = run("cursors", "--json", journal).json().get("cursors");

        list.assertExit(ExitCode.OK);
        assertTrue(
            list.out().contains("consumer     invoices: done with record 290, 10 behind"), list.out());
        assertTrue(list.out().contains("consumer     mails: UNUSABLE: "), list.out());
        assertTrue(list.out().contains(command), list.out());
        assertEquals(290, cursors.get(0).get("sequence").asLong());
        assertEquals("mails", cursors.get(1).get("name").asText());
        assertFalse(cursors.get(1).get("isUsable").asBoolean());
        assertEquals(command, cursors.get(1).get("repair").asText());
        run("repair", journal).assertExit(ExitCode.OK);
        assertEquals(before, picture(journal));
        final int kept = segmentsAfterRetention(journal, backend, "invoices");
        assertTrue(kept > 8, () -> "kept=" + kept);

        final Run delete = run("cursors", "--delete", "mails", journal);

        delete.assertExit(ExitCode.OK);
        assertEquals(List.of("invoices"), names(journal));
        final Run whole = run("verify", journal);
        whole.assertExit(ExitCode.OK);
        assertTrue(unfolded(whole.out()).contains("600 records read: all intact"), whole.out());
        try (Journal open = builder(journal).backend(backend).open())
        {
            assertEquals(0, open.cursor("mails").sequence());
        }
        final int left = segmentsAfterRetention(journal, backend, "invoices", "mails");
        assertTrue(left <= KEPT + 2, () -> "left=" + left);
        run("verify", journal).assertExit(ExitCode.OK);
    }

    private static void assertFinding(final JsonNode finding, final Harm harm, final String command)
    {
        assertEquals(harm.isNewer() ? "NEWER_FORMAT" : "UNUSABLE", finding.get("severity").asText());
        assertEquals("cursors/mails.cursor", finding.get("file").asText());
        assertEquals(harm.offset, finding.get("offset").asLong());
        assertTrue(finding.get("expected").asText().startsWith(harm.expected), finding::toString);
        assertTrue(finding.get("found").asText().startsWith(harm.found), finding::toString);
        assertTrue(finding.get("meaning").asText().contains("retention keeps all history"), finding::toString);
        assertTrue(finding.get("meaning").asText().contains("its consumer cannot continue"), finding::toString);
        assertEquals(command, finding.get("repair").asText());
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
    void cursorAheadOfTheEndIsDamageThatRepairSetsBack(final Backend backend) throws IOException
    {
        final Path journal = journalWithCursors(backend);
        CursorFiles.writePlace(file(journal, "mails"), 9, 0, 301);

        final Run text = run("verify", journal);
        final JsonNode json = run("verify", "--json", journal).json();

        text.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(text.out()).contains("Intact from the beginning: records 1 to 300."), text.out());
        assertFalse(json.get("areRecordsWhole").asBoolean());
        final JsonNode finding = json.get("findings").get(0);
        assertEquals("DAMAGE", finding.get("severity").asText());
        assertEquals("cursors/mails.cursor", finding.get("file").asText());
        assertEquals(2 * 4096 + 16, finding.get("offset").asLong());
        assertEquals("at most sequence 300", finding.get("expected").asText());
        assertEquals("sequence 301", finding.get("found").asText());
        assertEquals("journal repair " + journal, finding.get("repair").asText());
        assertEquals(
            "journal repair " + journal,
            run("cursors", "--json", journal).json().get("cursors").get(1).get("repair").asText());

        // It shows that a record is lost, so it must not be deleted.
        run("cursors", "--delete", "mails", journal).assertExit(ExitCode.DAMAGED);
        assertTrue(Files.exists(file(journal, "mails")));

        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);
        run("verify", journal).assertExit(ExitCode.OK);
        try (Journal open = builder(journal).backend(backend).open())
        {
            assertEquals(300, open.lastSequence());
            assertEquals(300, open.cursor("mails").sequence());
        }
        assertHolds(journal, 1, 300);
    }

    @Test
    void cursorAheadOfTheEndIsUnusableOnceTheJournalWasOpened() throws IOException
    {
        final Path journal = journalWithCursors(Backend.FILE_CHANNEL);
        CursorFiles.writePlace(file(journal, "mails"), 9, 0, 301);
        try (Journal open = builder(journal).open())
        {
            assertThrows(CorruptJournalException.class, () -> open.cursor("mails"));
            append(open, 10);
        }

        final Run verify = run("verify", journal);

        verify.assertExit(ExitCode.DAMAGED);
        assertTrue(verify.out().contains("UNUSABLE: cursors/mails.cursor"), verify.out());
        assertTrue(unfolded(verify.out()).contains("the records are intact; 1 cursor is unusable."), verify.out());
        run("cursors", "--delete", "mails", journal).assertExit(ExitCode.OK);
        run("verify", journal).assertExit(ExitCode.OK);
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void fileInPlaceOfTheDirectoryOfCursorsIsReportedAndMovedByRepair(final Backend backend) throws IOException
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).backend(backend).open())
        {
            append(open, 300);
        }
        Files.writeString(journal.resolve("cursors"), "text");

        final Run text = run("verify", journal);

        text.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(text.out()).contains("the records are intact; cursors is unusable."), text.out());
        assertTrue(text.out().contains("journal repair --apply " + journal), text.out());
        final JsonNode finding = run("verify", "--json", journal).json().get("findings").get(0);
        assertEquals("UNUSABLE", finding.get("severity").asText());
        assertEquals("cursors", finding.get("file").asText());
        for (final Run run : List.of(run("cursors", journal), run("cursors", "--delete", "mails", journal)))
        {
            run.assertExit(ExitCode.DAMAGED);
            assertTrue(run.err().contains("journal repair --apply " + journal), run.err());
        }
        try (Journal open = builder(journal).backend(backend).open())
        {
            assertThrows(JournalException.class, () -> open.cursor("mails"));
        }

        final Run dry = run("repair", journal);
        dry.assertExit(ExitCode.DAMAGED);
        assertTrue(dry.out().contains("would move   cursors into quarantine"), dry.out());
        run("repair", "--apply", journal).assertExit(ExitCode.OK);

        assertEquals("text", Files.readString(journal.resolve("quarantine/cursors")));
        run("verify", journal).assertExit(ExitCode.OK);
        try (Journal open = builder(journal).backend(backend).open())
        {
            assertEquals(0, open.cursor("mails").sequence());
        }
        assertHolds(journal, 1, 300);
    }

    @Test
    void cursorWithoutReadPermissionIsUnusableUntilItIsDeleted() throws IOException
    {
        final Path journal = journalWithCursors(Backend.FILE_CHANNEL);
        assertTrue(file(journal, "mails").toFile().setReadable(false));
        assumeFalse(Files.isReadable(file(journal, "mails")), "permissions do not bind this user");

        final Run verify = run("verify", journal);

        verify.assertExit(ExitCode.FAILED);
        assertTrue(verify.out().contains("UNREADABLE in cursors/mails.cursor"), verify.out());
        assertTrue(unfolded(verify.out()).contains("the records are intact; 1 cursor is unusable."), verify.out());
        assertTrue(verify.out().contains("journal cursors --delete mails " + journal), verify.out());
        try (Journal open = builder(journal).open())
        {
            assertThrows(JournalException.class, () -> open.cursor("mails"));
        }
        final Run list = run("cursors", journal);
        list.assertExit(ExitCode.OK);
        assertTrue(list.out().contains("mails: UNUSABLE: cannot read a cursor"), list.out());
        assertTrue(unfolded(list.out()).contains("until this file can be read, retention keeps all"), list.out());

        run("cursors", "--delete", "mails", journal).assertExit(ExitCode.OK);

        run("verify", journal).assertExit(ExitCode.OK);
        assertEquals(List.of("invoices"), names(journal));
    }

    @Test
    void unreadableCursorThatPreventsOpeningIsDeleted() throws IOException
    {
        final Path journal = journalWithTornTail();
        assertTrue(file(journal, "mails").toFile().setReadable(false));
        assumeFalse(Files.isReadable(file(journal, "mails")), "permissions do not bind this user");
        final String reason = assertThrows(JournalException.class, () -> Journal.open(journal).close()).getMessage();
        assertTrue(reason.contains("cannot read a cursor: file=cursors/mails.cursor"), reason);

        final Run delete = run("cursors", "--delete", "mails", journal);

        delete.assertExit(ExitCode.OK);
        assertTrue(delete.out().contains("Deleted the cursor mails."), delete.out());
        assertEquals(List.of("invoices"), names(journal));
        assertHolds(journal, 1, 300);
    }

    /**
     * A copy of the files of a writer, with a record at the end that is not durable and torn.
     */
    private Path journalWithTornTail() throws IOException
    {
        final Path live = temp.resolve("live");
        final Path journal = Files.createDirectories(temp.resolve("orders").resolve("cursors")).getParent();
        try (Journal open = builder(live).open())
        {
            append(open, 300);
            open.cursor("invoices").save(290);
            open.cursor("mails").save(299);
            open.appender().append("torn".getBytes(StandardCharsets.UTF_8));
            try (Stream<Path> files = Files.walk(live))
            {
                for (final Path file : (Iterable<Path>)files.filter(Files::isRegularFile)::iterator)
                {
                    Files.copy(file, journal.resolve(live.relativize(file).toString()));
                }
            }
        }
        final List<JsonNode> records = run("dump", "--from", 301, "--json", journal).jsonLines();
        final long position = records.get(0).get("position").asLong();
        flip(segment(journal, position / SEGMENT_LENGTH), position % SEGMENT_LENGTH + 24);
        return journal;
    }

    @Test
    void severalUnusableCursorsAreAllReported() throws IOException
    {
        final Path journal = journalWithCursors(Backend.FILE_CHANNEL);
        Harm.GARBAGE.apply(file(journal, "mails"), file(journal, "invoices"));
        Harm.NEWER_VERSION.apply(file(journal, "invoices"), file(journal, "mails"));

        final Run run = run("verify", journal);

        // What is damaged counts more than what is newer.
        run.assertExit(ExitCode.DAMAGED);
        assertTrue(unfolded(run.out()).contains("the records are intact; 2 cursors are unusable."), run.out());
        assertTrue(run.out().contains("journal cursors --delete invoices "), run.out());
    }

    @Test
    void unusableCursorIsReportedBesideDamagedRecordsAndOutlivesTheirRepair() throws IOException
    {
        final Path journal = journalWithCursors(Backend.FILE_CHANNEL);
        flip(segment(journal, 1), 20_000);
        Harm.NEWER_VERSION.apply(file(journal, "mails"), file(journal, "invoices"));

        final Run verify = run("verify", journal);

        verify.assertExit(ExitCode.DAMAGED);
        assertTrue(verify.out().contains("DAMAGE in 00000000000000000001.journal"), verify.out());
        assertTrue(verify.out().contains("NEWER FORMAT in cursors/mails.cursor"), verify.out());
        assertTrue(verify.out().contains("Restore it from a backup."), verify.out());
        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);
        final JsonNode json = run("verify", "--json", journal).json();
        assertTrue(json.get("areRecordsWhole").asBoolean(), json::toString);
        assertEquals(1, json.get("unusableCursors").asInt());
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
            assertTrue(delete.err().contains("deleted by its own application"), delete.err());
            assertEquals(List.of("mails"), open.cursorNames());
        }
    }

    @Test
    void unknownCursorIsRejectedWithTheNamesOfTheOthers() throws IOException
    {
        final Path journal = journalWithCursors(Backend.FILE_CHANNEL);
        final Map<String, String> before = picture(journal.resolve("cursors"));
        for (final String name : List.of("mail", "../journal", "mails.cursor", ""))
        {
            final Run run = run("cursors", "--delete", name, journal);
            run.assertExit(ExitCode.USAGE);
            assertTrue(
                run.err().contains("no such cursor: " + name + "; there are: invoices, mails"), run.err());
        }
        assertEquals(before, picture(journal.resolve("cursors")));

        run("cursors", "--delete", "mails", journal).assertExit(ExitCode.OK);
        run("cursors", "--delete", "invoices", journal).assertExit(ExitCode.OK);
        final Run none = run("cursors", "--delete", "mails", journal);
        none.assertExit(ExitCode.USAGE);
        assertTrue(none.err().contains("there are none"), none.err());
        assertEquals("No cursors." + System.lineSeparator(), run("cursors", journal).out());
        assertEquals(0, run("cursors", "--json", journal).json().get("cursors").size());
        assertHolds(journal, 1, 300);
    }

    @Test
    void printedCommandCanBeTypedAsItIs() throws Exception
    {
        final Path journal = temp.resolve("our orders' journal");
        try (Journal open = builder(journal).open())
        {
            append(open, 10);
            open.cursor("-x").save(3);
        }
        Files.write(file(journal, "-x"), new byte[3]);
        final String command =
            run("verify", "--json", journal).json().get("findings").get(0).get("repair").asText();
        assumeFalse(!Files.isExecutable(Path.of("/bin/sh")), "needs a shell");

        final Process shell = new ProcessBuilder("/bin/sh", "-c", "printf '%s\\n' " + command).start();
        final List<String> words = new String(shell.getInputStream().readAllBytes()).lines().toList();

        assertEquals(List.of("journal", "cursors", "--delete=-x", journal.toString()), words);
        run(words.subList(1, words.size()).toArray()).assertExit(ExitCode.OK);
        run("verify", journal).assertExit(ExitCode.OK);
    }

    @Test
    void pruneRejectsAnUnusableCursorAndNamesTheCommandThatDeletesIt() throws IOException
    {
        final Path journal = journalWithCursors(Backend.FILE_CHANNEL);
        Harm.NO_VALID_SLOT.apply(file(journal, "mails"), file(journal, "invoices"));

        final Run rejected = run("prune", "--before", 200, journal);

        rejected.assertExit(ExitCode.DAMAGED);
        assertTrue(rejected.err().contains("journal cursors --delete mails " + journal), rejected.err());
        assertHolds(journal, 1, 300);
        run("prune", "--before", 200, "--ignore-cursors", journal).assertExit(ExitCode.OK);
        run("verify", journal).assertExit(ExitCode.DAMAGED);
        run("cursors", "--delete", "mails", journal).assertExit(ExitCode.OK);
        run("prune", "--before", 250, journal).assertExit(ExitCode.OK);
    }
}
