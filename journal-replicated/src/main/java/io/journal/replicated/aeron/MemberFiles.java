package io.journal.replicated.aeron;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.aeron.cluster.NodeStateFile;
import io.aeron.cluster.RecordingLog;
import org.agrona.IoUtil;

/**
 * The files of a member's engine that outlive its process: which recordings are the cluster's log and its snapshots,
 * and the recordings.
 */
final class MemberFiles
{
    static final String CATALOG = "archive.catalog";
    static final String RECORDINGS = ".rec";
    private static final int MAX_ATTEMPTS = 20;

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

    /** Fsyncs recordings that are complete, and the catalog that says so. */
    static void force(final Path directory, final long... recordingIds) throws IOException
    {
        final Path archive = archive(directory);
        for (final String name : recordings(archive))
        {
            if (LongStream.of(recordingIds).anyMatch((id) -> name.startsWith(id + "-")))
            {
                force(archive.resolve(name));
            }
        }
        force(archive.resolve(CATALOG));
        try (FileChannel names = FileChannel.open(archive, StandardOpenOption.READ))
        {
            names.force(true);
        }
        catch (final AccessDeniedException ex)
        {
            // Windows does not open directories.
        }
    }

    /**
     * Copies them while the member may be running. What refers to others is copied before these: recordings are added
     * to at their ends only, so what was referred to is there. One that grows meanwhile is copied up to some place,
     * where the next start finds its end. Before the member deletes a recording, it has written a newer snapshot's into
     * the log of recordings: a copy during which that did not change is whole.
     */
    static void copy(final Path source, final Path target) throws IOException
    {
        IOException failure = null;
        for (int i = 0; i < MAX_ATTEMPTS; i++)
        {
            IoUtil.delete(target.toFile(), true);
            Files.createDirectories(cluster(target));
            Files.createDirectories(archive(target));
            final Path recordingLog = cluster(source).resolve(RecordingLog.RECORDING_LOG_FILE_NAME);
            final byte[] before = Files.readAllBytes(recordingLog);
            try
            {
                copyOnce(source, target);
                if (Arrays.equals(before, Files.readAllBytes(recordingLog)))
                {
                    return;
                }
            }
            catch (final NoSuchFileException ex)
            {
                // The member has dropped a part of its log, or an old snapshot.
                failure = ex;
            }
        }

        throw null != failure ? failure :
            new IOException("the member takes snapshots, or changes its leader, faster than its files are copied");
    }

    private static void copyOnce(final Path source, final Path target) throws IOException
    {
        copy(cluster(source), cluster(target), RecordingLog.RECORDING_LOG_FILE_NAME);
        copy(cluster(source), cluster(target), NodeStateFile.FILENAME);
        copy(archive(source), archive(target), CATALOG);
        for (final String name : recordings(archive(source)))
        {
            copy(archive(source), archive(target), name);
        }
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
        final Path file = target.resolve(name);
        Files.copy(source.resolve(name), file, StandardCopyOption.REPLACE_EXISTING);
        force(file);
    }

    private static void force(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }
}
