// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;

/**
 * Copies a file in the page cache to a new one, then fsyncs the copy, after a warm-up. Independent code compares the
 * files.
 */
final class CopyTrial
{
    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;

    private CopyTrial()
    {
    }

    /** The JDK's APIs to copy a file to a new one. */
    enum Strategy
    {
        /** Reads and writes a buffer of a given length; the other strategies choose their own. */
        LOOP, TRANSFER_TO, TRANSFER_FROM, FILES_COPY
    }

    public static void main(final String[] args) throws IOException
    {
        final Arguments arguments = Arguments.of(args);
        final Path source = arguments.directory().resolve("source.dat");
        final Path target = arguments.directory().resolve("target.dat");
        final Strategy strategy = arguments.one(Strategy.class, "way");
        final int bufferLength = arguments.length("bufferLength");
        final long length = arguments.number("length");
        Content.write(source, Math.min(length, WARM_UP_LENGTH));
        for (int i = 0; i < WARM_UPS; i++)
        {
            copy(strategy, source, target, bufferLength);
            Files.delete(target);
        }
        Content.write(source, length);
        ColdRead.force(source);
        System.gc();
        final MeasuredInterval interval = MeasuredInterval.start();
        copy(strategy, source, target, bufferLength);
        final double rate = interval.rate(length);
        ColdRead.force(target);
        Child.print("durableBytesPerSecond", interval.rate(length));
        Child.print("copyBytesPerSecond", rate);
        interval.print("copy");
        Content.check("length of the copy", length, Files.size(target));
        Content.check("copy: first difference", -1, Files.mismatch(source, target));
    }

    private static void copy(final Strategy strategy, final Path source, final Path target, final int bufferLength)
        throws IOException
    {
        if (Strategy.FILES_COPY == strategy)
        {
            Files.copy(source, target);
            return;
        }
        try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
            FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            if (Strategy.LOOP == strategy)
            {
                final ByteBuffer buffer = ByteBuffer.allocateDirect(bufferLength);
                while (in.read(buffer.clear()) >= 0)
                {
                    FileStrategy.writeAll(out, buffer.flip());
                }
                return;
            }
            final long length = in.size();
            for (long offset = 0; offset < length;)
            {
                offset += Strategy.TRANSFER_TO == strategy ? in.transferTo(offset, length - offset, out) :
                    out.transferFrom(in, offset, length - offset);
            }
        }
    }
}
