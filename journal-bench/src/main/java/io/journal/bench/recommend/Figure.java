package io.journal.bench.recommend;

import java.util.List;

/**
 * What is measured of each configuration.
 */
enum Figure
{
    FORCED_1("forced1PerSecond", "append and fsync each record", 1),
    FORCED_16("forced16PerSecond", "append 16 records, then fsync", 16),
    FORCED_256("forced256PerSecond", "append 256 records, then fsync", 256),
    FORCE_P99("p99Us", "append and fsync each record: 99th percentile in us", 0),
    APPEND("writeBytesPerSecond", "append, no fsync; segment preparation included", 0),
    BURST("burstBytesPerSecond", "append, no fsync; the median MiB", 0),
    REPLAY("readBytesPerSecond", "replay from the page cache, checksums verified", 0);

    /** Rates with an fsync, by group size. */
    static final List<Figure> FORCED = List.of(FORCED_1, FORCED_16, FORCED_256);

    private final String key;
    private final String title;
    private final int groupSize;

    Figure(final String key, final String title, final int groupSize)
    {
        this.key = key;
        this.title = title;
        this.groupSize = groupSize;
    }

    String key()
    {
        return key;
    }

    String title()
    {
        return title;
    }

    /**
     * Records per fsync.
     */
    int groupSize()
    {
        if (0 == groupSize)
        {
            throw new IllegalStateException("no fsync: figure=" + this);
        }

        return groupSize;
    }

    /**
     * Converts a value to records/s.
     */
    double recordsPerSecond(final double value, final int recordLength)
    {
        return FORCED.contains(this) ? value : value / recordLength;
    }
}
