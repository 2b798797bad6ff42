package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.journal.bench.article.Content;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Profile;

/**
 * Reads a file with one strategy, after a warm-up.
 */
final class ReaderTrial
{
    static final String READ = "readBytesPerSecond";
    static final String ELAPSED = "elapsedNs";
    static final String BYTES = "bytesCount";
    static final String SUM = "sum";
    static final String REDUCED = "isReduced";

    private ReaderTrial()
    {
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final long length = arguments.number("length");
        final ReaderStrategy strategy = arguments.one(ReaderStrategy.class, "way");
        final BoundedRead read = new BoundedRead(
            Point.of(arguments), strategy::read, Path.of(arguments.text("file")), length);
        final long limitNs = TimeUnit.MILLISECONDS.toNanos(arguments.number("limitMs"));
        BoundedRead.Pass pass = read.run(limitNs);
        System.gc();
        final ColdRead cold = ColdRead.of(arguments.one(Profile.class, "profile"), pass.file());
        cold.begin();
        pass = read.pass(pass.file(), pass.length());
        cold.end(pass.length());
        cold.print();
        if (Content.sum(pass.length()) != pass.sum())
        {
            throw new IllegalStateException(
                "wrong checksum: expected=" + Content.sum(pass.length()) + ", found=" + pass.sum());
        }

        pass.found(length).forEach((key, value) -> System.out.println(key + '=' + value));
    }
}
