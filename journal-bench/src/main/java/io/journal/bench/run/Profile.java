// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.util.Locale;

/**
 * How an experiment is run.
 */
public enum Profile
{
    /** The article's own procedure and output. */
    FAITHFUL,

    /**
     * Each case runs in its own JVM, warmed up, in random order; cases are identical except for the compared property.
     */
    FAIR,

    /** Like fair, and writes are fsynced. */
    DURABLE,

    /** Like fair, and reads start with a cold page cache. */
    COLD;

    /** Name on the command line, in results and in reports. */
    public String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }
}
