package io.journal.bench.recommend;

import java.util.List;

/**
 * What is measured of each case.
 */
enum Figure
{
    FORCED_1("forced1PerSecond", "append and force each record, records/s", 1),
    FORCED_16("forced16PerSecond", "append 16 records, then force, records/s", 1),
    FORCED_256("forced256PerSecond", "append 256 records, then force, records/s", 1),
    FORCE_P99("p99Us", "append and force each record: 99 of 100 take less than, us (less is better)", 1),
    APPEND("writeBytesPerSecond", "append, no force; preparing segments included, MB/s", 1e6),
    BURST("burstBytesPerSecond", "append, no force; half of all mebibytes go at least this fast, MB/s", 1e6),
    REPLAY("readBytesPerSecond", "replay from the page cache, checksums verified, MB/s", 1e6);

    /** Group sizes of what is forced. */
    static final List<Figure> FORCED = List.of(FORCED_1, FORCED_16, FORCED_256);

    private final String key;
    private final String title;
    private final double unit;

    Figure(final String key, final String title, final double unit)
    {
        this.key = key;
        this.title = title;
        this.unit = unit;
    }

    /**
     * Its name in what a trial prints and in results.
     */
    String key()
    {
        return key;
    }

    /**
     * What it is, for people.
     */
    String title()
    {
        return title;
    }

    /**
     * What a value is divided by to be shown.
     */
    double unit()
    {
        return unit;
    }

    /**
     * Records that are forced together.
     */
    int groupSize()
    {
        switch (this)
        {
            case FORCED_1:
                return 1;

            case FORCED_16:
                return 16;

            case FORCED_256:
                return 256;

            default:
                throw new IllegalStateException("forces nothing: figure=" + this);
        }
    }
}
