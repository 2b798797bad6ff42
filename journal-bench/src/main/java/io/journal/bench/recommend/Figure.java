package io.journal.bench.recommend;

import java.util.List;

/**
 * What is measured of each case.
 */
enum Figure
{
    FORCED_1("append and force each record", "records/s"),
    FORCED_16("append 16 records, then force", "records/s"),
    FORCED_256("append 256 records, then force", "records/s"),
    FORCE_P99("append and force each record: 99 of 100 take less than", "us (less is better)"),
    APPEND("append, no force; preparing segments included", "MB/s"),
    BURST("append, no force; half of all mebibytes go at least this fast", "MB/s"),
    REPLAY("replay from the page cache, checksums verified", "MB/s");

    /** Group sizes of what is forced. */
    static final List<Figure> FORCED = List.of(FORCED_1, FORCED_16, FORCED_256);

    private final String title;
    private final String unit;

    Figure(final String title, final String unit)
    {
        this.title = title;
        this.unit = unit;
    }

    String title()
    {
        return title;
    }

    String unit()
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
