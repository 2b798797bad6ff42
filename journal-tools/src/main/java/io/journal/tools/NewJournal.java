package io.journal.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.RealPath;

/**
 * Writes a journal that is complete and durable, or of which nothing is left.
 */
final class NewJournal
{
    private NewJournal()
    {
    }

    /**
     * @param source journal that the records come from.
     * @throws CommandException if the target is neither absent nor an empty directory, or lies within the source.
     */
    static void checkTarget(final Path target, final Path source) throws IOException
    {
        if (!isAbsentOrEmpty(target))
        {
            throw notEmpty(target);
        }
        if (RealPath.ofNearest(target.toAbsolutePath().normalize()).startsWith(source.toRealPath()))
        {
            throw new CommandException(ExitCode.USAGE, "the target lies within the journal: " + target);
        }
    }

    private static boolean isAbsentOrEmpty(final Path target) throws IOException
    {
        if (FileType.DIRECTORY != FileType.of(target))
        {
            // A dangling link is not absent.
            return FileType.ABSENT == FileType.of(target, LinkOption.NOFOLLOW_LINKS);
        }
        try (Stream<Path> files = Files.list(target))
        {
            return files.findAny().isEmpty();
        }
    }

    private static CommandException notEmpty(final Path target)
    {
        return new CommandException(
            ExitCode.USAGE, "the target is not empty: " + target + "; name a directory that is absent");
    }

    /**
     * @param target absent or an empty directory.
     * @param writer appends the records; whatever it throws, nothing is left in the target.
     */
    static void write(final Path target, final int segmentLength, final Consumer<Journal> writer) throws IOException
    {
        final boolean isThere = FileType.ABSENT != FileType.of(target);
        boolean isDone = false;
        try
        {
            try (Journal journal = Writing.builder(target).segmentLength(segmentLength).open())
            {
                writer.accept(journal);
            }
            isDone = true;
        }
        finally
        {
            if (!isDone)
            {
                remove(target, isThere);
            }
        }
    }

    /**
     * Everything in the target was created by this run.
     */
    private static void remove(final Path target, final boolean isTargetKept) throws IOException
    {
        if (FileType.ABSENT != FileType.of(target))
        {
            try (Stream<Path> files = Files.walk(target))
            {
                for (final Path file : (Iterable<Path>)files.sorted(Comparator.reverseOrder())::iterator)
                {
                    if (!isTargetKept || !file.equals(target))
                    {
                        Files.deleteIfExists(file);
                    }
                }
            }
        }
    }
}
