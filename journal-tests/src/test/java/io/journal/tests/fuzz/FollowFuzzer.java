// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.util.Map;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.JournalDirectory;
import org.agrona.DirectBuffer;

/**
 * Follows a journal whose files are changed arbitrarily: only a {@link JournalException} may be thrown, no record is
 * delivered that was not written, and no file is changed.
 */
public final class FollowFuzzer
{
    private static final int MAX_RECORDS = 10_000;

    private FollowFuzzer()
    {
    }

    /** Tries one input. */
    public static void fuzzerTestOneInput(final byte[] bytes)
    {
        final FuzzInput input = new FuzzInput(bytes);
        final int changesBefore = input.choose(8);
        final JournalReader.Limit limit = JournalReader.Limit.values()[input.choose(2)];
        final FuzzedJournal before = FuzzedJournal.choose(input, FuzzDirectory.scratch());
        for (int i = 0; i < changesBefore && input.hasMore(); i++)
        {
            before.change(input);
        }
        final FuzzedJournal after = before.copy();
        while (input.hasMore())
        {
            after.change(input);
        }

        final JournalDirectory directory = FuzzDirectory.directory();
        directory.restore(before.files());
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory.path);
            JournalReader reader = journal.openReader(limit))
        {
            look(journal);
            read(reader, before, after);
            final Map<String, byte[]> changed = after.files();
            replace(directory, before.files(), changed);
            look(journal);
            read(reader, before, after);
            continueAfter(journal, reader);
            if (tolerate(() -> reader.seek(journal.firstSequence())))
            {
                read(reader, before, after);
            }
            if (tolerate(reader::seekToEnd))
            {
                readBackwards(reader, before, after);
            }
            directory.assertHolds(changed);
        }
        catch (final JournalException ignore)
        {
            // The damage is reported.
        }
    }

    /**
     * Replaces files by new ones: truncating a file while it is mapped can crash the JVM, which is no bug of the
     * journal.
     */
    private static void replace(
        final JournalDirectory directory, final Map<String, byte[]> before, final Map<String, byte[]> after)
    {
        before.forEach((name, bytes) ->
        {
            if (after.containsKey(name) && after.get(name).length != bytes.length)
            {
                directory.delete(name);
            }
        });
        directory.restore(after);
    }

    private static void look(final ReadOnlyJournal journal)
    {
        tolerate(() ->
        {
            final long first = journal.firstSequence();
            final long forced = journal.forcedSequence();
            final long last = journal.lastSequence();
            if (last < first - 1)
            {
                throw new AssertionError("first=" + first + ", forced=" + forced + ", last=" + last);
            }
        });
    }

    private static void continueAfter(final ReadOnlyJournal journal, final JournalReader reader)
    {
        tolerate(() ->
        {
            final Checkpoint checkpoint = reader.checkpoint();
            try (JournalReader next = journal.openReader(checkpoint, JournalReader.Limit.WRITTEN))
            {
                next.state();
            }
        });
    }

    private static void read(final JournalReader reader, final FuzzedJournal before, final FuzzedJournal after)
    {
        tolerate(() ->
        {
            for (int i = 0; i < MAX_RECORDS && 0 < reader.poll(new Check(before, after), 10); i++)
            {
                reader.state();
            }
        });
    }

    private static void readBackwards(
        final JournalReader reader, final FuzzedJournal before, final FuzzedJournal after)
    {
        tolerate(() ->
        {
            for (int i = 0; i < MAX_RECORDS && 0 < reader.pollBackwards(new Check(before, after), 10); i++)
            {
                reader.state();
            }
        });
    }

    /** A record may come from either state of the files. */
    private static final class Check implements RecordHandler
    {
        private final FuzzedJournal before;
        private final FuzzedJournal after;

        Check(final FuzzedJournal before, final FuzzedJournal after)
        {
            this.before = before;
            this.after = after;
        }

        @Override
        public void onRecord(
            final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
        {
            final byte[] record = new byte[length];
            buffer.getBytes(offset, record);
            final JournalFixture.Entry entry = new JournalFixture.Entry(header.sequence(), header.tag(), record);
            if (!before.isKnown(entry, header.position()))
            {
                after.check(entry, header.position());
            }
        }
    }

    /**
     * @return whether nothing was reported.
     */
    private static boolean tolerate(final Runnable use)
    {
        try
        {
            use.run();
            return true;
        }
        catch (final JournalException ignore)
        {
            return false;
        }
    }
}
