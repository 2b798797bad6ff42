// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.Journal;
import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Snapshots are verified. A damaged snapshot is not reported as damage of the records, and does not prevent their
 * repair.
 */
class VerifySnapshotsTest extends ToolsFixture
{
    private static final int HEADER_LENGTH = 4096;
    private static final int FIELDS_LENGTH = 100;
    private static final byte[] STATE = { 1, 2, 3, 4, 5 };

    @Test
    void intactSnapshotsAreNoFindingAndStayAsTheyAre() throws IOException
    {
        final Path journal = journalWithSnapshots(10, 20);
        final Map<String, String> before = picture(journal);

        final Run run = run("verify", journal);

        run.assertExit(ExitCode.OK);
        assertTrue(unfolded(run.out()).contains("all intact"), run.out());
        assertEquals(before, picture(journal));
    }

    @Tag("slow")
    @Test
    void flippedBitInAnyByteOfASnapshotIsFound() throws IOException
    {
        final Path journal = journalWithSnapshots(10, 20);
        final Path file = snapshot(journal, 20);
        final byte[] intact = Files.readAllBytes(file);
        assertEquals(HEADER_LENGTH + STATE.length, intact.length);

        for (int i = 0; i < intact.length; i++)
        {
            if (i < FIELDS_LENGTH || i >= HEADER_LENGTH - Long.BYTES)
            {
                final byte[] damaged = intact.clone();
                damaged[i] = (byte)(damaged[i] ^ 1 << i % Byte.SIZE);
                Files.write(file, damaged);
                assertOneFinding(journal, "offset=" + i);
            }
        }
    }

    @Test
    void shorterOrLongerSnapshotIsFound() throws IOException
    {
        final Path journal = journalWithSnapshots(10, 20);
        final Path file = snapshot(journal, 20);
        final byte[] intact = Files.readAllBytes(file);

        for (final int length : new int[]{ 0, 1, HEADER_LENGTH - 1, HEADER_LENGTH, intact.length - 1,
            intact.length + 1 })
        {
            Files.write(file, Arrays.copyOf(intact, length));
            assertOneFinding(journal, "length=" + length);
        }
    }

    @Test
    void damagedSnapshotIsReportedWithItsConsequence() throws IOException
    {
        final Path journal = journalWithSnapshots(10, 20);
        flip(snapshot(journal, 20), HEADER_LENGTH + 1);

        final Run text = run("verify", journal);
        final JsonNode json = run("verify", "--json", journal).json();

        text.assertExit(ExitCode.DAMAGED);
        assertTrue(text.out().contains("UNUSABLE: " + relative(20)), text.out());
        assertTrue(
            unfolded(text.out()).contains("the records are intact; " + relative(20) + " is unusable."), text.out());
        assertTrue(json.get("isDamaged").asBoolean());
        assertTrue(json.get("areRecordsWhole").asBoolean());
        assertEquals(1, json.get("unusableSnapshots").asInt());
        final List<Throwable> reported = new ArrayList<>();
        try (Journal opened = builder(journal).errorHandler(reported::add).open())
        {
            assertEquals(10, opened.snapshots().load((input) -> assertEquals(1, input.read())));
        }
        assertEquals(1, reported.size());
    }

    @Test
    void snapshotBehindTheEndOfTheJournalIsFound() throws IOException
    {
        final Path journal = journalWithSnapshots(10);
        final Path older = temp.resolve("older");
        copy(journal, older);
        try (Journal opened = builder(journal).open())
        {
            append(opened, 10);
            opened.snapshots().save(20, (output) -> output.write(STATE));
        }
        Files.copy(snapshot(journal, 20), snapshot(older, 20));

        final Finding finding = assertOneFinding(older, "ahead");

        assertEquals("one of record 20", finding.found());
        assertEquals("no snapshot after record 10", finding.expected());
    }

