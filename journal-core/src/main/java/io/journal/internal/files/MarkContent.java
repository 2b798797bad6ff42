package io.journal.internal.files;

/**
 * State that the last writer left in a {@link MarkFile}.
 */
public final class MarkContent
{
    static final MarkContent NONE = new MarkContent(0, -1, 0, true);

    /**
     * Whether an fsync was in progress when the writer ended, or had failed; true if the file has no valid content.
     * Then the page cache may show what the device does not have: a close frame is not believed, and what is
     * accepted is rewritten before it is fsynced.
     */
    public final boolean isForceUnfinished;
    private final long generation;
    private final long epoch;
    private final long position;

    MarkContent(
        final long generation, final long epoch, final long position, final boolean isForceUnfinished)
    {
        this.generation = generation;
        this.epoch = epoch;
        this.position = position;
        this.isForceUnfinished = isForceUnfinished;
    }

    /** Truncation epoch of the durable watermark, or -1 if the file has no valid content. */
    public long epoch()
    {
        return epoch;
    }

    /** Whether no fsync began or ended between the reads of this content and another one. */
    public boolean isSame(final MarkContent other)
    {
        return generation == other.generation && epoch == other.epoch && position == other.position &&
            isForceUnfinished == other.isForceUnfinished;
    }

    /**
     * Whether the durable watermark is one of a state. While a truncation is pending, so is one of the epoch
     * before: the intent may have become durable before this file had its epoch.
     */
    public boolean isOf(final JournalMeta.State state)
    {
        return epoch == state.epoch || null != state.pending && epoch == state.epoch - 1;
    }

    /**
     * Position of the durable watermark, or 0 if it is not one of the state.
     */
    public long forcedPosition(final JournalMeta.State state)
    {
        if (epoch == state.epoch)
        {
            return position;
        }
        return isOf(state) ? Math.min(position, state.pending.position) : 0;
    }
}
