package io.journal.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.RealPath;
import io.journal.internal.segment.SegmentFilling;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Writes a journal that is complete and durable, or of which nothing is left, unless the process is killed.
 */
final class NewJournal
{
    // Of a journal whose first records are missing: they count as pruned.
    private static final long FIRST_ORDINAL = 1;

    private NewJournal()
    {
    }

    /**
     * @param source journal that the records come from.
     * @throws CommandException if the target is neither absent nor an empty directory, its parent does not exist, or it
     *                          lies within the source.
     */
    static void checkTarget(final Path target, final Path source) throws IOException
    {
        if (!isAbsentOrEmpty(target))
        {
            throw notEmpty(target);
        }
        // A link before ".." leads elsewhere than the normalized path.
        final Path real = source.toRealPath();
        final Path absolute = target.toAbsolutePath();
        if (RealPath.ofNearest(absolute).startsWith(real) || RealPath.ofNearest(absolute.normalize()).startsWith(real))
        {
            throw new CommandException(ExitCode.USAGE, "the target lies within the journal: " + target);
        }
        final Path parent = absolute.getParent();
        if (null != parent && FileType.DIRECTORY != FileType.of(parent))
        {
            throw new CommandException(
                ExitCode.USAGE, "no directory to create the target in: " + target + "; create " + parent +
                    ", or name another target");
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
            return files.allMatch(NewJournal::isOfFileSystem);
        }
    }

    /** At the root of a volume. */
    private static boolean isOfFileSystem(final Path file)
    {
        return file.endsWith("lost+found");
    }

    private static CommandException notEmpty(final Path target)
    {
        return new CommandException(
            ExitCode.USAGE, "the target is not empty: " + target + "; name a directory that is absent");
    }

    /**
     * @param target absent or an empty directory, when it was checked.
     * @param writer appends the records; whatever it throws, nothing is left in the target.
     * @throws JournalLockedException if another process writes to the target, which stays as it is.
     * @throws CommandException       if another process has created a journal in it, which stays.
     */
    static void write(final Path target, final int segmentLength, final Consumer<Journal> writer) throws IOException
    {
        write(target, segmentLength, 1, writer);
    }

    /**
     * Likewise, a journal that begins with a later record, as one does whose first records were pruned.
     */
    static void write(
        final Path target, final int segmentLength, final long firstSequence, final Consumer<Journal> writer)
        throws IOException
    {
        final boolean isThere = FileType.ABSENT != FileType.of(target);
        if (firstSequence > 1)
        {
            create(target, segmentLength, firstSequence, isThere);
        }
        try (Journal journal = open(target, segmentLength, isThere))
        {
            final boolean isNew = 1 == firstSequence ? journal.recoveryReport().isNew() :
                firstSequence == journal.firstSequence() && firstSequence - 1 == journal.lastSequence();
            if (!isNew)
            {
                throw notEmpty(target);
            }
            writeOrRemove(journal, target, isThere, writer);
        }
    }

    /**
     * Creates the files of a journal without a record, whose first segment is that of ordinal 1.
     */
    private static void create(
        final Path target, final int segmentLength, final long firstSequence, final boolean isThere)
        throws IOException
    {
        final SegmentStore store = Backend.FILE_CHANNEL.store(target);
        store.makeDirectory();
        final DirectoryLock lock = DirectoryLock.acquire(target);
        try
        {
            if (store.list().stream().anyMatch((name) -> !JournalFiles.LOCK.equals(name)))
            {
                throw notEmpty(target);
            }
            try
            {
                final UUID uuid = UUID.randomUUID();
                final long timeMs = SystemEpochClock.INSTANCE.time();
                SegmentFilling.create(
                    store, FIRST_ORDINAL, SegmentHeader.encode(
                        uuid, FIRST_ORDINAL, segmentLength, ThreadLocalRandom.current().nextLong(), timeMs, false),
                    segmentLength).close();
                store.rename(JournalFiles.spare(FIRST_ORDINAL), JournalFiles.segment(FIRST_ORDINAL));
                store.force();
                final long start = FIRST_ORDINAL * segmentLength;
                final long first = start + SegmentHeader.LENGTH;
                final History history = new History(
                    0, Term.NONE, start, firstSequence, Term.NONE, 0,
                    List.of(new Cut(0, Term.NONE, first, first, firstSequence, Term.NONE)));
                ControlFile.create(
                    store, JournalFiles.CONTROL, uuid, segmentLength,
                    new ControlState(1, history, new TreeMap<>(), null),
                    new ControlState.End(first, firstSequence), timeMs);
            }
            catch (final Throwable ex)
            {
                removeCreation(target, isThere);
                throw ex;
            }
        }
        finally
        {
            lock.close();
        }
    }

