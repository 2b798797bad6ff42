// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.util.Random;
import java.util.function.LongSupplier;

import io.journal.store.SegmentStore;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;

/** A modification of the storage of every opened journal: none, or one that violates a guarantee. */
interface Variant
{
    Variant NONE = (store) -> FaultPlan.none();

    /** The faults to inject into calls of a store. */
    FaultPlan plan(FaultStore store);

    /** The store of a journal. */
    default SegmentStore wrap(final FaultStore store)
    {
        return store;
    }

    /** Source of the salts. */
    default LongSupplier randoms(final Random random)
    {
        return random::nextLong;
    }
}