    @Test
    void snapshotOfAnotherJournalIsFound() throws IOException
    {
        final Path journal = journalWithSnapshots(10);
        final Path other = temp.resolve("other");
        Files.move(journal, other);
        final Path replaced = journalWithSnapshots(10);
        Files.copy(snapshot(other, 10), snapshot(replaced, 10), StandardCopyOption.REPLACE_EXISTING);

        assertTrue(assertOneFinding(replaced, "foreign").found().startsWith("journal "));
    }

    @Test
    void whatIsNoSnapshotFileIsFound() throws IOException
    {
        final Path journal = journalWithSnapshots(10, 20);
        Files.delete(snapshot(journal, 20));
        Files.createDirectory(snapshot(journal, 20));

        assertEquals("a regular file", assertOneFinding(journal, "directory").expected());

        final Path plain = temp.resolve("plain");
        Files.move(journal.resolve("snapshots"), plain);
        Files.write(journal.resolve("snapshots"), STATE);
        final Verdict verdict = JournalVerifier.verify(journal);
        assertEquals(1, verdict.findings().size(), verdict::toString);
        assertEquals("snapshots", verdict.findings().get(0).place().file());
        assertEquals(Severity.UNUSABLE, verdict.findings().get(0).severity());
        assertTrue(verdict.findings().get(0).isOfSnapshots());
    }

    @Test
    void otherNamesBesideTheSnapshotsDoNotCount() throws IOException
    {
        final Path journal = journalWithSnapshots(10, 20);
        Files.move(snapshot(journal, 20), journal.resolve(relative(20).replace(".snapshot", ".discarded")));
        Files.write(journal.resolve("snapshots/spare"), STATE);
        Files.write(journal.resolve("snapshots/readme.txt"), STATE);

        run("verify", journal).assertExit(ExitCode.OK);
    }

    @Test
    void damagedSnapshotKeepsNoRecordFromBeingRepaired() throws IOException
    {
        final Path journal = journalWithSnapshots(10, 300);
        flip(snapshot(journal, 10), HEADER_LENGTH);
        Files.delete(snapshot(journal, 300));
        Files.createDirectory(snapshot(journal, 300));
        final Run records = run("repair", "--apply", journal);

        records.assertExit(ExitCode.OK);
        assertTrue(unfolded(records.out()).contains("The records need no repair"), records.out());

        flip(segment(journal, 1), 20_000);
        run("verify", journal).assertExit(ExitCode.DAMAGED);
        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);
        assertTrue(JournalVerifier.verify(journal).areRecordsWhole());
    }

    /** Creates a journal with these snapshots, and with as many records as the last of them contains. */
    private Path journalWithSnapshots(final int... sequences) throws IOException
    {
        final Path path = temp.resolve("orders");
        try (Journal journal = builder(path).open())
        {
            for (final int sequence : sequences)
            {
                append(journal, (int)(sequence - journal.lastSequence()));
                journal.snapshots().save(sequence, (output) -> output.write(STATE));
            }
        }

        return path;
    }

    private static Finding assertOneFinding(final Path journal, final String message)
    {
        final Verdict verdict = JournalVerifier.verify(journal);
        assertEquals(1, verdict.findings().size(), () -> message + ": " + verdict);
        final Finding finding = verdict.findings().get(0);
        assertTrue(finding.isOfSnapshots(), message);
        assertTrue(finding.isDamage(), message);
        assertTrue(verdict.areRecordsWhole(), message);
        assertTrue(
            Severity.UNUSABLE == finding.severity() || Severity.NEWER_FORMAT == finding.severity(),
            () -> message + ": " + finding);
        return finding;
    }

    private static void copy(final Path from, final Path to) throws IOException
    {
        for (final Path source : (Iterable<Path>)Files.walk(from)::iterator)
        {
            Files.copy(source, to.resolve(from.relativize(source).toString()));
        }
    }

    private static Path snapshot(final Path journal, final long sequence)
    {
        return journal.resolve(relative(sequence));
    }

    private static String relative(final long sequence)
    {
        return String.format("snapshots/%020d-1.snapshot", sequence);
    }
}
