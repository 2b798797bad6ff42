package io.journal.bench.run;

import java.util.Locale;

/**
 * How an experiment is run.
 */
public enum Profile
{
    /** As the article did, with what it printed. */
    FAITHFUL,

    /** Each case in a JVM of its own, warmed up, in random order, alike in all but what is compared. */
    FAIR,

    /** The same, and what is written is forced to the device. */
    DURABLE,

    /** The same, and what is read is not in the page cache. */
    COLD;

    /**
     * Its name on the command line, in results and in reports.
     */
    public String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }
}
