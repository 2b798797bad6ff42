// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.aeron.cluster.NodeStateFile;
import io.aeron.cluster.RecordingLog;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;

/**
 * The files of Aeron that outlive a member's process: the recordings, and the files that say which recordings are the
 * cluster's log and its snapshots.
 * <p>
 * Aeron's {@code ClusterBackup} would need a media driver and an archive for the copy, and does not copy votes; its
 * {@code ClusterTool} copies no recordings.
 */
final class MemberFiles
{
    static final String CATALOG = "archive.catalog";
    static final String RECORDINGS = ".rec";
    private static final String RECORDING_LOG = "cluster/" + RecordingLog.RECORDING_LOG_FILE_NAME;
    private static final String NODE_STATE = "cluster/" + NodeStateFile.FILENAME;
    private static final String ARCHIVE_CATALOG = "archive/" + CATALOG;
    private static final int MAX_ATTEMPTS = 20;
    // A start needs the newest snapshot, which is two files. Later files may belong to snapshots that were never
    // completed.
    private static final int MAX_SNAPSHOT_FILES = 16;

    private MemberFiles()
    {
    }

    static Path cluster(final Path directory)
    {
        return directory.resolve("cluster");
    }

    static Path archive(final Path directory)
    {
        return directory.resolve("archive");
    }

    /** A file that exists until a copy is used for the first time: the copied log may have holes. */
    static Path copyMark(final Path directory)
    {
        return directory.resolve("copy.mark");
    }

    /** {@return files without which a member that has a log must not start} */
    static List<Path> neededByLog(final Path directory)
    {
        return List.of(directory.resolve(RECORDING_LOG), directory.resolve(NODE_STATE));
    }

    /** Creates the directories of a new member, and fsyncs their names. */
    static void create(final Path directory) throws IOException
    {
        Files.createDirectories(cluster(directory));
        Files.createDirectories(archive(directory));
        forceNames(directory);
    }

    /** Fsyncs recordings that are complete, and the catalog that says so. */
    static void force(final Path directory, final long... recordingIds) throws IOException
    {
        final Path archive = archive(directory);
        for (final String name : recordings(archive))
        {
            if (LongStream.of(recordingIds).anyMatch((id) -> id == recordingId(name)))
            {
                force(archive.resolve(name));
            }
        }
        force(directory.resolve(ARCHIVE_CATALOG));
        forceNames(archive);
    }

    /** Fsyncs the names in directories. */
    static void forceNames(final Path... directories) throws IOException
    {
        for (final Path directory : directories)
        {
            try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ))
            {
                names.force(true);
            }
            catch (final AccessDeniedException ex)
            {
                // Windows does not open directories.
            }
        }
    }

    /** Steps of a copy at which tests act. */
    enum Step
    {
        /** The files that refer to other files are copied. */
        REFERRED,

        /** The snapshots are open. */
        OPENED
    }

    /**
     * Copies the files while the member may be running. Files that refer to others are copied before these: recordings
     * grow at their ends only, so the referenced bytes exist. A recording that grows meanwhile is copied up to some
     * place, where the next start finds its end; parts of later writes may follow. Before the member deletes a
     * snapshot, it has written a newer one into the log of recordings; before it drops the beginning of its log, it has
     * written the new beginning into the catalog. If neither file changed until the snapshots are open, everything that
     * they refer to existed, and snapshots stay readable however long the copy takes.
     *
     * @param reached for tests: called after each step.
     */
    static void copy(final Path source, final Path target, final Consumer<Step> reached) throws IOException
    {
        IOException failure =
            new IOException("the member takes snapshots, or changes its leader, faster than their files are opened");
        for (int i = 0; i < MAX_ATTEMPTS; i++)
        {
            IoUtil.delete(target.toFile(), true);
            create(target);
            Files.createFile(copyMark(target));
            try
            {
                if (copyOnce(source, target, reached))
                {
                    // If a power loss took some of the names, the member could still start, without the files it needs
                    // to vote.
                    forceNames(cluster(target), archive(target), target);
                    return;
                }
            }
            catch (final NoSuchFileException ex)
            {
                // The member has dropped a part of its log, or an old snapshot.
                failure = ex;
            }
        }

        throw failure;
    }

    /**
     * @return false if a file that refers to other files has changed too soon.
     */
    private static boolean copyOnce(final Path source, final Path target, final Consumer<Step> reached)
        throws IOException
    {
        final Map<String, FileChannel> snapshots = new LinkedHashMap<>();
        try
        {
            copy(source, target, RECORDING_LOG);
            copy(source, target, NODE_STATE);
            copy(source, target, ARCHIVE_CATALOG);
            reached.accept(Step.REFERRED);
            final List<String> names = recordings(archive(source));
            // The first recording is the log, which never ends. All others hold snapshots, one file each.
            final long[] ids = names.stream().mapToLong(MemberFiles::recordingId).sorted().distinct().toArray();
            for (final String name : names)
            {
                if (recordingId(name) > ids[0] &&
                    recordingId(name) >= ids[Math.max(0, ids.length - MAX_SNAPSHOT_FILES)])
                {
                    snapshots.put(name, FileChannel.open(archive(source).resolve(name), StandardOpenOption.READ));
                }
            }
            if (isChanged(source, target, RECORDING_LOG) || isChanged(source, target, ARCHIVE_CATALOG))
            {
                return false;
            }

            reached.accept(Step.OPENED);
            for (final Map.Entry<String, FileChannel> snapshot : snapshots.entrySet())
            {
                copy(snapshot.getValue(), archive(target).resolve(snapshot.getKey()));
            }
            for (final String name : names)
            {
                if (recordingId(name) == ids[0])
                {
                    copy(source, target, "archive/" + name);
                }
            }
            return true;
        }
        finally
        {
            CloseHelper.quietCloseAll(snapshots.values());
        }
    }

    private static boolean isChanged(final Path source, final Path target, final String name) throws IOException
    {
        return 0 <= Files.mismatch(source.resolve(name), target.resolve(name));
    }

    private static long recordingId(final String name)
    {
        return Long.parseLong(name.substring(0, name.indexOf('-')));
    }

    private static List<String> recordings(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.map((file) -> String.valueOf(file.getFileName()))
                .filter((name) -> name.endsWith(RECORDINGS)).sorted().toList();
        }
    }

    private static void copy(final Path source, final Path target, final String name) throws IOException
    {
        try (FileChannel channel = FileChannel.open(source.resolve(name), StandardOpenOption.READ))
        {
            copy(channel, target.resolve(name));
        }
    }

    private static void copy(final FileChannel source, final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            // Copies up to the current end of the file: the member may append to it meanwhile, or truncate it.
            long count = 1;
            for (long position = 0; count > 0; position += count)
            {
                count = source.transferTo(position, Long.MAX_VALUE, channel);
            }
            channel.force(true);
        }
    }

    static void force(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }
}
