// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.journal.Checkpoint;
import io.journal.JournalException;
import io.journal.JournalReader;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/** The index files beside a journal: {@code streams/FIRST-LAST.index}. */
final class IndexDirectory
{
    static final String NAME = "streams";
    private static final String SUFFIX = ".index";
    private static final String UNFINISHED_SUFFIX = ".unfinished";

    final Path path;

    IndexDirectory(final Path journal)
    {
        path = journal.resolve(NAME);
    }

    Path file(final long first, final long last)
    {
        return path.resolve(first + "-" + last + SUFFIX);
    }

    Path unfinished(final long first, final long last)
    {
        return path.resolve(first + "-" + last + UNFINISHED_SUFFIX);
    }

    /** Creates the directory and deletes what an earlier process has not finished. */
    void prepare() throws IOException
    {
        Files.createDirectories(path);
        for (final Path file : PlainFiles.list(path, UNFINISHED_SUFFIX))
        {
            Files.deleteIfExists(file);
        }
    }

    /**
     * Opens the files that fit the journal.
     *
     * @param isKeepingKeys whether files of pruned events count.
     * @param errorHandler  to report files that do not fit, which are deleted; null to leave them.
     * @return files in order, which do not overlap; between them ranges may be missing.
     */
    List<IndexFile> load(final Log log, final boolean isKeepingKeys, final @Nullable ErrorHandler errorHandler)
        throws IOException
    {
        final List<IndexFile> pruned = new ArrayList<>();
        final List<IndexFile> fitting = new ArrayList<>();
        for (final Path file : PlainFiles.list(path, SUFFIX))
        {
            final IndexFile opened = open(file, errorHandler);
            if (null != opened)
            {
                final JournalReader.State state = state(log, opened.end());
                if (JournalReader.State.FOLLOWING == state)
                {
                    fitting.add(opened);
                }
                else if (JournalReader.State.PRUNED == state && isKeepingKeys)
                {
                    pruned.add(opened);
                }
                else if (null != errorHandler)
                {
                    if (JournalReader.State.PRUNED != state)
                    {
                        errorHandler.onError(new IndexDamagedException(file, "of another journal or history"));
                    }
                    Files.deleteIfExists(file);
                }
            }
        }

        final List<IndexFile> files = withoutOverlap(fitting, errorHandler);
        // A file of pruned events fits if the file after it says so, down to the first that does not.
        while (!files.isEmpty())
        {
            final Checkpoint before = files.get(0).before();
            final IndexFile previous = before.term() == 0 ? null :
                pruned.stream().filter((file) -> file.end().equals(before))
                    .min(Comparator.comparingLong(IndexFile::first)).orElse(null);
            if (null == previous)
            {
                break;
            }
            files.add(0, previous);
        }
        pruned.removeAll(files);
        delete(pruned, errorHandler);

        return files;
    }

    /** Null if the file is damaged or gone. */
    private static @Nullable IndexFile open(final Path file, final @Nullable ErrorHandler errorHandler)
        throws IOException
    {
        try
        {
            return new IndexFile(file, file);
        }
        catch (final NoSuchFileException ex)
        {
            return null;
        }
        catch (final IndexDamagedException ex)
        {
            if (null != errorHandler)
            {
                errorHandler.onError(ex);
                Files.deleteIfExists(file);
            }

            return null;
        }
    }

    private static JournalReader.State state(final Log log, final Checkpoint checkpoint)
    {
        try
        {
            // Without a term nothing would be compared.
            return 0 == checkpoint.term() ? JournalReader.State.TRUNCATED : log.standing(checkpoint);
        }
        catch (final JournalException ex)
        {
            return JournalReader.State.TRUNCATED;
        }
    }

    /** A crash may leave a merged file beside its parts. */
    private static List<IndexFile> withoutOverlap(
        final List<IndexFile> all, final @Nullable ErrorHandler errorHandler) throws IOException
    {
        all.sort(Comparator.comparingLong(IndexFile::first).thenComparing(IndexFile::last, Comparator.reverseOrder()));
        final List<IndexFile> files = new ArrayList<>();
        final List<IndexFile> rest = new ArrayList<>();
        long end = 0;
        for (final IndexFile file : all)
        {
            if (file.first() > end)
            {
                files.add(file);
                end = file.last();
            }
            else
            {
                rest.add(file);
            }
        }
        delete(rest, errorHandler);

        return files;
    }

    private static void delete(final List<IndexFile> files, final @Nullable ErrorHandler errorHandler)
        throws IOException
    {
        if (null != errorHandler)
        {
            for (final IndexFile file : files)
            {
                Files.deleteIfExists(file.path());
            }
        }
    }
}
