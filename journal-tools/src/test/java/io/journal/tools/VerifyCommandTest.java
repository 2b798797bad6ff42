// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.verify.JournalVerifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class VerifyCommandTest extends ToolsFixture
{
    @Test
    void intactJournalIsReportedIntactAndUnchanged() throws IOException
    {
        final Path journal = journal(300);
        final Map<String, String> before = picture(journal);

        final Run text = run("verify", journal);
        final JsonNode json = run("verify", "--json", journal).json();

        text.assertExit(ExitCode.OK);
        assertTrue(
            unfolded(text.out()).contains("300 records read: all intact, and the journal was closed."), text.out());
        assertFalse(json.get("isDamaged").asBoolean());
        assertTrue(json.get("isCleanlyClosed").asBoolean());
        assertEquals(300, json.get("records").asLong());
        assertEquals(300, json.get("lastSequence").asLong());
        assertTrue(json.get("segments").asInt() > 3);
        assertEquals(before, picture(journal));
    }

    @Test
    void errorInAReadingThreadIsThrownAsItIs()
    {
        final Path journal = journal(300);
        final OutOfMemoryError error = new OutOfMemoryError("test");

        assertSame(error, assertThrows(OutOfMemoryError.class, () -> JournalVerifier.verify(journal, (fraction) ->
        {
            throw error;
        })));
    }

    @Test
    void damageIsReportedWithItsPlaceAndTheRecordsLost() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 1), 20_000);

        final Run text = run("verify", journal);
        final JsonNode json = run("verify", "--json", journal).json();

        text.assertExit(ExitCode.DAMAGED);
        assertTrue(text.out().contains("DAMAGE in 00000000000000000001.journal at offset"), text.out());
        assertTrue(unfolded(text.out()).contains("restore the file from a backup"), text.out());
        assertEquals(1, json.get("findings").size());
        final JsonNode finding = json.get("findings").get(0);
        assertEquals("DAMAGE", finding.get("severity").asText());
        assertEquals("00000000000000000001.journal", finding.get("place").get("file").asText());
        final long offset = finding.get("place").get("offset").asLong();
        assertTrue(offset <= 20_000 && offset > 18_000, () -> "offset=" + offset);
        assertEquals(65_536 + offset, finding.get("place").get("position").asLong());
        assertEquals("a valid frame", finding.get("expected").asText());
        assertTrue(finding.get("found").asText().contains("checksum"), finding::toString);
        assertEquals(finding.get("place").get("sequence").asLong() - 1, json.get("lastSequence").asLong());
        assertEquals(300, json.get("records").asLong() + finding.get("lost").asLong());
    }

    @Test
    void everyDamageIsReportedNotOnlyTheFirst() throws IOException
    {
        final Path journal = journal(300);
        flip(segment(journal, 0), 9_000);
        flip(segment(journal, 1), 20_000);
        flip(segment(journal, 2), 64);

        final JsonNode findings = run("verify", "--json", journal).json().get("findings");

        assertEquals(3, findings.size(), findings::toString);
        assertEquals("00000000000000000002.journal", findings.get(2).get("place").get("file").asText());
        assertTrue(findings.get(2).get("lost").asLong() > 30, findings::toString);
    }

    @Test
    void missingSegmentAndMissingEndAreReported() throws IOException
    {
        final Path journal = journal(300);
        Files.delete(segment(journal, 1));

        final Run run = run("verify", journal);

        run.assertExit(ExitCode.DAMAGED);
        assertTrue(run.out().contains("DAMAGE in 00000000000000000001.journal"), run.out());
        assertTrue(run.out().contains("no file"), run.out());

        for (long ordinal = 2; Files.exists(segment(journal, ordinal)); ordinal++)
        {
            Files.delete(segment(journal, ordinal));
        }
        run("verify", journal).assertExit(ExitCode.DAMAGED);
    }

    @Test
    void segmentWithoutReadPermissionIsNotReportedAsDamaged() throws IOException
    {
        final Path journal = journal(300);
        assumeTrue(segment(journal, 1).toFile().setReadable(false), "no permissions here");
        assumeFalse(Files.isReadable(segment(journal, 1)), "permissions do not bind this user");

        final Run run = run("verify", journal);

        run.assertExit(ExitCode.FAILED);
        assertTrue(run.out().contains("UNREADABLE in 00000000000000000001.journal"), run.out());
        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.FAILED);
        assertTrue(segment(journal, 1).toFile().setReadable(true));
        assertHolds(journal, 1, 300);
    }

    @Test
    void tornTailIsNoDamage() throws IOException
    {
        final Path journal = temp.resolve("orders");
        final Path copy = temp.resolve("copy");
        try (Journal open = builder(journal).open())
        {
            append(open, 100);
            Files.createDirectory(copy);
            for (final String name : picture(journal).keySet())
            {
                if (Files.isRegularFile(journal.resolve(name)) && !name.contains("lock"))
                {
                    Files.copy(journal.resolve(name), copy.resolve(name));
                }
            }
        }
        final JsonNode before = run("verify", "--json", copy).json();
        final long end = before.get("endPosition").asLong();
        flip(segment(copy, end / SEGMENT_LENGTH), end % SEGMENT_LENGTH + 100);

        final Run run = run("verify", copy);

        run.assertExit(ExitCode.OK);
        assertTrue(run.out().contains("torn tail in"), run.out());
        assertEquals(100, before.get("lastSequence").asLong());
    }

    @Test
    void journalInUseIsVerifiedBesideItsWriter()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 200);

            final Run run = run("verify", journal);

            run.assertExit(ExitCode.OK);
            assertTrue(unfolded(run.out()).contains("not closed, is in use"), run.out());
            append(open, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void activeWriterIsNeverReportedAsDamage(final Backend backend) throws Exception
    {
        final Path journal = temp.resolve("orders");
        final AtomicBoolean isDone = new AtomicBoolean();
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        try (Journal open = builder(journal).backend(backend).recycleSegments(true).open())
        {
            append(open, 10);
            final Future<?> writer = executor.submit(() -> work(open, isDone));
            for (int round = 0; round < 10; round++)
            {
                final Run run = run("verify", journal);
                assertEquals(ExitCode.OK, run.exitCode(), "round=" + round + ": " + run);
            }
            isDone.set(true);
            writer.get(10, TimeUnit.MINUTES);
        }
        finally
        {
            isDone.set(true);
            executor.shutdown();
        }
    }

    private static void work(final Journal journal, final AtomicBoolean isDone)
    {
        for (int i = 1; !isDone.get(); i++)
        {
            append(journal, 30);
            if (0 == i % 20)
            {
                journal.truncateAfter(journal.lastSequence() - 10);
            }
            if (0 == i % 7)
            {
                journal.prune(Math.max(1, journal.lastSequence() - 200));
            }
        }
    }
}
