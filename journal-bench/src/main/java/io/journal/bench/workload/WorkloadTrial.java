// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import io.journal.bench.run.Arguments;
import io.journal.bench.subject.Setup;

/**
 * Measures one workload on one subject in a process of its own, and prints its values.
 */
public final class WorkloadTrial
{
    private WorkloadTrial()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        final Setup setup = Setup.of(Arguments.of(args));
        switch (setup.workload())
        {
            case PREPARED, SUSTAINED, SHARED -> new StreamTrial(setup).run();
            case DURABLE, PIPELINED -> ThreadTrials.durable(setup);
            case LOOKUP -> ThreadTrials.lookUp(setup);
            case REPLAY -> new ReadTrials(setup).replay();
            case FIRST_LOOKUP -> new ReadTrials(setup).firstLookups();
            case SEEK -> new ReadTrials(setup).seek();
            case PACED -> new PacedTrial(setup).append();
            case FOLLOWED -> new PacedTrial(setup).follow();
            case START -> OpenTrials.start(setup);
            case IDLE -> OpenTrials.idle(setup);
            default -> OpenTrials.open(setup);
        }
        System.out.flush();
        // Exit explicitly, because some subjects leave threads running.
        System.exit(0);
    }
}
