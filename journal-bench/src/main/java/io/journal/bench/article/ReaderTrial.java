package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.journal.bench.article.ReaderStrategy.Point;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Profile;

/**
 * Reads as much of a file as fits a time limit: 1 MiB first, then four times as much, up to the whole file or until
 * another four times as much would exceed the limit. Only the last pass is reported, with its length; the others are
 * the warm-up.
 */
record ReaderTrial(Point point, Reading reading, Path wholeFile, long wholeLength)
{
    static final String ELAPSED = "elapsedNs";
    static final String BYTES = "bytesCount";
    static final String SUM = "sum";
    static final String REDUCED = "isReduced";

    private static final long FIRST_LENGTH = 1024 * 1024;
    private static final int GROWTH = 4;

    /** Reads a file to its end; returns the sum of its bytes. */
    interface Reading
    {
        long read(Path file, int bufferLength, int arrayLength) throws IOException;
    }

    /** A pass over a file; measured are its rate and resource usage. */
    record Pass(Path file, long length, long elapsedNs, long sum, Map<String, String> measured)
    {
        /** Values of the pass as a case prints them. */
        Map<String, String> found(final long wholeLength)
        {
            final Map<String, String> found = new LinkedHashMap<>(measured);
            found.put(BYTES, Long.toString(length));
            found.put(SUM, Long.toString(sum));
            found.put(REDUCED, Boolean.toString(length < wholeLength));
            if (length == wholeLength)
            {
                found.put(ELAPSED, Long.toString(elapsedNs));
            }
            return found;
        }
    }

    /** Repeats the last pass of the warm-up. */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final ReaderStrategy strategy = arguments.one(ReaderStrategy.class, "way");
        final ReaderTrial trial = new ReaderTrial(
            Point.of(arguments.values()), strategy::read, Path.of(arguments.text("file")), arguments.number("length"));
        final Pass warmUp = trial.run(TimeUnit.MILLISECONDS.toNanos(arguments.number("limitMs")));
        System.gc();
        final ColdRead cold = new ColdRead(arguments.one(Profile.class, "profile"), warmUp.file);
        cold.begin();
        final Pass pass = trial.pass(warmUp.file, warmUp.length);
        cold.end(pass.length);
        cold.print();
        Content.check("checksum: strategy=" + strategy, Content.sum(pass.length), pass.sum);
        pass.found(trial.wholeLength).forEach(Child::print);
    }

    /** @param limitNs approximate time limit; 0 if there is none. */
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

    /** A file of the first bytes, beside the whole one: created by the first case that needs it, for all. */
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

    private Pass pass(final Path file, final long length) throws IOException
    {
        final MeasuredInterval interval = MeasuredInterval.start();
        final long sum = reading.read(file, point.bufferLength(), point.arrayLength());
        interval.rate(Sequential.READ, length);
        return new Pass(file, length, interval.elapsedNs(), sum, interval.end("read"));
    }
}
