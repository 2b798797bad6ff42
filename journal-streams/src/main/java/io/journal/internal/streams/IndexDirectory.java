// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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
    // Whether each file was read that there is.
    private boolean isComplete = true;

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

    /** Creates the directory and deletes what an earlier process has not finished. */
    void prepare()
    {
        try
        {
            Files.createDirectories(path);
        }
        catch (final IOException ex)
        {
            report(ex);
        }
        deleteExcept(Set.of(), UNFINISHED_SUFFIX);
    }

    List<Path> files()
    {
        return list(SUFFIX);
    }

    private List<Path> list(final String suffix)
    {
        try (Stream<Path> files = Files.list(path))
        {
            return files.filter((file) -> file.toString().endsWith(suffix)).toList();
        }
        catch (final IOException ex)
        {
            // Without index files everything is there but slower.
            report(ex);
            return List.of();
        }
    }

    /**
     * Opens the files that fit the journal.
     *
     * @param isKeepingKeys whether files of pruned events count.
     * @return files in order, which do not overlap; between them ranges may be missing.
     */
    List<IndexFile> load(final Log log, final boolean isKeepingKeys)
    {
        final List<IndexFile> pruned = new ArrayList<>();
        final List<IndexFile> fitting = new ArrayList<>();
        isComplete = true;
        for (final Path file : files())
        {
            try
            {
                final IndexFile opened = new IndexFile(file, file);
                final JournalReader.State state = log.standing(opened.end());
                // Without a term nothing was compared.
                if (JournalReader.State.TRUNCATED == state || 0 == opened.end().term())
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
            }
            catch (final IllegalArgumentException ex)
            {
                report(new IndexDamagedException(file, "too long"));
            }
            catch (final IOException | JournalException ex)
            {
                isComplete = false;
                report(ex);
            }
        }

        final List<IndexFile> files = new ArrayList<>();
        // A crash may leave a merged file beside its parts.
        fitting
            .sort(Comparator.comparingLong(IndexFile::first).thenComparing(IndexFile::last, Comparator.reverseOrder()));
        for (final IndexFile file : fitting)
        {
            if (files.isEmpty() || file.first() > files.get(files.size() - 1).last())
            {
                files.add(file);
            }
        }
        // A file of pruned events fits if the file after it says so, down to the first that does not.
        IndexFile previous = files.isEmpty() || !isKeepingKeys ? null : fitting(pruned, files.get(0).before());
        while (null != previous)
        {
            files.add(0, previous);
            previous = fitting(pruned, previous.before());
        }

        return files;
    }

    private static @Nullable IndexFile fitting(final List<IndexFile> files, final Checkpoint end)
    {
        return 0 == end.term() ? null : files.stream().filter((file) -> file.end().equals(end))
            .min(Comparator.comparingLong(IndexFile::first)).orElse(null);
    }

    /** Deletes the files that are not in use, unless some could not be read: then the others may fit the next time. */
    void retain(final List<Source> sources)
    {
        if (isComplete)
        {
            deleteExcept(sources.stream().filter(IndexFile.class::isInstance)
                .map((file) -> ((IndexFile)file).path()).collect(Collectors.toSet()), SUFFIX);
        }
    }

    private void deleteExcept(final Set<Path> kept, final String suffix)
    {
        if (null == errorHandler)
        {
            return;
        }
        for (final Path file : list(suffix))
        {
            try
            {
                if (!kept.contains(file))
                {
                    Files.deleteIfExists(file);
                }
            }
            catch (final IOException ex)
            {
                report(ex);
            }
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
