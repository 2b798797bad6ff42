// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.journal.RecordHandler;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.store.Backend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture.Entry;
import io.journal.tests.support.StepStore;
import org.agrona.DirectBuffer;

/**
 * Opens a journal whose files were changed arbitrarily, reads it in every form, and continues it: only a
 * {@link JournalException} may be thrown, and no record is delivered that was not written. A journal that opened once
 * opens again.
 * <p>
 * Run by {@code mvn -Pfuzz}, see {@code CONTRIBUTING.md}; {@link FuzzTest} runs the committed inputs.
 */
public final class OpenFuzzer
{
    private static final int MAX_RECORDS = 10_000;

    private OpenFuzzer()
    {
    }

    /** Tries one input. */
    public static void fuzzerTestOneInput(final byte[] bytes)
    {
        final FuzzInput input = new FuzzInput(bytes);
        // DIRECT is left out, so that kept inputs keep their meaning; it opens and reads like FILE_CHANNEL.
        final Backend backend = Backend.values()[input.choose(Backend.DIRECT.ordinal())];
        final int uses = input.nextByte();
        final FuzzedJournal files = FuzzedJournal.choose(input, FuzzDirectory.scratch());
        while (input.hasMore())
        {
            files.change(input);
        }

        final JournalDirectory directory = FuzzDirectory.directory();
        directory.restore(files.files());
        final long last;
        try (Journal journal = open(directory, backend))
        {
            read(journal, files);
            last = use(journal, uses);
        }
        catch (final JournalException ignore)
        {
            return;
        }

        try (Journal again = open(directory, backend))
        {
            if (again.lastSequence() != last)
            {
                throw new AssertionError("lastSequence=" + again.lastSequence() + ", before=" + last);
            }
        }
    }

    private static Journal open(final JournalDirectory directory, final Backend backend)
    {
        return Journal.builder(directory.path)
            .store(StepStore.unforced(backend.store(directory.path)))
            .backgroundThread(false)
            .clock(() -> 1)
            .open();
    }

    private static void read(final Journal journal, final FuzzedJournal files)
    {
        final long first = journal.firstSequence();
        final long last = journal.lastSequence();
        try (JournalReader reader = journal.openReader())
        {
            forwards(reader, files, first);
            if (reader.nextSequence() != last + 1)
            {
                throw new AssertionError("read up to " + reader.nextSequence() + ", lastSequence=" + last);
            }
        }
        catch (final JournalException ignore)
        {
            // The damage is reported.
        }

        try (JournalReader reader = journal.openReader())
        {
            reader.seekToEnd();
            backwards(reader, files);
            reader.seekToTime(Instant.ofEpochMilli(1_001_000));
            forwards(reader, files, reader.nextSequence());
            reader.seek(first + (last + 1 - first) / 2);
            forwards(reader, files, reader.nextSequence());
        }
        catch (final JournalException ignore)
        {
            // The damage is reported.
        }
    }

    static void forwards(final JournalReader reader, final FuzzedJournal files, final long first)
    {
        final long[] next = { first };
        for (int i = 0; i < MAX_RECORDS && 0 < reader.poll((buffer, offset, length, header) ->
        {
            check(files, buffer, offset, length, header, next[0]);
            next[0]++;
        }, 10); i++)
        {
            reader.state();
        }
    }

    private static void backwards(final JournalReader reader, final FuzzedJournal files)
    {
        final long[] next = { reader.nextSequence() - 1 };
        for (int i = 0; i < MAX_RECORDS && 0 < reader.pollBackwards((buffer, offset, length, header) ->
        {
            check(files, buffer, offset, length, header, next[0]);
            next[0]--;
        }, 10); i++)
        {
            reader.state();
        }
    }

    private static void check(
        final FuzzedJournal files, final DirectBuffer buffer, final int offset, final int length,
        final RecordHandler.Header header, final long expectedSequence)
    {
        if (header.sequence() != expectedSequence)
        {
            throw new AssertionError("sequence=" + header.sequence() + ", expected=" + expectedSequence);
        }
        final byte[] record = new byte[length];
        buffer.getBytes(offset, record);
        files.check(new Entry(header.sequence(), header.tag(), record), header.position());
    }

    /**
     * Continues the journal.
     *
     * @return the last sequence.
     */
    private static long use(final Journal journal, final int uses)
    {
        if (0 != (uses & 1))
        {
            useCursors(journal);
        }
        if (0 != (uses & 2))
        {
            journal.appender().append(new byte[100]);
            journal.appender().append(new RecordBatch().add(new byte[3]).add(new byte[40]));
            journal.force();
        }
        if (0 != (uses & 4))
        {
            tolerate(() -> truncate(journal));
        }
        if (0 != (uses & 8))
        {
            tolerate(() -> journal.prune(journal.lastSequence() + 1));
        }
        if (0 != (uses & 16))
        {
            journal.roll();
            journal.appender().append(new byte[1]);
        }
        return journal.lastSequence();
    }

    private static void truncate(final Journal journal)
    {
        try
        {
            journal.truncateAfter(Math.max(journal.firstSequence() - 1, journal.lastSequence() - 3));
        }
        catch (final IllegalArgumentException ignore)
        {
            // In the middle of a batch.
        }
    }

    private static void useCursors(final Journal journal)
    {
        final List<String> names = new ArrayList<>(journal.cursorNames());
        names.add("new");
        for (final String name : names)
        {
            tolerate(() ->
            {
                final JournalCursor cursor = journal.cursor(name);
                cursor.lag();
                cursor.save(journal.lastSequence());
            });
        }
    }

    /** The damage may be reported, and the journal continues. */
    private static void tolerate(final Runnable use)
    {
        try
        {
            use.run();
        }
        catch (final JournalException ignore)
        {
            // The damage is reported.
        }
    }
}
