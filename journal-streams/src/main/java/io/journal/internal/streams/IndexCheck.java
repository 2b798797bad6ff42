// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import org.jspecify.annotations.Nullable;

/** Compares index files with the journal, which another process may be appending to. Changes nothing. */
public final class IndexCheck
{
    /**
     * A file that is not used.
     *
     * @param file   relative to the journal.
     * @param reason why not.
     */
    public record Problem(String file, String reason)
    {
    }

    private final Log log;

    private IndexCheck(final Log log)
    {
        this.log = log;
    }

    /** {@return the files that do not have the entries of their events, or are of another journal} */
    public static List<Problem> check(final Path journal)
    {
        final List<Problem> problems = new ArrayList<>();
        final List<Path> files = new IndexDirectory(journal, null).files();
        if (!files.isEmpty())
        {
            try (ReadOnlyJournal opened = Journal.openReadOnly(journal))
            {
                final IndexCheck check = new IndexCheck(Log.of(opened));
                for (final Path file : files)
                {
                    final @Nullable String reason = check.log.repeatIfPruned(() -> check.reason(file));
                    // A file that is gone was merged, pruned or truncated meanwhile.
                    if (null != reason && Files.exists(file))
                    {
                        problems.add(new Problem(journal.relativize(file).toString(), reason));
                    }
                }
            }
        }

        return problems;
    }

    private @Nullable String reason(final Path path)
    {
        try
        {
            final IndexFile file = new IndexFile(path);
            return JournalReader.State.TRUNCATED == log.standing(file.end()) ? "the index of another history" :
                difference(file, Math.max(log.first(), file.first()));
        }
        catch (final IndexDamagedException ex)
        {
            return ex.reason;
        }
        catch (final IOException ex)
        {
            return ex.toString();
        }
    }

    private @Nullable String difference(final IndexFile file, final long first)
    {
        final long[] missing = new long[1];
        final long[] count = new long[1];
        if (first <= file.last())
        {
            log.readKeys(first, file.last(), (position, keys) ->
            {
                for (final long key : keys)
                {
                    count[0]++;
                    missing[0] = position == file.find(key, position, position) ? missing[0] : position;
                }
                return 0 == missing[0];
            });
        }
        if (0 != missing[0])
        {
            return "no entry for event " + missing[0];
        }
        for (int i = 0; i < file.count(); i++)
        {
            count[0] -= file.position(i) < first ? 0 : 1;
        }

        return 0 == count[0] ? null : "entries that no event has";
    }
}
