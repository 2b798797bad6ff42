// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A disk of cells. A power loss keeps any subset of the changes that were not fsynced, and may tear a change. A failed
 * fsync leaves cells that are read, but neither stored nor ever written back.
 */
final class Disk
{
    static final int DIRECTORY = 0;
    static final int CONTROL = 1;
    static final int CELLS = 64;

    /** What a torn change leaves: not zero, and not valid. */
    static final Object TORN = new Object();

    private Object[] cached = new Object[4 * CELLS];
    private Object[] stored = new Object[4 * CELLS];
    private final List<Change> unsynced = new ArrayList<>();
    private Runnable onStep = () ->
    {
    };
    private int files = 2;
    private Random failing;

    private record Change(int key, Object value, boolean isAtomic)
    {
    }

    static final class FailedFsync extends RuntimeException
    {
        private static final long serialVersionUID = 1;
    }

    Disk copy()
    {
        final Disk copy = new Disk();
        copy.cached = cached.clone();
        copy.stored = stored.clone();
        copy.unsynced.addAll(unsynced);
        copy.files = files;
        return copy;
    }

    /** Is called before each step, so that a test can crash, or do anything else, between any two of them. */
    void onStep(final Runnable newOnStep)
    {
        onStep = newOnStep;
    }

    void failNextFsync(final Random random)
    {
        failing = random;
    }

    void step()
    {
        onStep.run();
    }

    int create()
    {
        final int file = files++;
        if (files * CELLS > cached.length)
        {
            cached = Arrays.copyOf(cached, 2 * cached.length);
            stored = Arrays.copyOf(stored, 2 * stored.length);
        }
        return file;
    }

    Object read(final int file, final int cell)
    {
        return cached[file * CELLS + cell];
    }

    void write(final int file, final int cell, final Object value)
    {
        write(file, cell, value, false);
    }

    /** An aligned word of a mapping, or a name: a crash leaves the old value or the new one. */
    void writeAtomic(final int file, final int cell, final Object value)
    {
        write(file, cell, value, true);
    }

    void fsync(final int file)
    {
        step();
        final Random random = DIRECTORY == file ? null : failing;
        for (final Change change : unsynced)
        {
            if (isOf(change, file) && (null == random || random.nextBoolean()))
            {
                stored[change.key] = change.value;
            }
        }
        unsynced.removeIf((change) -> isOf(change, file));
        if (null != random)
        {
            failing = null;
            throw new FailedFsync();
        }
    }

    void losePower(final Random random)
    {
        final int kept = random.nextInt(5);
        for (final Change change : unsynced)
        {
            if (random.nextInt(4) < kept)
            {
                // Half of the same bytes over the same bytes changes nothing.
                final boolean isWhole = change.isAtomic || stored[change.key] == change.value || random.nextInt(6) > 0;
                stored[change.key] = isWhole ? change.value : TORN;
            }
        }
        cached = stored.clone();
        unsynced.clear();
    }

    /** Pages that a failed fsync has left only in the page cache may be dropped at any time. */
    void dropClean(final Random random)
    {
        final boolean[] isDirty = new boolean[cached.length];
        unsynced.forEach((change) -> isDirty[change.key] = true);
        for (int i = 0; i < cached.length; i++)
        {
            if (!isDirty[i] && cached[i] != stored[i] && random.nextBoolean())
            {
                cached[i] = stored[i];
            }
        }
    }

    /** Replaces the content of a file by its content in another state of the disk. */
    void putBack(final Disk older, final int olderFile, final int file)
    {
        System.arraycopy(older.cached, olderFile * CELLS, cached, file * CELLS, CELLS);
        System.arraycopy(older.cached, olderFile * CELLS, stored, file * CELLS, CELLS);
        unsynced.removeIf((change) -> isOf(change, file));
    }

    void damage(final int file, final int cell)
    {
        cached[file * CELLS + cell] = TORN;
        stored[file * CELLS + cell] = TORN;
        unsynced.removeIf((change) -> file * CELLS + cell == change.key);
    }

    private void write(final int file, final int cell, final Object value, final boolean isAtomic)
    {
        cached[file * CELLS + cell] = value;
        unsynced.add(new Change(file * CELLS + cell, value, isAtomic));
    }

    private static boolean isOf(final Change change, final int file)
    {
        return change.key / CELLS == file;
    }
}
