package io.journal.examples.bank.command;

/**
 * When the command side saves snapshots.
 *
 * @param everyEvents a snapshot after as many events; 0 for none but those asked for.
 * @param isPruning   whether history that the two newest snapshots and all cursors have passed is pruned after each.
 *                    Keep it, and read models can be rebuilt from the first event on.
 */
public record SnapshotPolicy(long everyEvents, boolean isPruning)
{
    /** Only snapshots that are asked for. */
    public static final SnapshotPolicy MANUAL = new SnapshotPolicy(0, false);
}
