// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Unit;
import org.HdrHistogram.Histogram;
import org.agrona.collections.LongArrayList;

/**
 * Reads all lines of a text, then random lines, after a warm-up, by one of two strategies from the discussion below the
 * article in 2012: with the JDK's BufferedReader, or with an index of offsets.
 *
 * @param isIndexed whether by an index.
 * @param offsets   the index: the offset of each line, and that of the end.
 */
record LineTrial(Path file, boolean isIndexed, LongArrayList offsets, Random random, long samplesNs)
{
    /** Time to read random lines, scaled with the length. */
    static final int SAMPLES_MS = 500;

    private static final int WARM_UP_LENGTH = 8 * 1024 * 1024;
    private static final int WARM_UPS = 3;
    private static final int MIN_SAMPLES = 15;
    private static final int MAX_SAMPLES = 10_000;
    private static final int ARRAY_LENGTH = 8192;
    private static final int MAX_PADDING = 80;
    private static final int PADDING_STEP = 31;
    private static final long SEED = 1;

    enum Strategy
    {
        BUFFERED_READER, OFFSET_INDEX
    }

    public static void main(final String[] args) throws IOException
    {
        final Arguments arguments = Arguments.of(args);
        final LineTrial trial = new LineTrial(
            arguments.directory().resolve("lines.txt"),
            Strategy.OFFSET_INDEX == arguments.one(Strategy.class, "way"), new LongArrayList(), new Random(SEED),
            TimeUnit.MILLISECONDS.toNanos(arguments.number("samplesMs")));
        final long length = arguments.number("length");
        for (int i = 0; i < WARM_UPS; i++)
        {
            trial.run(Math.min(length, WARM_UP_LENGTH), false);
        }
        trial.run(length, true);
    }

    private void run(final long length, final boolean isMeasured) throws IOException
    {
        final int count = write(length);
        ColdRead.force(file);
        offsets.clear();
        // The index of each run has to grow.
        offsets.trimToSize();
        final MeasuredInterval interval = MeasuredInterval.start();
        final long characters = isIndexed ? buildIndex() : readAll();
        final double passes = interval.rate(1);
        Content.check("number of characters", Files.size(file) - count, characters);
        // The first call is a warm-up.
        lineUs(count);
        final double lineUs = lineUs(count);
        if (isMeasured)
        {
            interval.print("read");
            Child.print(FileTrial.READ, passes * Files.size(file));
            Child.print("linesPerSecond", passes * count);
            Child.print("lineUs", lineUs);
        }
    }

    private double lineUs(final int count) throws IOException
    {
        final Histogram times = new Histogram(3);
        final long end = System.nanoTime() + samplesNs;
        for (int i = 0; i < MAX_SAMPLES && (i < MIN_SAMPLES || System.nanoTime() < end); i++)
        {
            final int number = random.nextInt(count);
            final long start = System.nanoTime();
            final String line = isIndexed ? indexedLine(number) : line(number);
            times.recordValue(System.nanoTime() - start);
            if (!text(number).equals(line))
            {
                throw new IllegalStateException("wrong line: number=" + number + ", found=" + line);
            }
        }
        return times.getValueAtPercentile(50) / Unit.NS_PER_US;
    }

    /** A line of the text, without its end: 12 to 91 characters that follow from its number. */
    private static String text(final int number)
    {
        return String.format(Locale.ROOT, "line %07d", number) +
            "x".repeat((int)((long)number * PADDING_STEP % MAX_PADDING));
    }

    /** Writes lines up to a length; returns their number. */
    private int write(final long length) throws IOException
    {
        int count = 0;
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII))
        {
            for (long written = 0; written < length; count++)
            {
                final String line = text(count);
                out.write(line + '\n');
                written += line.length() + 1;
            }
        }
        return count;
    }

    /** Returns the number of characters without line ends. */
    private long readAll() throws IOException
    {
        long characters = 0;
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.US_ASCII))
        {
            for (String line = in.readLine(); null != line; line = in.readLine())
            {
                characters += line.length();
            }
        }
        return characters;
    }

    /** Builds the index by scanning arrays for line ends. */
    private long buildIndex() throws IOException
    {
        final byte[] array = new byte[ARRAY_LENGTH];
        long offset = 0;
        offsets.addLong(0);
        try (InputStream in = new FileInputStream(file.toFile()))
        {
            for (int length = in.read(array); length >= 0; length = in.read(array))
            {
                for (int i = 0; i < length; i++)
                {
                    if ('\n' == array[i])
                    {
                        offsets.addLong(offset + i + 1);
                    }
                }
                offset += length;
            }
        }
        return offset - (offsets.size() - 1);
    }

    private String line(final int number) throws IOException
    {
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.US_ASCII))
        {
            for (int i = 0; i < number; i++)
            {
                in.readLine();
            }
            return in.readLine();
        }
    }

    private String indexedLine(final int number) throws IOException
    {
        final long begin = offsets.getLong(number);
        final byte[] bytes = new byte[(int)(offsets.getLong(number + 1) - 1 - begin)];
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r"))
        {
            in.seek(begin);
            in.readFully(bytes);
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
