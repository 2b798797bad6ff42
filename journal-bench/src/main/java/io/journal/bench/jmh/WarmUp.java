package io.journal.bench.jmh;

import java.util.function.IntToLongFunction;

/**
 * Gets a loop compiled before it is measured, by many short calls instead of on-stack replacement.
 */
final class WarmUp
{
    private static final int CALLS = 20_000;
    private static final int MAX_COUNT = 25;
    private static final int MIN_HEADER_LENGTH = 64;
    private static volatile long blackhole;

    private WarmUp()
    {
    }

    /**
     * @param loop         takes the number of records.
     * @param room         bytes it may use.
     * @param recordLength of each record.
     */
    static void run(final IntToLongFunction loop, final int room, final int recordLength)
    {
        final int most = Math.max(1, room / CALLS / (recordLength + MIN_HEADER_LENGTH));
        final int count = Math.min(MAX_COUNT, most);
        long result = 0;
        for (int i = 0; i < CALLS; i++)
        {
            result += loop.applyAsLong(count);
        }
        blackhole = result;
    }
}
