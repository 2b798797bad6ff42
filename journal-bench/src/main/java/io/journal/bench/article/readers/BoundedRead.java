package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

import io.journal.bench.article.Content;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;

/**
 * Reads as much of a file as fits a time limit: 1 MiB first, then four times as much, up to the whole file or until
 * another four times as much would exceed the limit. Only the last pass is reported, with its length; the others are
 * the warm-up.
 */
final class BoundedRead
{
    private static final long FIRST_LENGTH = 1024 * 1024;
    private static final int GROWTH = 4;

    private final Point point;
    private final Reading reading;
    private final Path wholeFile;
    private final long wholeLength;

    /** Reads a file to its end. */
    interface Reading
    {
        /**
         * @return sum of its bytes.
         */
        long read(Path file, int bufferLength, int arrayLength) throws IOException;
    }

    /** Length, time and checksum of a pass, with its rate and resource usage. */
    record Pass(Path file, long length, long elapsedNs, long sum, Map<String, String> measured)
    {
        /** Values of the pass as a case prints them. */
        Map<String, String> found(final long wholeLength)
        {
            final Map<String, String> found = new LinkedHashMap<>(measured);
            found.put(ReaderTrial.BYTES, Long.toString(length));
            found.put(ReaderTrial.SUM, Long.toString(sum));
            found.put(ReaderTrial.REDUCED, Boolean.toString(length < wholeLength));
            if (length == wholeLength)
            {
                found.put(ReaderTrial.ELAPSED, Long.toString(elapsedNs));
            }
            return found;
        }
    }

    BoundedRead(final Point point, final Reading reading, final Path wholeFile, final long wholeLength)
    {
        this.point = point;
        this.reading = reading;
        this.wholeFile = wholeFile;
        this.wholeLength = wholeLength;
    }

    /**
     * @param limitNs approximate time limit; 0 if there is none.
     */
    Pass run(final long limitNs) throws IOException
    {
        long length = Math.min(FIRST_LENGTH, wholeLength);
        while (length < wholeLength)
        {
            final Pass pass = pass(beginning(length), length);
            if (limitNs > 0 && pass.elapsedNs * GROWTH > limitNs)
            {
                return pass;
            }
            length = limitNs > 0 ? length * GROWTH : wholeLength;
        }

        return pass(wholeFile, wholeLength);
    }

    /**
     * A file of the first bytes. The first case that needs it creates it, beside the whole file; all others share it.
     */
    private Path beginning(final long length) throws IOException
    {
        final Path beginning = wholeFile.resolveSibling("beginning-" + length + ".dat");
        if (Files.notExists(beginning))
        {
            Content.write(beginning, length);
            // Fsynced so that no writeback competes with the reads.
            ColdRead.force(beginning);
        }
        return beginning;
    }

    Pass pass(final Path file, final long length) throws IOException
    {
        final MeasuredInterval interval = MeasuredInterval.start();
        final long sum = reading.read(file, point.bufferLength(), point.arrayLength());
        interval.rate(ReaderTrial.READ, length);
        return new Pass(file, length, interval.elapsedNs(), sum, interval.end("read"));
    }
}
