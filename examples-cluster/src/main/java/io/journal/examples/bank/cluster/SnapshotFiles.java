package io.journal.examples.bank.cluster;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

import io.journal.Snapshots;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;

/**
 * Snapshots of the bank's state beside the bank's process, the two newest ones. The journal of a member belongs to that
 * member, so they cannot be there. Thread-safe.
 */
final class SnapshotFiles
{
    private static final String PREFIX = "snapshot-";
    private static final int KEPT = 2;

    private final Path directory;
    private final SegmentStore store;

    SnapshotFiles(final Path directory) throws IOException
    {
        this.directory = directory;
        store = Backend.FILE_CHANNEL.store(directory);
        store.makeDirectory();
    }

    synchronized long load(final Snapshots.Reader reader)
    {
        final List<Path> files = files();
        if (files.isEmpty())
        {
            return 0;
        }

        final Path newest = files.get(files.size() - 1);
        try (InputStream input = Files.newInputStream(newest))
        {
            reader.read(input);
            return sequence(newest);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot read the snapshot " + newest, ex);
        }
    }

    synchronized void save(final long sequence, final Snapshots.Writer writer)
    {
        final Path unfinished = directory.resolve("unfinished");
        try
        {
            try (FileOutputStream file = new FileOutputStream(unfinished.toFile()))
            {
                final OutputStream output = new BufferedOutputStream(file);
                writer.write(output);
                output.flush();
                file.getFD().sync();
            }
            Files.move(
                unfinished, directory.resolve(String.format("%s%019d", PREFIX, sequence)),
                StandardCopyOption.ATOMIC_MOVE);
            // Before an older one is deleted, and events are pruned that are in this one.
            store.force();
            final List<Path> files = files();
            for (final Path old : files.subList(0, Math.max(0, files.size() - KEPT)))
            {
                Files.delete(old);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot save the snapshot " + unfinished, ex);
        }
    }

    /** The last event that both snapshots contain; 0 until there are two. */
    synchronized long common()
    {
        final List<Path> files = files();
        return files.size() < KEPT ? 0 : sequence(files.get(0));
    }

    /** The oldest first. */
    private List<Path> files()
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.filter((file) -> String.valueOf(file.getFileName()).startsWith(PREFIX)).sorted().toList();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot list the snapshots in " + directory, ex);
        }
    }

    private static long sequence(final Path file)
    {
        return Long.parseLong(String.valueOf(file.getFileName()).substring(PREFIX.length()));
    }
}
