package io.journal.examples.bank;

import java.util.List;

import io.journal.examples.bank.journal.JournalStatus;
import io.journal.examples.bank.read.AccountsView;
import io.journal.examples.bank.read.Turnover;

/**
 * The bank at one moment, for the page.
 *
 * @param journal     its figures.
 * @param pending     commands on their way.
 * @param totals      of the read model in memory; null if that has stopped.
 * @param turnover    the read model in another process.
 * @param models      how far each read model is.
 * @param snapshot    last event in the newest snapshot, 0 if there is none.
 * @param isSnapshots whether there can be snapshots; a cluster has none of the bank.
 * @param starts      how the state was built, the last starts only.
 */
public record BankStatus(
    JournalStatus journal,
    int pending,
    AccountsView.Totals totals,
    Turnover turnover,
    List<Model> models,
    long snapshot,
    boolean isSnapshots,
    List<StartLog.Start> starts)
{
    /**
     * A read model.
     *
     * @param name     of it.
     * @param sequence last event in it.
     * @param consumed up to which event it needs no more history.
     * @param lag      number of durable events that are not in it.
     * @param failure  why it has stopped; null if it runs.
     */
    public record Model(String name, long sequence, long consumed, long lag, String failure)
    {
    }
}
