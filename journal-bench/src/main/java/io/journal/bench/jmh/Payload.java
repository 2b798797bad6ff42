package io.journal.bench.jmh;

import java.util.SplittableRandom;

/**
 * The bytes to be appended: the same ones, in the same order, for journal and baseline. Random, since a memory or a
 * device might be quick with zeros; small enough to stay in the cache, since reading them is not what is measured.
 */
final class Payload
{
    private static final int LENGTH = 16 * 1024;
    private static final long SEED = 0x5EED;

    final byte[] bytes = new byte[LENGTH];
    private final int recordLength;
    private int offset;

    Payload(final int recordLength)
    {
        this.recordLength = recordLength;
        new SplittableRandom(SEED).nextBytes(bytes);
    }

    /**
     * Where the next record begins in {@link #bytes}.
     */
    int next()
    {
        final int next = offset;
        offset = next + 2 * recordLength <= LENGTH ? next + recordLength : 0;
        return next;
    }
}
