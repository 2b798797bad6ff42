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

    /** Each case in its own JVM, warmed up, in random order, identical except for what is compared. */
    FAIR,

    /** As fair, and writes are fsynced. */
    DURABLE,

    /** As fair, and reads start with a cold page cache. */
    COLD;

    /** Name on the command line, in results and in reports. */
    public String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }
}
