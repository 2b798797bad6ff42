package io.journal;

/**
 * How far a reader may read.
 */
public enum ReadLimit
{
    /** To the last record that is written: it outlives the writer's process, and may be lost with the power. */
    WRITTEN,
    /** To the last record that is known to be forced: whatever happens, it was read from what will be there. */
    FORCED
}
