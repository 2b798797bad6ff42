// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.journal.Checkpoint;
import io.journal.JournalException;
import io.journal.JournalReader;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/** The index files beside a journal: {@code streams/FIRST-LAST.index}. */
final class IndexDirectory
{
    private static final String SUFFIX = ".index";
    private static final String UNFINISHED_SUFFIX = ".unfinished";

    final Path path;
    // To report files; null for a reader, which deletes none.
    private final @Nullable ErrorHandler errorHandler;

    IndexDirectory(final Path journal, final @Nullable ErrorHandler errorHandler)
    {
        path = journal.resolve("streams");
        this.errorHandler = errorHandler;
    }

    Path file(final long first, final long last)
    {
        return path.resolve(first + "-" + last + SUFFIX);
    }

    Path unfinished(final long first, final long last)
    {
        return path.resolve(first + "-" + last + UNFINISHED_SUFFIX);
    }

    private List<Path> list(final String suffix) throws IOException
    {
        try (Stream<Path> files = Files.list(path))
        {
            return files.filter((file) -> file.toString().endsWith(suffix)).toList();
        }
    }

    /** Creates the directory and deletes what an earlier process has not finished. */
    void prepare() throws IOException
    {
        Files.createDirectories(path);
        for (final Path file : list(UNFINISHED_SUFFIX))
        {
            delete(file);
        }
    }

    /**
     * Opens the files that fit the journal, and deletes the others.
     *
     * @param isKeepingKeys whether files of pruned events count.
     * @return files in order, which do not overlap; between them ranges may be missing.
     */
    List<IndexFile> load(final Log log, final boolean isKeepingKeys) throws IOException
    {
        final List<IndexFile> pruned = new ArrayList<>();
        final List<IndexFile> fitting = new ArrayList<>();
        for (final Path file : list(SUFFIX))
        {
            try
            {
                final IndexFile opened = new IndexFile(file, file);
                final JournalReader.State state = state(log, opened.end());
                if (JournalReader.State.TRUNCATED == state)
                {
                    throw new IndexDamagedException(file, "of another journal or history");
                }
                (JournalReader.State.PRUNED == state ? pruned : fitting).add(opened);
            }
            catch (final NoSuchFileException ex)
            {
                // Merged meanwhile by the writer.
            }
            catch (final IndexDamagedException ex)
            {
                report(ex);
                delete(file);
            }
        }

        final List<IndexFile> files = withoutOverlap(fitting);
        // A file of pruned events fits if the file after it says so, down to the first that does not.
        IndexFile previous = files.isEmpty() || !isKeepingKeys ? null : fitting(pruned, files.get(0).before());
        while (null != previous)
        {
            files.add(0, previous);
            previous = fitting(pruned, previous.before());
        }
        pruned.removeAll(files);
        for (final IndexFile file : pruned)
        {
            delete(file.path());
        }

        return files;
    }

    private static @Nullable IndexFile fitting(final List<IndexFile> files, final Checkpoint end)
    {
        return 0 == end.term() ? null : files.stream().filter((file) -> file.end().equals(end))
            .min(Comparator.comparingLong(IndexFile::first)).orElse(null);
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
    private List<IndexFile> withoutOverlap(final List<IndexFile> all) throws IOException
    {
        all.sort(Comparator.comparingLong(IndexFile::first).thenComparing(IndexFile::last, Comparator.reverseOrder()));
        final List<IndexFile> files = new ArrayList<>();
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
                delete(file.path());
            }
        }

        return files;
    }

    void delete(final Path file) throws IOException
    {
        if (null != errorHandler)
        {
            Files.deleteIfExists(file);
        }
    }

    void report(final Exception problem)
    {
        if (null != errorHandler)
        {
            errorHandler.onError(problem);
        }
    }
}
