package io.journal.bench.workload;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.SubjectKind;

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
        final Arguments arguments = Arguments.of(args);
        final SubjectKind kind = arguments.one(SubjectKind.class, "subject");
        final Setup setup = Setup.of(arguments);
        switch (setup.workload())
        {
            case PREPARED, SUSTAINED, SHARED -> new StreamTrial(kind, setup, arguments).run();
            case DURABLE, PIPELINED -> ThreadTrials.durable(kind, setup, arguments);
            case LOOKUP -> ThreadTrials.lookUp(kind, setup, arguments);
            case REPLAY -> ReadTrials.replay(kind, setup, arguments);
            case FIRST_LOOKUP -> ReadTrials.firstLookups(kind, setup, arguments);
            case SEEK -> ReadTrials.seek(setup, arguments);
            case PACED -> new PacedTrial(kind, setup, arguments).run();
            case FOLLOWED -> new FollowedTrial(kind, setup, arguments).run();
            case START -> OpenTrials.start(kind, setup);
            case IDLE -> OpenTrials.idle(setup, arguments);
            default -> OpenTrials.open(kind, setup, arguments.number("length"),
                arguments.text(BenchmarkCase.STEP));
        }
        System.out.flush();
        // Some subjects leave threads behind.
        System.exit(0);
    }

    /** A case of a workload on a subject. */
    public static BenchmarkCase of(
        final SubjectKind kind, final Workload workload, final String words, final int recordLength,
        final int segmentLength)
    {
        final BenchmarkCase made =
            BenchmarkCase.withFlags(kind.title() + ", " + words, WorkloadTrial.class, kind.flags())
                .parameter("subject", kind).parameter("workload", workload).parameter("recordLength", recordLength)
                .parameter("segmentLength", segmentLength);
        kind.options().forEach(made::argument);
        if (kind.isSharingMemory())
        {
            made.sharingMemory();
        }
        return workload.isOpening() ? made.killedFirst() : made;
    }
}
