// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.Snapshots;
import io.journal.streams.KeyedSnapshots;
import org.agrona.ErrorHandler;

/**
 * Snapshots by key, each in a file of its own, {@code streams/snapshots/HASH}. Big-endian: magic, term and position of
 * the last event, key, state; at the end the CRC32C of all before it.
 */
final class SnapshotFiles implements KeyedSnapshots
{
    private static final int MAGIC = 0x4A534E31; // "JSN1"
    private static final String UNFINISHED = ".unfinished";

    private final Journal journal;
    private final Log log;
    private final Path directory;
    private final ErrorHandler errorHandler;
    private final AtomicLong count = new AtomicLong();

    SnapshotFiles(final Journal journal, final Log log, final Path parent, final ErrorHandler errorHandler)
    {
        this.journal = journal;
        this.log = log;
        directory = parent.resolve("snapshots");
        this.errorHandler = errorHandler;
    }

    @Override
    public void save(final String key, final long position, final Snapshots.Writer writer)
    {
        final Path target = file(key);
        Objects.requireNonNull(writer, "writer");
        if (position < 1)
        {
            throw new IllegalArgumentException("no such event: position=" + position);
        }
        // Never ahead of the events.
        journal.awaitForced(position);
        final Checkpoint checkpoint = log.checkpoint(position);
        final Path file = directory.resolve(target.getFileName() + "-" + count.incrementAndGet() + UNFINISHED);
        try
        {
            Files.createDirectories(directory);
            try
            {
                write(file, key, checkpoint, writer);
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

    private static void write(
        final Path file, final String key, final Checkpoint checkpoint, final Snapshots.Writer writer)
        throws IOException
    {
        try (FileOutputStream output = new FileOutputStream(file.toFile()))
        {
            final CheckedOutputStream checked = new CheckedOutputStream(new BufferedOutputStream(output), new CRC32C());
            final DataOutputStream data = new DataOutputStream(checked);
            data.writeInt(MAGIC);
            data.writeLong(checkpoint.term());
            data.writeLong(checkpoint.sequence());
            data.writeUTF(key);
            try
            {
                writer.write(new FilterOutputStream(data)
                {
                    @Override
                    public void write(final byte[] bytes, final int offset, final int length) throws IOException
                    {
                        out.write(bytes, offset, length);
                    }

                    @Override
                    public void close()
                    {
                        // The checksum follows.
                    }
                });
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
            data.writeInt((int)checked.getChecksum().getValue());
            data.flush();
            output.getFD().sync();
        }
    }

    @Override
    public long load(final String key, final Snapshots.Reader reader)
    {
        final Path file = file(key);
        Objects.requireNonNull(reader, "reader");
        // One opening, because the file may be replaced meanwhile.
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "r");
            FileInputStream input = new FileInputStream(opened.getFD()))
        {
            final long length = opened.length() - Integer.BYTES;
            if (!isIntact(input, length))
            {
                report(file, "checksum");
                return 0;
            }
            opened.seek(0);
            try (DataInputStream data = new DataInputStream(new Limited(new BufferedInputStream(input), length)))
            {
                return load(file, key, data, reader);
            }
        }
        catch (final FileNotFoundException ex)
        {
            return 0;
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot load a snapshot: key=" + key + "; cause=" + ex, ex);
        }
    }

    private long load(final Path file, final String key, final DataInputStream data, final Snapshots.Reader reader)
        throws IOException
    {
        data.readInt();
        final long term = data.readLong();
        final long position = data.readLong();
        if (!key.equals(data.readUTF()))
        {
            report(file, "key");
            return 0;
        }
        if (0 != term && JournalReader.State.TRUNCATED == log.standing(new Checkpoint(term, position)))
        {
            report(file, "its events were truncated, or it is of another journal");
            return 0;
        }
        read(reader, data);

        return position;
    }

    private static void read(final Snapshots.Reader reader, final InputStream input)
    {
        try
        {
            reader.read(input);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static boolean isIntact(final InputStream input, final long length) throws IOException
    {
        if (length < 0)
        {
            return false;
        }
        final BufferedInputStream buffered = new BufferedInputStream(input);
        final CheckedInputStream checked = new CheckedInputStream(new Limited(buffered, length), new CRC32C());
        final DataInputStream start = new DataInputStream(checked);
        if (length < Integer.BYTES || MAGIC != start.readInt())
        {
            return false;
        }
        final long read = checked.transferTo(OutputStream.nullOutputStream()) + Integer.BYTES;

        return read == length && (int)checked.getChecksum().getValue() == new DataInputStream(buffered).readInt();
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
            final byte[] hash = MessageDigest.getInstance("SHA-256")
                .digest(Names.check("key", key).getBytes(StandardCharsets.UTF_8));
            return directory.resolve(HexFormat.of().formatHex(hash));
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new IllegalStateException("every JDK has it", ex);
        }
    }

    /** The first bytes of another stream, which stays open. */
    private static final class Limited extends FilterInputStream
    {
        private long rest;

        Limited(final InputStream in, final long length)
        {
            super(in);
            rest = length;
        }

        @Override
        public int read() throws IOException
        {
            final int read = rest > 0 ? in.read() : -1;
            rest -= read >= 0 ? 1 : 0;
            return read;
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException
        {
            final int read = rest > 0 ? in.read(bytes, offset, (int)Math.min(length, rest)) : 0 == length ? 0 : -1;
            rest -= Math.max(0, read);
            return read;
        }

        @Override
        public long skip(final long length) throws IOException
        {
            final long skipped = in.skip(Math.min(length, rest));
            rest -= skipped;
            return skipped;
        }

        @Override
        public int available() throws IOException
        {
            return (int)Math.min(in.available(), rest);
        }

        @Override
        public boolean markSupported()
        {
            return false;
        }

        @Override
        public void close()
        {
            // Closed by its owner.
        }
    }
}
