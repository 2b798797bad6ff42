package io.journal.bench.article;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.bench.run.Child;
import io.journal.bench.run.PageCache;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Usage;

/**
 * Writes a file in one way and reads it in the same, in a process of its own, warmed up; what was written is read by
 * other code in between.
 */
final class SequentialTrial
{
    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final int VERIFY_LENGTH = 64 * 1024;
    private static final double NS_PER_S = 1e9;

    private final Path file;
    private final Way way;
    private final int pageLength;
    private final Profile profile;
    private final Sequential.Layout layout;

    private SequentialTrial(
        final Path file,
        final Way way,
        final int pageLength,
        final Profile profile,
        final Sequential.Layout layout)
    {
        this.file = file;
        this.way = way;
        this.pageLength = pageLength;
        this.profile = profile;
        this.layout = layout;
    }

    /**
     * Arguments: directory, way, length of the file, length of a page, profile, layout.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        Child.endWithParent();
        final long length = Long.parseLong(args[2]);
        final SequentialTrial trial = new SequentialTrial(
            Path.of(args[0]).resolve("test.dat"), Sequential.way(args[1]), Integer.parseInt(args[3]),
            Profile.valueOf(args[4]), Sequential.Layout.valueOf(args[5]));
        trial.warmUp(Math.min(length, WARM_UP_LENGTH));
        trial.run(length);
    }

    private void warmUp(final long length) throws IOException
    {
        for (int i = 0; i < WARM_UPS; i++)
        {
            lay(length);
            way.write(file, length, pageLength);
            way.read(file, pageLength);
        }
        Files.delete(file);
    }

    private void run(final long length) throws IOException, InterruptedException
    {
        lay(length);
        System.gc();
        final Usage writing = Usage.now();
        final long writeStart = System.nanoTime();
        final int written = way.write(file, length, pageLength);
        final long writeNs = System.nanoTime() - writeStart;
        if (Profile.DURABLE == profile)
        {
            PageCache.force(file);
        }
        final long durableNs = System.nanoTime() - writeStart;
        writing.printSince("write");
        verify(length);

        if (Profile.COLD == profile)
        {
            System.out.println("cold=" + PageCache.drop(file));
        }
        System.gc();
        final Usage reading = Usage.now();
        final long readStart = System.nanoTime();
        final int read = way.read(file, pageLength);
        final long readNs = System.nanoTime() - readStart;
        reading.printSince("read");
        if (written != read)
        {
            throw new IllegalStateException("wrong checksum: expected=" + written + ", found=" + read);
        }

        System.out.println(Sequential.WRITE + '=' + length * NS_PER_S / writeNs);
        System.out.println(Sequential.DURABLE + '=' + length * NS_PER_S / durableNs);
        System.out.println(Sequential.READ + '=' + length * NS_PER_S / readNs);
    }

    /**
     * Lays the file out; what that leaves to be written is on the device before anything is measured.
     */
    private void lay(final long length) throws IOException
    {
        Files.deleteIfExists(file);
        if (Sequential.Layout.EXTEND != layout)
        {
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw"))
            {
                if (Sequential.Layout.SPARSE == layout)
                {
                    opened.setLength(length);
                }
                else
                {
                    Sequential.fill(opened, length, pageLength);
                }
                opened.getFD().sync();
            }
        }
    }

    private void verify(final long length) throws IOException
    {
        final byte[] bytes = new byte[VERIFY_LENGTH];
        long offset = 0;
        try (InputStream in = Files.newInputStream(file))
        {
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes))
            {
                for (int i = 0; i < count; i++)
                {
                    if (bytes[i] != (byte)(offset + i))
                    {
                        throw new IllegalStateException(
                            "wrong byte: offset=" + (offset + i) + ", expected=" + (byte)(offset + i) + ", found=" +
                                bytes[i]);
                    }
                }
                offset += count;
            }
        }

        if (offset != length)
        {
            throw new IllegalStateException("wrong length: expected=" + length + ", found=" + offset);
        }
    }
}
