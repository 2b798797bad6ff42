// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.crash;

import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

import io.journal.Journal;
import io.journal.JournalCursor;

/**
 * Saves cursors, prunes and makes backups while others append, until the process is killed; logs each operation before
 * and after.
 */
final class KilledKeeper implements Runnable
{
    static final int CURSORS = 2;

    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(4);

    private final Journal journal;
    private final KilledWriter writer;
    private final Path copies;
    private final Lock uncut;
    private final SplittableRandom random;
    private int copied;

    /**
     * @param uncut held so that nothing is cut meanwhile, and what is said comes in the order in which it is done.
     */
    KilledKeeper(
        final Journal journal,
        final KilledWriter writer,
        final Path copies,
        final Lock uncut,
        final SplittableRandom random)
    {
        this.journal = journal;
        this.writer = writer;
        this.copies = copies;
        this.uncut = uncut;
        this.random = random;
        for (int i = 0; i < CURSORS; i++)
        {
            journal.cursor(cursorName(i));
        }
    }

    static String cursorName(final int index)
    {
        return "consumer-" + index;
    }

    @Override
    public void run()
    {
        while (true)
        {
            LockSupport.parkNanos(random.nextLong(MAX_PAUSE_NS));
            uncut.lock();
            try
            {
                final int choice = random.nextInt(50);
                if (choice < 2)
                {
                    copy();
                }
                else if (choice < 10)
                {
                    prune();
                }
                else
                {
                    save(random.nextInt(CURSORS));
                }
            }
            finally
            {
                uncut.unlock();
            }
        }
    }

    private void save(final int index)
    {
        final JournalCursor cursor = journal.cursor(cursorName(index));
        final long first = journal.firstSequence() - 1;
        final long last = journal.lastSequence();
        // Rarely moves the cursor back.
        final long from = random.nextInt(20) == 0 ? first : Math.max(first, cursor.sequence());
        final long sequence = random.nextLong(from, last + 1);
        writer.say(KilledWriter.Word.SAVING, index, sequence);
        try
        {
            cursor.save(sequence);
        }
        catch (final IllegalArgumentException ex)
        {
            // Retention has dropped the record in the meantime.
            if (sequence >= journal.firstSequence() - 1)
            {
                throw ex;
            }
            return;
        }
        writer.say(KilledWriter.Word.SAVED, index, sequence);
    }

    private void prune()
    {
        final long sequence = random.nextLong(journal.firstSequence(), journal.lastSequence() + 2);
        writer.say(KilledWriter.Word.PRUNING, 0, sequence);
        writer.say(KilledWriter.Word.PRUNED, 0, journal.prune(sequence));
    }

    private void copy()
    {
        final int copy = copied++;
        writer.say(KilledWriter.Word.COPYING, copy, 0);
        journal.backup(copies.resolve(Integer.toString(copy)));
        writer.say(KilledWriter.Word.COPIED, copy, 0);
    }
}
