// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.io.IOException;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.tests.support.StepStore.Step;

/** A device that fails selected steps while switched on. */
public final class FailingSteps implements StepStore.Steps
{
    private final BiPredicate<Step, String> where;
    private volatile Supplier<IOException> failure;

    public FailingSteps(final Step step)
    {
        this((any, name) -> step == any);
    }

    public FailingSteps(final BiPredicate<Step, String> where)
    {
        this.where = where;
    }

    public void fail()
    {
        failure = () -> new IOException("injected");
    }

    public void beFull()
    {
        failure = () -> new NoSpaceException("injected", null);
    }

    public void work()
    {
        failure = null;
    }

    @Override
    public boolean before(final Step step, final String name) throws IOException
    {
        final Supplier<IOException> failure = this.failure;
        if (null != failure && where.test(step, name))
        {
            throw failure.get();
        }

        return true;
    }
}
