// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

/**
 * Rates of the device alone, from a short probe. Whatever is faster was served by the page cache.
 *
 * @param writeBytesPerSecond large writes, with one fsync at the end.
 * @param readBytesPerSecond  direct I/O; 0 if not supported here.
 * @param forceUs             median latency of a small write with fsync.
 */
public record Device(double writeBytesPerSecond, double readBytesPerSecond, double forceUs)
{
    public static final int LENGTH = 32 * 1024 * 1024;

    /** With a shorter file, the final fsync would take most of the time. */
    public static final int MIN_LENGTH = 16 * 1024 * 1024;

    // No device acknowledges faster, not even one with a power-loss protected cache.
    private static final double MIN_FORCE_US = 10;
    private static final int PIECE_LENGTH = 1024 * 1024;
    private static final int BLOCK_LENGTH = 4096;
    private static final int FORCES = 400;
    private static final long FORCE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Writes and fsyncs a file, overwrites it in small pieces, reads it, and deletes it. */
    static Device probe(final Path directory, final long length) throws IOException
    {
        final Path file = directory.resolve("probe");
        final long whole = (length + PIECE_LENGTH - 1) / PIECE_LENGTH * PIECE_LENGTH;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            return new Device(write(channel, whole), read(file, whole), forceUs(channel, whole));
        }
        finally
        {
            Files.deleteIfExists(file);
        }
    }

    public String describe()
    {
        return String.format(
            Locale.ROOT, "writes with fsync %,.0f MB/s, direct reads %s, a write of %d B with fsync takes %,.0f us",
            writeBytesPerSecond / Unit.MB, 0 == readBytesPerSecond ? "(unsupported)" :
                String.format(Locale.ROOT, "%,.0f MB/s", readBytesPerSecond / Unit.MB),
            BLOCK_LENGTH, forceUs);
    }

    /** A warning about implausible figures, or an empty string. */
    public String warning()
    {
        return forceUs >= MIN_FORCE_US ? "" : String.format(
            Locale.ROOT, "a write with fsync took %.1f us: no device is that fast, so fsync does not reach one",
            forceUs);
    }

    private static double write(final FileChannel channel, final long length) throws IOException
    {
        final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_LENGTH);
        // Incompressible.
        final SplittableRandom random = new SplittableRandom(length);
        while (piece.hasRemaining())
        {
            piece.putLong(random.nextLong());
        }

        final long start = System.nanoTime();
        for (long offset = 0; offset < length; offset += PIECE_LENGTH)
        {
            writeAll(channel, piece.clear(), offset);
        }
        channel.force(true);

        return length * Unit.NS_PER_S / (System.nanoTime() - start);
    }

    /** Median time in microseconds to overwrite a block and fsync it, of the first part of a file. */
    public static double forceUs(final FileChannel channel, final long length) throws IOException
    {
        final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_LENGTH);
        final Histogram times = new Histogram(3);
        final long start = System.nanoTime();
        long now = start;
        for (int i = 0; i < FORCES && now - start < FORCE_NS; i++)
        {
            final long before = now;
            block.clear().putInt(0, i);
            writeAll(channel, block, (long)i * BLOCK_LENGTH % length);
            channel.force(false);
            now = System.nanoTime();
            times.recordValue(now - before);
        }
        return times.getValueAtPercentile(50) / Unit.NS_PER_US;
    }

    private static double read(final Path file, final long length)
    {
        // Looked up by name: compilers may reject a direct reference to it.
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, (OpenOption)Class.forName(
            "com.sun.nio.file.ExtendedOpenOption").getField("DIRECT").get(null)))
        {
            final int alignment = (int)Files.getFileStore(file).getBlockSize();
            final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_LENGTH + alignment).alignedSlice(alignment);
            final long start = System.nanoTime();
            while (channel.position() < length)
            {
                if (channel.read(piece.clear().limit(PIECE_LENGTH)) <= 0)
                {
                    return 0;
                }
            }
            return length * Unit.NS_PER_S / (System.nanoTime() - start);
        }
        catch (final IOException | RuntimeException | ReflectiveOperationException ex)
        {
            // The JVM or the file system has no direct I/O, or reports no usable block length.
            return 0;
        }
    }

    private static void writeAll(final FileChannel channel, final ByteBuffer source, final long offset)
        throws IOException
    {
        long at = offset;
        while (source.hasRemaining())
        {
            at += channel.write(source, at);
        }
    }
}
