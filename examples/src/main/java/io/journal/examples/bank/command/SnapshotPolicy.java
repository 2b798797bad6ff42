package io.journal.examples.bank.command;

/**
 * When snapshots are saved.
 *
 * @param everyEvents number of events after which one is saved; 0 to save them on request only.
 * @param isPruning   whether to prune the history after each.
 */
public record SnapshotPolicy(long everyEvents, boolean isPruning)
{
    /** On request only. */
    public static final SnapshotPolicy MANUAL = new SnapshotPolicy(0, false);
}
