package io.journal.examples.bank.cluster;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

import io.journal.Snapshots;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;

/**
 * Snapshots of the bank's state beside the bank's process, the two newest ones. The journal of a member belongs to that
 * member, so they cannot be there. Each ends with the CRC32C of its content; if the newest is damaged, the one
 * before it is loaded. Thread-safe.
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
        for (int i = files.size() - 1; i >= 0; i--)
        {
            final Path newest = files.get(i);
            try
            {
                // Verified before the reader gets any of it.
                final byte[] bytes = Files.readAllBytes(newest);
                if (isValid(bytes))
                {
                    reader.read(new ByteArrayInputStream(bytes, 0, bytes.length - Integer.BYTES));
                    return sequence(newest);
                }
                quarantine(newest);
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException("cannot read the snapshot " + newest, ex);
            }
        }
        return 0;
    }

    private static boolean isValid(final byte[] bytes)
    {
        final int length = bytes.length - Integer.BYTES;
        final CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, Math.max(0, length));
        return length >= 0 && (int)checksum.getValue() == ByteBuffer.wrap(bytes).getInt(length);
    }

    /** Under another name it neither counts as one of the two that are kept, nor lets prune drop what it contains. */
    private void quarantine(final Path damaged) throws IOException
    {
        System.getLogger(SnapshotFiles.class.getName()).log(
            System.Logger.Level.WARNING, "damaged snapshot quarantined, the one before it is used: file=" + damaged);
        Files.move(
            damaged, directory.resolve("damaged-" + damaged.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        store.force();
    }

    synchronized void save(final long sequence, final Snapshots.Writer writer)
    {
        final Path unfinished = directory.resolve("unfinished");
        try
        {
            try (FileOutputStream file = new FileOutputStream(unfinished.toFile()))
            {
                final CheckedOutputStream output =
                    new CheckedOutputStream(new BufferedOutputStream(file), new CRC32C());
                writer.write(output);
                final int checksum = (int)output.getChecksum().getValue();
                output.write(ByteBuffer.allocate(Integer.BYTES).putInt(checksum).array());
                output.flush();
                file.getFD().sync();
            }
            Files.move(
                unfinished, directory.resolve(String.format(Locale.ROOT, "%s%019d", PREFIX, sequence)),
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
