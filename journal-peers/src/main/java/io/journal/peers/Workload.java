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

    /** Threads that append at once, inside a segment that was prepared before. */
    SHARED("unforced append by several threads", List.of(256), Trial.RATE),

    /** Threads that append and wait until the record is durable. */
    DURABLE("durable append", List.of(256), Trial.RATE),

    /** One thread that appends while a number of its records are not durable yet. */
    PIPELINED("durable append of one thread with several in flight", List.of(256), Trial.RATE),

    /** Reads all records, with a warm page cache. */
    REPLAY("replay", List.of(64, 256, 1024, 4096), Trial.RATE),

    /** Threads that read single records by their number. */
    LOOKUP("single records read at random", List.of(1024), Trial.RATE),

    /** Appends at a fixed rate. */
    PACED("append at 100,000/s", List.of(256), PacedTrial.CALL_P50),

    /** Reads records as they are appended at a fixed rate. */
    FOLLOWED("delivery to a follower at 100,000/s", List.of(256), PacedTrial.P50),

    /** Opens what a killed process left that never waited for an fsync. */
    OPEN("open after SIGKILL", List.of(1024), OpenTrial.OPEN_MS),

    /** Opens what a killed process left of which all but {@link OpenTrial#NOT_DURABLE} bytes were durable. */
    OPEN_DURABLE("open after SIGKILL, all but 4 MiB durable", List.of(1024), OpenTrial.OPEN_MS);

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

    /** For a heading that also says how many threads there are. */
    String shortTitle()
    {
        return switch (this)
        {
            case SHARED -> "unforced append";
            case PIPELINED -> "durable append, one thread";
            default -> title;
        };
    }

    List<Integer> recordLengths()
    {
        return recordLengths;
    }

    boolean isTimed()
    {
        return isDurable() || this == LOOKUP || this == PACED || this == FOLLOWED;
    }

    boolean isDurable()
    {
        return this == DURABLE || this == PIPELINED;
    }

    /** Whether one process leaves what the next one opens. */
    boolean isOpening()
    {
        return this == OPEN || this == OPEN_DURABLE;
    }

    /** Whether several threads append. */
    boolean isShared()
    {
        return this == DURABLE || this == SHARED;
    }

    /** Whether its cases differ by the number of threads, or of records in flight, and not by the record length. */
    boolean isByThreads()
    {
        return isDurable() || this == SHARED || this == LOOKUP;
    }

    /** What {@link Case#threads()} is in a table. */
    String column(final int threads)
    {
        if (this == PIPELINED)
        {
            return threads + " in flight";
        }
        return threads + (1 == threads ? " thread" : " threads");
    }

    /** Name of the value that is compared; the others explain it. */
    String mainValue()
    {
        return mainValue;
    }
}
