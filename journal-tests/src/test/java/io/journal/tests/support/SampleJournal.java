// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.tests.support.JournalFixture.Entry;

import static io.journal.tests.support.JournalDirectory.CONTROL;

/** Small journals of a few segments, to be damaged: always the same bytes. */
public enum SampleJournal
{
    /** The writer was killed; the newest records are above the durable watermark. */
    CRASHED
    {
        @Override
        void write(final RecordModel model, final Journal journal)
        {
            model.appendInto(journal, 1, 7000);
            finish(model, journal);
        }
    },

    CLOSED
    {
        @Override
        void write(final RecordModel model, final Journal journal)
        {
            model.appendInto(journal, 1, 7000);
            finish(model, journal);
            journal.close();
        }
    },

    /**
     * The writer was killed as well. It has pruned its oldest segments and reuses their files, which hold stale bytes;
     * it has truncated records, which stay in place as a cut, and appended after them.
     */
    RECYCLED
    {
        @Override
        void write(final RecordModel model, final Journal journal) throws Exception
        {
            for (int ordinal = 1; ordinal <= 5; ordinal++)
            {
                model.appendInto(journal, ordinal, 3000);
                journal.force();
                journal.backgroundAgent().doWork();
                if (ordinal == 3)
                {
                    journal.prune(journal.lastSequence());
                }
            }
            journal.prune(journal.lastSequence() - 5);
            model.append(journal, 12, 3000);
            model.append(journal, 2, 300);
            journal.truncateAfter(journal.lastSequence() - 2);
            model.forgetAfter(journal.lastSequence());
            finish(model, journal);
        }
    },

    /** Killed right after a truncation: no frame of the new term was written yet. */
    TRUNCATED
    {
        @Override
        void write(final RecordModel model, final Journal journal)
        {
            model.appendInto(journal, 1, 7000);
            finish(model, journal);
            journal.truncateAfter(journal.lastSequence() - 10);
            model.forgetAfter(journal.lastSequence());
        }
    },

    /** Killed during creation: a first segment without {@code journal.control}. */
    CREATING
    {
        @Override
        void write(final RecordModel model, final Journal journal)
        {
            journal.force();
        }

        @Override
        void spoil(final JournalDirectory directory)
        {
            directory.delete(CONTROL);
            directory.zero(JournalDirectory.segmentName(0), JournalDirectory.FIRST_OFFSET, 5000);
        }
    };

    public static final String CURSOR = "consumer";

    private static final long SEED = 7;

    private Map<String, byte[]> files;
    private RecordModel model;
    private long cursorSequence;

    abstract void write(RecordModel model, Journal journal) throws Exception;

    void spoil(final JournalDirectory directory)
    {
        // Most samples stay as their writer left them.
    }

    /** Files by name. The arrays must not be changed. */
    public synchronized Map<String, byte[]> files(final Path scratch)
    {
        if (null == files)
        {
            model = new RecordModel();
            final JournalDirectory live = new JournalDirectory(scratch.resolve("live-" + name()));
            final JournalDirectory left = new JournalDirectory(scratch.resolve("left-" + name()));
            try (Journal journal = Internals.randoms(
                model.builder(live, Backend.FILE_CHANNEL).recycleSegments(true), new Random(SEED)::nextLong).open())
            {
                writeUnchecked(model, journal);
                live.copyTo(left.path);
            }
            spoil(left);
            final Map<String, byte[]> content = new TreeMap<>(left.content());
            content.keySet().removeIf((name) -> name.startsWith("spare-"));
            live.restore(Map.of());
            left.restore(Map.of());
            files = content;
        }

        return files;
    }

    /** The record of a sequence, if there is one. */
    public Entry record(final long sequence)
    {
        return sequence >= 1 && sequence <= model.size() ? model.entry(sequence) : null;
    }

    public long lastSequence()
    {
        return model.size();
    }

    /** Where {@link #CURSOR} was saved. */
    public long cursorSequence()
    {
        return cursorSequence;
    }

    private void writeUnchecked(final RecordModel model, final Journal journal)
    {
        try
        {
            write(model, journal);
        }
        catch (final Exception ex)
        {
            throw new AssertionError(ex);
        }
    }

    /**
     * Records and batches: some below a mark's watermark, some below that of journal.control alone, some below none.
     */
    final void finish(final RecordModel model, final Journal journal)
    {
        model.append(journal, 2, 40);
        model.appendBatch(journal, 5, 0, 100);
        model.forceAndMark(journal);
        model.append(journal, 3, 17);
        cursorSequence = model.size() - 2;
        journal.cursor(CURSOR).save(cursorSequence);
        model.appendBatch(journal, 60, 8);
        journal.force();
        model.append(journal, 2, 30);
        model.appendBatch(journal, 1, 2, 3);
        model.append(journal, 9);
    }
}
