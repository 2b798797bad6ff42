// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.internal.files.JournalFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Random histories of appends, truncations, prunes, crashes and openings: the verifier finds nothing wrong in them, and
 * the segments alone show which records there are.
 */
@Tag("slow")
class RebuiltHistoryTest
{
    private static final int SEGMENT_LENGTH = 64 * 1024;
    private static final int STEPS = 60;

    @TempDir
    Path temp;
    private Random random;
    private int copies;

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
    void lostControlFileIsRebuiltFromTheSegments(final long seed) throws IOException
    {
        random = new Random(seed);
        Path path = Files.createDirectory(temp.resolve("0"));
        Journal journal = open(path);
        try
        {
            for (int step = 0; step < STEPS; step++)
            {
                final int kind = random.nextInt(10);
                if (kind < 5)
                {
                    append(journal);
                }
                else if (kind < 7 && journal.lastSequence() > journal.firstSequence())
                {
                    truncate(journal);
                }
                else if (7 == kind && journal.lastSequence() > 20)
                {
                    journal.prune(journal.lastSequence() - random.nextInt(20));
                }
                else
                {
                    journal.force();
                    final Path next = copy(path);
                    journal.close();
                    path = random.nextBoolean() ? next : path;
                    assertFalse(JournalVerifier.verify(path).isDamaged(), () -> "seed=" + seed);
                    journal = open(path);
                }
                // So that a segment shows the term.
                journal.appender().append(new byte[]{ 1 });
                assertRebuilt(journal, path, "seed=" + seed + ", step=" + step);
            }
        }
        finally
        {
            journal.close();
        }
    }

    private void append(final Journal journal)
    {
        final int count = random.nextInt(60);
        for (int i = 0; i < count; i++)
        {
            if (0 == random.nextInt(10))
            {
                final RecordBatch batch = new RecordBatch();
                batch.add(1, content());
                batch.add(2, content());
                journal.appender().append(batch);
            }
            else
            {
                journal.appender().append(random.nextInt(5), content(), 0, 1 + random.nextInt(10));
            }
            if (0 == random.nextInt(20))
            {
                journal.force();
            }
        }
    }

    private byte[] content()
    {
        final byte[] bytes = new byte[10 + random.nextInt(3000)];
        random.nextBytes(bytes);
        return bytes;
    }

    private void truncate(final Journal journal)
    {
        final long range = Math.min(journal.lastSequence() - journal.firstSequence(), random.nextInt(100) + 1L);
        try
        {
            journal.truncateAfter(journal.lastSequence() - random.nextInt((int)range + 1));
        }
        catch (final IllegalArgumentException ignore)
        {
            // In the middle of a batch.
        }
    }

    private void assertRebuilt(final Journal journal, final Path path, final String context) throws IOException
    {
        journal.force();
        final List<String> expected = read(journal);
        final Path copy = copy(path);
        Verdict verdict = JournalVerifier.verify(copy);
        assertFalse(verdict.isDamaged(), () -> context + ": " + JournalVerifier.verify(copy));
        assertEquals(journal.lastSequence(), verdict.lastSequence(), context);
        Files.delete(copy.resolve(JournalFiles.CONTROL));

        try (JournalRepair repair = JournalRepair.open(copy))
        {
            assertEquals(1, repair.rebuild().size(), context);
        }

        verdict = JournalVerifier.verify(copy);
        assertFalse(verdict.isDamaged(), () -> context + ": " + JournalVerifier.verify(copy));
        try (Journal rebuilt = open(copy))
        {
            assertEquals(expected, read(rebuilt), context);
            rebuilt.appender().append(new byte[3]);
        }
        assertFalse(JournalVerifier.verify(copy).isDamaged(), context);
        try (Stream<Path> files = Files.list(copy))
        {
            for (final Path file : files.toList())
            {
                Files.delete(file);
            }
        }
        Files.delete(copy);
    }

    private static List<String> read(final Journal journal)
    {
        final List<String> records = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            while (0 != reader.poll((buffer, offset, length, header) ->
            {
                final byte[] bytes = new byte[length];
                buffer.getBytes(offset, bytes);
                records.add(header.sequence() + " " + header.tag() + " " + java.util.Arrays.hashCode(bytes));
            }, 100))
            {
                Thread.onSpinWait();
            }
        }
        return records;
    }

    private Path copy(final Path path) throws IOException
    {
        final Path copy = Files.createDirectory(temp.resolve(String.valueOf(++copies)));
        try (Stream<Path> files = Files.list(path))
        {
            for (final Path file : (Iterable<Path>)files::iterator)
            {
                if (Files.isRegularFile(file))
                {
                    Files.copy(file, copy.resolve(String.valueOf(file.getFileName())));
                }
            }
        }
        return copy;
    }

    private static Journal open(final Path path)
    {
        return Journal.builder(path).segmentLength(SEGMENT_LENGTH).backgroundThread(false).open();
    }
}
