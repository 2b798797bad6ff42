// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.streams.KeyedSnapshots;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots by key, each in a file of its own, {@code streams/snapshots/HASH}. Big-endian: magic, term and position of
 * the last event, length of the key and key, state, CRC32C of all before it.
 */
final class SnapshotFiles implements KeyedSnapshots
{
    static final String DIRECTORY = "snapshots";

    private static final int MAGIC = 0x4A534E31; // "JSN1"
    private static final int HEADER_LENGTH = Integer.BYTES + 2 * Long.BYTES + Integer.BYTES;

    private final Journal journal;
    private final Log log;
    private final Path parent;
    private final Path directory;
    private final ErrorHandler errorHandler;
    private final AtomicLong count = new AtomicLong();

    SnapshotFiles(final Journal journal, final Log log, final Path parent, final ErrorHandler errorHandler)
    {
        this.journal = journal;
        this.log = log;
        this.parent = parent;
        directory = parent.resolve(DIRECTORY);
        this.errorHandler = errorHandler;
    }

    @Override
    public void save(final String key, final long position, final byte[] state)
    {
        final Path target = file(key);
        if (position < 1)
        {
            throw new IllegalArgumentException("no such event: position=" + position);
        }
        final byte[] name = Names.bytes(key);
        final ByteBuffer bytes = ByteBuffer.allocate(
            Math.addExact(HEADER_LENGTH + name.length + Integer.BYTES, state.length));
        // Never ahead of the events.
        journal.awaitForced(position);
        final long term = log.checkpoint(position).term();
        if (0 == term)
        {
            throw new JournalException(
                "cannot identify the last event of a snapshot: key=" + key + ", position=" + position);
        }
        bytes.putInt(MAGIC).putLong(term).putLong(position);
        bytes.putInt(name.length).put(name).put(state);
        bytes.putInt(IndexFile.checksum(bytes.duplicate().flip()));

        final Path file =
            directory.resolve(target.getFileName() + "-" + count.incrementAndGet() + IndexDirectory.UNFINISHED_SUFFIX);
        try
        {
            if (Files.notExists(directory))
            {
                Files.createDirectories(directory);
                PlainFiles.forceDirectory(parent);
                PlainFiles.forceDirectory(journal.path());
            }
            try (FileOutputStream output = new FileOutputStream(file.toFile()))
            {
                output.write(bytes.array());
                output.getFD().sync();
                Files.move(file, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                PlainFiles.forceDirectory(directory);
            }
            finally
            {
                Files.deleteIfExists(file);
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot save a snapshot: key=" + key + "; cause=" + ex, ex);
        }
    }

    @Override
    public @Nullable Snapshot load(final String key)
    {
        final Path file = file(key);
        try
        {
            final ByteBuffer bytes = PlainFiles.map(file);
            final int end = bytes.capacity() - Integer.BYTES;
            if (end < HEADER_LENGTH || MAGIC != bytes.getInt() ||
                IndexFile.checksum(bytes.slice(0, end)) != bytes.getInt(end))
            {
                report(file, "damaged");
                return null;
            }
            final Checkpoint checkpoint = new Checkpoint(bytes.getLong(), bytes.getLong());
            final byte[] name = new byte[bytes.getInt()];
            bytes.get(name);
            if (0 == checkpoint.term() || JournalReader.State.TRUNCATED == log.standing(checkpoint))
            {
                report(file, "its events were truncated, or it is of another journal");
                return null;
            }
            final byte[] state = new byte[end - bytes.position()];
            bytes.get(state);

            return new Snapshot(checkpoint.sequence(), state);
        }
        catch (final NoSuchFileException ex)
        {
            return null;
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot load a snapshot: key=" + key + "; cause=" + ex, ex);
        }
    }

    private void report(final Path file, final String reason)
    {
        errorHandler.onError(new CorruptJournalException(
            "snapshot not used: file=" + file + ", reason=" + reason + "; delete it, or save it again"));
    }

    @Override
    public void delete(final String key)
    {
        try
        {
            if (Files.deleteIfExists(file(key)))
            {
                PlainFiles.forceDirectory(directory);
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot delete a snapshot: key=" + key + "; cause=" + ex, ex);
        }
    }

    private Path file(final String key)
    {
        try
        {
            // A key may have any characters, and be longer than a name.
            final byte[] hash = MessageDigest.getInstance("SHA-256").digest(Names.bytes(Names.check("key", key)));
            return directory.resolve(HexFormat.of().formatHex(hash));
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new IllegalStateException("every JDK has it", ex);
        }
    }
}
