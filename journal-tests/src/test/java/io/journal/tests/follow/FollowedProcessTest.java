// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.follow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A journal is followed from this process while writers in other processes append, are killed, and are replaced by
 * others.
 */
@Tag("slow")
class FollowedProcessTest extends JournalFixture
{
    private static final int[] WINDOWS = { 0, 4096, 64 * 1024 };

    // The seeds of the writers whose records were read, by sequence.
    private final List<Long> found = new ArrayList<>();
    private ReadOnlyJournal followed;
    private JournalReader reader;

    @EachBackend
    void followerContinuesAcrossWriters(final Backend backend) throws Exception
    {
        followLives(backend, 2, 400);
    }

    @Tag("soak")
    @EachBackend
    void followerContinuesAcrossManyWriters(final Backend backend) throws Exception
    {
        followLives(backend, 15, 5000);
    }

    private void followLives(final Backend backend, final int lives, final int records) throws Exception
    {
        try
        {
            for (int life = 0; life < lives; life++)
            {
                final Backend next = UsableBackends.one(backend.ordinal() + life, temp);
                followLife(next, WINDOWS[(backend.ordinal() + life) % WINDOWS.length], 1000 + life, records);
            }

            try (Journal journal = KilledWriter.builder(directory(), backend).backgroundThread(false).open())
            {
                assertEquals(journal.lastSequence(), found.size(), "read before the writer's successor recovered");
                assertEquals(journal.lastSequence(), followed.lastSequence());
                assertEquals(journal.lastSequence(), followed.forcedSequence());
                assertEquals(0, readOn());
                assertSame(journal);
            }
        }
        finally
        {
            if (null != followed)
            {
                reader.close();
                followed.close();
            }
        }
    }

    private void followLife(final Backend backend, final int window, final long seed, final int records)
        throws Exception
    {
        final Path errors = temp.resolve("errors");
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xmx128m",
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
            KilledWriter.class.getName(), directory().toString(), backend.name(), Integer.toString(window),
            Long.toString(seed), "true", Boolean.toString(0 == seed % 2))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(errors.toFile()).start();
        try
        {
            final int enough = found.size() + records;
            while (found.size() < enough)
            {
                assertTrue(process.isAlive(), () -> textOf(errors));
                if (null == followed)
                {
                    open();
                }
                else if (0 == readOn())
                {
                    Thread.yield();
                }
            }
        }
        finally
        {
            process.destroyForcibly().waitFor();
        }

        // The records of the killed writer stay.
        while (readOn() > 0)
        {
            assertEquals(JournalReader.State.FOLLOWING, reader.state());
        }
        assertEquals(followed.lastSequence(), found.size());
    }

    private void open()
    {
        if (Files.exists(directory().resolve("journal.control")))
        {
            followed = Journal.openReadOnly(directory());
            reader = followed.openReader();
        }
    }

    private int readOn()
    {
        return reader.poll(
            (buffer, offset, length, header) ->
            {
                assertEquals(found.size() + 1, header.sequence());
                found.add(KilledWriter.check(buffer, offset, length, header.sequence()));
            },
            1000);
    }

    private void assertSame(final Journal journal)
    {
        try (JournalReader all = journal.openReader())
        {
            final List<Long> recovered = new ArrayList<>();
            all.poll(
                (buffer, offset, length, header) -> recovered.add(
                    KilledWriter.check(buffer, offset, length, header.sequence())),
                Integer.MAX_VALUE);
            assertEquals(recovered, found);
        }
    }
}