    private static void writeOrRemove(
        final Journal journal, final Path target, final boolean isTargetKept, final Consumer<Journal> writer)
        throws IOException
    {
        try
        {
            writer.accept(journal);
            journal.close();
        }
        catch (final Throwable ex)
        {
            // First the files, as far as open ones can be deleted: closing fsyncs what is in them, which may take
            // longer than a process has that was interrupted.
            removeQuietly(target, isTargetKept);
            CloseHelper.quietClose(journal);
            remove(target, isTargetKept);
            throw ex;
        }
    }

    private static Journal open(final Path target, final int segmentLength, final boolean isThere) throws IOException
    {
        try
        {
            return Writing.builder(target).segmentLength(segmentLength).open();
        }
        catch (final JournalLockedException | CorruptJournalException ex)
        {
            // The files in the target are those of another process.
            throw ex;
        }
        catch (final JournalException ex)
        {
            // With journal.control, it may be the journal of another process.
            if (FileType.DIRECTORY == FileType.of(target) &&
                FileType.ABSENT == FileType.of(target.resolve(JournalFiles.CONTROL), LinkOption.NOFOLLOW_LINKS))
            {
                removeCreation(target, isThere);
            }
            throw ex;
        }
    }

    /**
     * Deletes the files of a creation that failed, and nothing else that may be in the target now.
     */
    private static void removeCreation(final Path target, final boolean isTargetKept) throws IOException
    {
        try (Stream<Path> files = Files.list(target))
        {
            for (final Path file : (Iterable<Path>)files.filter(NewJournal::isOfCreation)::iterator)
            {
                Files.deleteIfExists(file);
            }
        }
        if (!isTargetKept && isAbsentOrEmpty(target))
        {
            Files.deleteIfExists(target);
        }
    }

    private static boolean isOfCreation(final Path file)
    {
        final String name = String.valueOf(file.getFileName());
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) &&
            (JournalFiles.isSpare(name) || JournalFiles.segment(0).equals(name) ||
                JournalFiles.segment(FIRST_ORDINAL).equals(name) || JournalFiles.LOCK.equals(name));
    }

    /**
     * For a writer of many records.
     *
     * @throws CommandException if this thread was interrupted.
     */
    static void checkInterrupt()
    {
        if (Thread.currentThread().isInterrupted())
        {
            throw new CommandException(ExitCode.FAILED, "interrupted; nothing of the new journal is left");
        }
    }

    private static void removeQuietly(final Path target, final boolean isTargetKept)
    {
        try
        {
            remove(target, isTargetKept);
        }
        catch (final IOException | UncheckedIOException ignore)
        {
            // It is tried again.
        }
    }

    /**
     * Everything in the target was created by this run.
     */
    private static void remove(final Path target, final boolean isTargetKept) throws IOException
    {
        if (FileType.ABSENT == FileType.of(target))
        {
            return;
        }

        try (Stream<Path> files = Files.list(target))
        {
            for (final Path file : (Iterable<Path>)files.filter((each) -> !isOfFileSystem(each))::iterator)
            {
                removeAll(file);
            }
        }
        if (!isTargetKept)
        {
            Files.deleteIfExists(target);
        }
    }

    private static void removeAll(final Path path) throws IOException
    {
        try (Stream<Path> files = Files.walk(path))
        {
            for (final Path file : (Iterable<Path>)files.sorted(Comparator.reverseOrder())::iterator)
            {
                Files.deleteIfExists(file);
            }
        }
    }
}
