package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.PageCache;

/**
 * Copies a file with one strategy, then fsyncs the copy, after a warm-up. Independent code compares the files.
 */
final class CopyTrial
{
    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final int PAGE_LENGTH = 4096;

    private final Path source;
    private final Path target;
    private final CopyStrategy strategy;
    private final int bufferLength;

    private CopyTrial(final Arguments args)
    {
        source = args.directory().resolve("source.dat");
        target = args.directory().resolve("target.dat");
        strategy = args.one(CopyStrategy.class, "way");
        bufferLength = args.length("bufferLength");
    }

    public static void main(final String[] args) throws IOException
    {
        final Arguments arguments = Arguments.of(args);
        final long length = arguments.number("length");
        final CopyTrial trial = new CopyTrial(arguments);
        trial.warmUp(Math.min(length, WARM_UP_LENGTH));
        trial.run(length);
    }

    private void warmUp(final long length) throws IOException
    {
        FileStrategy.CHANNEL_DIRECT.write(source, length, PAGE_LENGTH, null);
        for (int i = 0; i < WARM_UPS; i++)
        {
            strategy.copy(source, target, bufferLength);
            Files.delete(target);
        }
    }

    private void run(final long length) throws IOException
    {
        FileStrategy.CHANNEL_DIRECT.write(source, length, PAGE_LENGTH, null);
        PageCache.force(source);
        System.gc();
        final MeasuredInterval interval = MeasuredInterval.start();
        strategy.copy(source, target, bufferLength);
        interval.rate(Copy.COPY, length);
        PageCache.force(target);
        interval.rate(Sequential.DURABLE, length);
        interval.print("copy");

        if (Files.size(target) != length || -1 != Files.mismatch(source, target))
        {
            throw new IllegalStateException(
                "not a copy: first difference=" + Files.mismatch(source, target) + ", expected length=" + length +
                    ", found=" + Files.size(target));
        }
    }
}
