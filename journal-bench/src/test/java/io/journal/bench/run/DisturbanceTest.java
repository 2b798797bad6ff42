// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DisturbanceTest
{
    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void whatOthersUsedIsAShareOfTheProcessors()
    {
        // As if a second ago nobody had used anything since the start of the machine.
        final Disturbance now = Disturbance.begin();
        final long ticks = 50L * Runtime.getRuntime().availableProcessors();

        final long percent = new Disturbance(now.startNs() - SECOND_NS, now.busy() - ticks, now.own()).end();

        assertTrue(percent >= 40 || 0 == now.busy(), "percent=" + percent);
    }

    @Test
    void ownUseIsNoDisturbance()
    {
        final Disturbance now = Disturbance.begin();

        assertEquals(0, new Disturbance(now.startNs() - SECOND_NS, now.busy(), now.own() - 1000).end());
    }

    @Test
    void aShortTimeTellsNothing()
    {
        assertEquals(0, new Disturbance(System.nanoTime(), Long.MIN_VALUE / 2, 0).end());
    }
}
