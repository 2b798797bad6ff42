// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.SampleJournal;
import io.journal.tests.support.StepStore;

/**
 * Opens a journal with arbitrary settings, other files and cursor names: only a {@link JournalException} may be thrown,
 * or, before anything is written, an {@link IllegalArgumentException} for the caller's choices.
 */
public final class SettingsFuzzer
{
    private SettingsFuzzer()
    {
    }

    /** Tries one input. */
    public static void fuzzerTestOneInput(final byte[] bytes)
    {
        final FuzzInput input = new FuzzInput(bytes);
        // DIRECT is left out, so that kept inputs keep their meaning; it opens and reads like FILE_CHANNEL.
        final Backend backend = Backend.values()[input.choose(Backend.DIRECT.ordinal())];
        final Map<String, byte[]> files = new TreeMap<>(
            SampleJournal.values()[input.choose(SampleJournal.values().length)].files(FuzzDirectory.scratch()));
        final JournalDirectory directory = FuzzDirectory.directory();
        final String[] prefixes = { "", "snapshots/", "0000000000000000000", "spare-" };
        final String[] suffixes = { "", ".journal", ".control" };
        final String name = prefixes[input.choose(prefixes.length)] + name(input) +
            suffixes[input.choose(suffixes.length)];
        if (isName(directory, name))
        {
            files.put(name, input.nextBytes(input.choose(100)));
        }
        directory.restore(files);

        final JournalBuilder builder = Journal.builder(directory.path).backend(backend).backgroundThread(false);
        try
        {
            set(builder, input);
        }
        catch (final IllegalArgumentException ignore)
        {
            directory.assertHolds(files);
            return;
        }

        try (Journal journal = builder.store(StepStore.unforced(backend.store(directory.path))).open())
        {
            cursor(journal, name(input));
            journal.cursorNames().forEach((found) -> cursor(journal, found));
        }
        catch (final JournalException ignore)
        {
            // The wrong setting or file is reported.
        }
    }

    private static void set(final JournalBuilder builder, final FuzzInput input)
    {
        final int uses = input.nextByte();
        if (0 != (uses & 1))
        {
            builder.writeWindow((int)input.nextValue(4096));
        }
        if (0 != (uses & 2))
        {
            builder.maxRecordLength((int)input.nextValue(100));
        }
        if (0 != (uses & 4))
        {
            builder.force(ForcePolicy.every(Duration.ofNanos(input.nextValue(1000))));
        }
        if (0 != (uses & 8))
        {
            builder.retention(Retention.bytes(input.nextValue(100_000)));
        }
        if (0 != (uses & 16))
        {
            builder.retention(Retention.age(Duration.ofSeconds(input.nextValue(1), input.nextByte() & 0x7F)));
        }
    }

    private static void cursor(final Journal journal, final String name)
    {
        try
        {
            journal.cursor(name).lag();
            journal.deleteCursor(name);
        }
        catch (final IllegalArgumentException ex)
        {
            if (journal.cursorNames().contains(name))
            {
                throw new AssertionError("a cursor with a rejected name: " + name, ex);
            }
        }
        catch (final JournalException ignore)
        {
            // The wrong setting or file is reported.
        }
    }

    private static String name(final FuzzInput input)
    {
        return new String(input.nextBytes(input.choose(24)), StandardCharsets.ISO_8859_1);
    }

    private static boolean isName(final JournalDirectory directory, final String name)
    {
        try
        {
            return name.matches("(snapshots/)?[ -.0-~]+") && !name.matches("(snapshots/)?\\.+|snapshots") &&
                directory.file(name).startsWith(directory.path);
        }
        catch (final InvalidPathException ignore)
        {
            return false;
        }
    }
}
