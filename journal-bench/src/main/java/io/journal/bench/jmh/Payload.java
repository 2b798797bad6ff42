package io.journal.bench.jmh;

import java.util.SplittableRandom;

/**
 * The bytes to append, the same for journal and baseline. Random, since zeros may be special-cased; small enough to
 * stay in the CPU cache, since reading them is not measured.
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
     * Offset of the next record in {@link #bytes}.
     */
    int next()
    {
        final int next = offset;
        offset = next + 2 * recordLength <= LENGTH ? next + recordLength : 0;
        return next;
    }
}
