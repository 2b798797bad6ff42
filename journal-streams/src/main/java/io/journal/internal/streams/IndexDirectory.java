// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Set;

import io.journal.JournalException;
import io.journal.JournalReader;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/** The index files beside a journal: {@code streams/FIRST-LAST.index}. */
final class IndexDirectory
{
    private interface Operation
    {
        void run() throws IOException;
    }

    private static final String SUFFIX = ".index";
    static final String UNFINISHED_SUFFIX = ".unfinished";

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
        deleteExcept(path, Set.of(), UNFINISHED_SUFFIX);
        final Path snapshots = path.resolve(SnapshotFiles.DIRECTORY);
        if (Files.isDirectory(snapshots))
        {
            deleteExcept(snapshots, Set.of(), UNFINISHED_SUFFIX);
        }
    }

    List<Path> files()
    {
        return list(path, SUFFIX);
    }

    private List<Path> list(final Path parent, final String suffix)
    {
        final String[] names = parent.toFile().list((directory, name) -> name.endsWith(suffix));
        if (null == names)
        {
            // Without index files everything is there but slower.
            report(new IOException("cannot list index files: directory=" + parent));
        }

        return null == names ? List.of() : Arrays.stream(names).map(parent::resolve).toList();
    }

    /**
     * Opens the files that fit the journal.
     *
     * @param isKeepingKeys whether files of pruned events count.
     * @return files in order, which do not overlap; between them ranges may be missing.
     */
    List<IndexFile> load(final Log log, final boolean isKeepingKeys)
    {
        isComplete = true;
        final List<IndexFile> opened = new ArrayList<>();
        for (final Path file : files())
        {
            attempt(file, () -> opened.add(new IndexFile(file)));
        }
        // From the newest on, because each identifies the one before. A crash may leave a merged file beside its parts.
        opened.sort((a, b) -> a.last() == b.last() ? Long.compare(a.first(), b.first()) :
            Long.compare(b.last(), a.last()));
        final LinkedList<IndexFile> files = new LinkedList<>();
        final long oldest = log.first();
        for (final IndexFile file : opened)
        {
            final IndexFile next = files.peekFirst();
            if ((null == next || file.last() < next.first()) && (isKeepingKeys || file.last() >= oldest))
            {
                attempt(file.path(), () ->
                {
                    if (isFitting(log, file, next))
                    {
                        files.addFirst(file);
                    }
                });
            }
        }

        return files;
    }

    /** A file is of this history if the next one was made after its last event, or else if the journal says so. */
    private boolean isFitting(final Log log, final IndexFile file, final @Nullable IndexFile next)
    {
        if (!file.path().equals(file(file.first(), file.last())))
        {
            throw new IndexDamagedException(file.path(), "of other events than its name says");
        }
        // Without a term nothing was compared.
        final boolean isIdentified = 0 != file.end().term();
        if (isIdentified && null != next && next.before().equals(file.end()))
        {
            return true;
        }
        final JournalReader.State state = log.standing(file.end());
        if (!isIdentified || JournalReader.State.TRUNCATED == state)
        {
            throw new IndexDamagedException(file.path(), "of another journal or history");
        }

        return JournalReader.State.PRUNED != state;
    }

    private void attempt(final Path file, final Operation operation)
    {
        try
        {
            operation.run();
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

    /** Deletes the files that are not in use, unless some could not be read: then the others may fit the next time. */
    void retain(final List<Source> sources)
    {
        if (isComplete)
        {
            final Set<Path> kept = new HashSet<>();
            for (final Source source : sources)
            {
                if (source instanceof IndexFile)
                {
                    kept.add(((IndexFile)source).path());
                }
            }
            deleteExcept(path, kept, SUFFIX);
        }
    }

    private void deleteExcept(final Path parent, final Set<Path> kept, final String suffix)
    {
        if (null == errorHandler)
        {
            return;
        }
        for (final Path file : list(parent, suffix))
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
