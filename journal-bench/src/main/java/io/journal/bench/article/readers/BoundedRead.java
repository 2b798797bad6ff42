package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.journal.bench.article.Content;
import io.journal.bench.run.PageCache;
import io.journal.bench.run.Usage;

/**
 * Reads in one way what can be read in a limited time: 1 MiB at first, then four times as much, until it is the whole
 * file, or four times as much again would take too long. What is reported is the last, and how many bytes these were;
 * what came before has warmed up.
 */
final class BoundedRead
{
    private static final long FIRST_LENGTH = 1024 * 1024;
    private static final int GROWTH = 4;

    private final Point point;
    private final Reading reading;
    private final Path wholeFile;
    private final long wholeLength;
    private final Path directory;

    /** Reads a file to its end. */
    interface Reading
    {
        /**
         * @return sum of its bytes.
         */
        long read(Path file, int bufferLength, int arrayLength) throws IOException;
    }

    /** What was read in how long, and with what. */
    record Pass(Path file, long length, long elapsedNs, long sum, Map<String, String> usage)
    {
    }

    /**
     * @param directory for beginnings of the whole file.
     */
    BoundedRead(
        final Point point,
        final Reading reading,
        final Path wholeFile,
        final long wholeLength,
        final Path directory)
    {
        this.point = point;
        this.reading = reading;
        this.wholeFile = wholeFile;
        this.wholeLength = wholeLength;
        this.directory = directory;
    }

    /**
     * @param limitNs to stay below, about; 0 if there is no limit.
     */
    Pass run(final long limitNs) throws IOException
    {
        long length = Math.min(FIRST_LENGTH, wholeLength);
        while (length < wholeLength)
        {
            final Path beginning = directory.resolve("beginning.dat");
            Content.write(beginning, length);
            // What is still on its way to the device would be written beside what is read.
            PageCache.force(beginning);
            final Pass pass = pass(beginning, length);
            if (limitNs > 0 && pass.elapsedNs * GROWTH > limitNs)
            {
                return pass;
            }
            Files.delete(beginning);
            length = limitNs > 0 ? length * GROWTH : wholeLength;
        }

        return pass(wholeFile, wholeLength);
    }

    /**
     * One pass, with its sum; the file that it read stays.
     */
    Pass pass(final Path file, final long length) throws IOException
    {
        final Usage usage = Usage.now();
        final long start = System.nanoTime();
        final long sum = reading.read(file, point.bufferLength(), point.arrayLength());
        final long elapsedNs = System.nanoTime() - start;
        return new Pass(file, length, elapsedNs, sum, usage.foundSince("read"));
    }
}
