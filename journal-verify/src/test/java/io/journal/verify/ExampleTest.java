// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The examples in the documentation of {@link JournalVerifier} and {@link JournalRepair}. */
class ExampleTest
{
    @TempDir
    Path path;

    @BeforeEach
    void writeTenRecords()
    {
        try (Journal journal = Journal.open(path))
        {
            for (int i = 0; i < 10; i++)
            {
                journal.appender().append(new byte[100]);
            }
        }
    }

    @Test
    void programVerifiesAndRepairsAJournal() throws IOException
    {
        assertEquals(List.of(), verify());
        damageThirdRecord();
        assertEquals(1, verify().size());

        repair();

        assertEquals(List.of(), verify());
        assertLast(2);
    }

    @Test
    void programTruncatesNothingBecauseOfAStrayFile() throws IOException
    {
        final Path stray = Files.writeString(path.resolve("copy.journal"), "text");

        assertThrows(JournalException.class, this::repair);

        Files.delete(stray);
        assertLast(10);
    }

    private void damageThirdRecord() throws IOException
    {
        try (RandomAccessFile file = new RandomAccessFile(path.resolve("00000000000000000000.journal").toFile(), "rw"))
        {
            file.seek(4096 + 64 + 2 * 128 + 30);
            file.write(1);
        }
    }

    private void assertLast(final long sequence)
    {
        try (Journal journal = Journal.open(path))
        {
            assertEquals(sequence, journal.lastSequence());
        }
    }

    private List<String> verify()
    {
        final List<String> log = new ArrayList<>();
        final Verdict verdict = JournalVerifier.verify(path);
        if (verdict.isDamaged())
        {
            verdict.findings().forEach((finding) -> log.add(finding.place() + ": " + finding.meaning()));
        }
        return log;
    }

    private void repair()
    {
        try (JournalRepair repair = JournalRepair.open(path))
        {
            repair.rebuild();
            final Verdict verdict = JournalVerifier.verify(path);
            if (verdict.isRepairableByTruncation())
            {
                repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
            }
        }
        Journal.open(path).close();
    }
}
