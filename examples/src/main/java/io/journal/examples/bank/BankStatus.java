package io.journal.examples.bank;

import java.util.List;

import io.journal.examples.bank.journal.ClusterStatus;
import io.journal.examples.bank.journal.JournalStatus;
import io.journal.examples.bank.read.BankTotals;
import io.journal.examples.bank.read.Turnover;

/**
 * The state of the bank at one moment, for the page.
 *
 * @param counters of the journal.
 * @param pending  commands on their way.
 * @param totals   of the read model in memory; null if that has failed.
 * @param turnover of the read model in another process.
 * @param models   the read models.
 * @param snapshot last event in the newest snapshot, 0 if there is none.
 * @param starts   how the state was built each time, the last starts only.
 * @param cluster  that keeps the journal; null if it is kept by this machine.
 */
public record BankStatus(
    JournalStatus counters,
    int pending,
    BankTotals totals,
    Turnover.Figures turnover,
    List<Model> models,
    long snapshot,
    List<Start> starts,
    ClusterStatus cluster)
{
    /**
     * A read model.
     *
     * @param name     of it, and of its cursor.
     * @param sequence last event in it.
     * @param cursor   sequence saved in its cursor.
     * @param lag      number of durable events that are not in it.
     * @param failure  why it has stopped; empty if it runs.
     */
    public record Model(String name, long sequence, long cursor, long lag, String failure)
    {
    }

    /**
     * A start of the bank.
     *
     * @param number         of the start, from 1.
     * @param snapshot       last event in the snapshot that was loaded, 0 if there was none.
     * @param replayedEvents events that were replayed after it.
     * @param durationUs     how long both took, in microseconds.
     */
    public record Start(int number, long snapshot, long replayedEvents, long durationUs)
    {
    }
}
