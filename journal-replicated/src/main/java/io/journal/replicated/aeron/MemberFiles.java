package io.journal.replicated.aeron;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
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
    private static final int MAX_ATTEMPTS = 5;

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

    /**
     * Copies them while the member may be running. What refers to others is copied before these: all of them are added
     * to at their ends only, so what was referred to is there. A recording that grows meanwhile is copied up to some
     * place, where the archive finds its end.
     */
    static void copy(final Path source, final Path target) throws IOException
    {
        NoSuchFileException removed = null;
        for (int i = 0; i < MAX_ATTEMPTS; i++)
        {
            IoUtil.delete(target.toFile(), true);
            Files.createDirectories(cluster(target));
            Files.createDirectories(archive(target));
            try
            {
                copy(cluster(source), cluster(target), RecordingLog.RECORDING_LOG_FILE_NAME);
                copy(cluster(source), cluster(target), NodeStateFile.FILENAME);
                copy(archive(source), archive(target), CATALOG);
                for (final String name : recordings(archive(source)))
                {
                    copy(archive(source), archive(target), name);
                }
                return;
            }
            catch (final NoSuchFileException ex)
            {
                // The member has truncated its log meanwhile.
                removed = ex;
            }
        }

        throw removed;
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
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }
}
