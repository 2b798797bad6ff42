package io.journal.bench.workload;

import java.util.List;

/**
 * What is measured, with the record lengths and numbers with which subjects are compared.
 */
public enum Workload
{
    /** Appends inside the first segment, which was prepared before: a burst. */
    PREPARED(List.of(64, 256, 1024, 4096)),
    /** Appends over several segments: a stream, until its last fsync as well. */
    SUSTAINED(List.of(64, 256, 1024, 4096)),
    /** Threads that append at once, inside a segment that was prepared before. */
    SHARED(List.of(256), 2, 4),
    /** Threads that append and wait until the record is durable. */
    DURABLE(List.of(256), 1, 16, 64),
    /** One thread that appends while a number of its records are not durable yet. */
    PIPELINED(List.of(256), 1, 16, 256, 4096),
    /** Reads all records, with a warm page cache. */
    REPLAY(List.of(64, 256, 1024, 4096)),
    /** Threads that read single records by their number. */
    LOOKUP(List.of(1024), 1, 4),
    /** Reads single records right after opening. */
    FIRST_LOOKUP(List.of(1024)),
    /** Appends at a fixed rate. */
    PACED(List.of(256)),
    /** Reads records as they are appended at a fixed rate. */
    FOLLOWED(List.of(256)),
    /** Opens what a killed process left that never waited for an fsync. */
    OPEN(List.of(1024)),
    /** The same, of which all but 4 MiB were durable. */
    OPEN_DURABLE(List.of(1024)),
    /** From the start of a process to its first durable record. */
    START(List.of(256)),
    /** Moves a reader about in a long history of small segments. */
    SEEK(List.of(64)),
    /** Many journals that are open and not used. */
    IDLE(List.of(256), 1, 20, 200, 1000);

    private final List<Integer> recordLengths;
    private final List<Integer> threads;

    Workload(final List<Integer> recordLengths, final Integer... threads)
    {
        this.recordLengths = recordLengths;
        this.threads = List.of(threads);
    }

    public List<Integer> recordLengths()
    {
        return recordLengths;
    }

    /** Numbers of threads, of records in flight, or of journals; empty if it has none. */
    public List<Integer> threads()
    {
        return threads;
    }

    /** Whether it measures for a time, not for a number of bytes. */
    public boolean isTimed()
    {
        return DURABLE == this || PIPELINED == this || LOOKUP == this || PACED == this || FOLLOWED == this ||
            IDLE == this;
    }

    /** Whether records become durable as they are appended. */
    public boolean isDurable()
    {
        return DURABLE == this || PIPELINED == this || START == this;
    }

    /** Whether one process leaves what the next one opens. */
    public boolean isOpening()
    {
        return OPEN == this || OPEN_DURABLE == this;
    }

    /** Whether several threads append. */
    public boolean isShared()
    {
        return DURABLE == this || SHARED == this;
    }
}
