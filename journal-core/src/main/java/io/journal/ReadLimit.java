package io.journal;

/**
 * How far a reader may read.
 */
public enum ReadLimit
{
    /** Up to the last written record: it survives a crash of the writer's process, but may be lost with the power. */
    WRITTEN,
    /** Up to the durable watermark: records read can no longer be lost. */
    FORCED
}
