package io.journal.examples.bank.command;

/**
 * How the state was built when the bank was opened.
 *
 * @param snapshotSequence last event in the snapshot that was loaded; 0 if there was none.
 * @param replayedEvents   number of events that were replayed.
 * @param durationNs       how long both took.
 */
public record StartUp(long snapshotSequence, long replayedEvents, long durationNs)
{
}
