package io.journal.peers;

import java.util.List;

/**
 * What is measured. Each value of a result is named by the unit at its end.
 */
enum Workload
{
    /** Appends inside the first segment, which was prepared before. */
    PREPARED("unforced append inside a prepared segment", List.of(64, 256, 1024, 4096), Trial.RATE),

    /** Appends over several segments. */
    SUSTAINED("unforced append over several segments", List.of(64, 256, 1024, 4096), Trial.RATE),

    /** Threads that append and wait until the record is durable. */
    DURABLE("durable append", List.of(256), Trial.RATE),

    /** Reads all records, with a warm page cache. */
    REPLAY("replay", List.of(64, 256, 1024, 4096), Trial.RATE),

    /** Appends at a fixed rate. */
    PACED("append at 100,000/s", List.of(256), PacedTrial.CALL_P50),

    /** Opens what a killed process left. */
    OPEN("open after SIGKILL", List.of(1024), OpenTrial.OPEN_MS);

    private final String title;
    private final List<Integer> recordLengths;
    private final String mainValue;

    Workload(final String title, final List<Integer> recordLengths, final String mainValue)
    {
        this.title = title;
        this.recordLengths = recordLengths;
        this.mainValue = mainValue;
    }

    String title()
    {
        return title;
    }

    List<Integer> recordLengths()
    {
        return recordLengths;
    }

    boolean isTimed()
    {
        return this == DURABLE || this == PACED;
    }

    /** Name of the value that is compared; the others explain it. */
    String mainValue()
    {
        return mainValue;
    }
}
