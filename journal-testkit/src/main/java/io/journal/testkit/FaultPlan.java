package io.journal.testkit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides what becomes of each call to a {@link FaultStore}.
 * <p>
 * Asked before each call, by the calling thread; one call at a time. It may look at the store meanwhile, or take a
 * {@link FaultStore#crashPoint()} of it, but not change it.
 */
@FunctionalInterface
public interface FaultPlan
{
    /**
     * Decides.
     *
     * @param step that is to be made.
     * @return what becomes of it.
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
     * One call fails, counted from when the plan is made.
     *
     * @param kind  of the calls that are counted.
     * @param nth   of them, from 1.
     * @param fault it meets.
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
     * @param fault they meet.
     * @return the plan.
     */
    static FaultPlan always(final StoreStep.Kind kind, final Fault fault)
    {
        return (step) -> kind == step.kind() ? fault : Fault.none();
    }
}
