// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides the outcome of each call to a {@link FaultStore}.
 * <p>
 * A plan is invoked before each call, on the calling thread, for one call at a time. It may inspect the store or take a
 * {@link FaultStore#crashPoint()}, but must not change the store.
 */
@FunctionalInterface
public interface FaultPlan
{
    /**
     * Decides the outcome of a call.
     *
     * @param step the call, before it is executed.
     * @return its outcome.
     */
    Fault before(StoreStep step);

    /**
     * Nothing fails.
     *
     * @return the plan.
     */
    static FaultPlan none()
    {
        return (step) -> Fault.none();
    }

    /**
     * The nth call of a kind fails, of any thread and for any file, counted from the creation of this plan. The calls
     * of the background agent count as well; with {@code backgroundThread(false)} the order is the same in each run.
     * Segments that are being prepared are fsynced too, and their names begin with {@code spare}. So to fail an fsync
     * of records, use {@link #always}, or a plan that ignores these names.
     *
     * @param kind  of the calls that are counted.
     * @param nth   number of the call that fails, from 1.
     * @param fault of that call.
     * @return the plan.
     */
    static FaultPlan nth(final StoreStep.Kind kind, final int nth, final Fault fault)
    {
        final AtomicInteger count = new AtomicInteger();
        return (step) -> kind == step.kind() && nth == count.incrementAndGet() ? fault : Fault.none();
    }

    /**
     * All calls of a kind fail.
     *
     * @param kind  of the calls.
     * @param fault of each of them.
     * @return the plan.
     */
    static FaultPlan always(final StoreStep.Kind kind, final Fault fault)
    {
        return (step) -> kind == step.kind() ? fault : Fault.none();
    }
}
