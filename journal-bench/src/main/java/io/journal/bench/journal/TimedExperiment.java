package io.journal.bench.journal;

import java.util.List;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Subject;
import picocli.CommandLine.Option;

/**
 * An experiment whose cases run for a time.
 */
abstract class TimedExperiment extends JournalExperiment
{
    private static final double MS_PER_S = 1e3;

    @Option(names = "--warm-up-ms", description = "Before counting. Default: ${DEFAULT-VALUE}")
    int warmUpMs;

    @Option(names = "--ms", description = "That count, of each case in each round. Default: ${DEFAULT-VALUE}")
    int countedMs;

    private final double overheadSeconds;

    TimedExperiment(final int warmUpMs, final int countedMs, final double overheadSeconds)
    {
        this.overheadSeconds = overheadSeconds;
        this.warmUpMs = warmUpMs;
        this.countedMs = countedMs;
    }

    @Override
    protected void check(final Checks checks)
    {
        checks.atLeast(0, "--warm-up-ms", warmUpMs).atLeast(1, "--ms", countedMs);
        JournalLengths.check(checks, leastRecordLength(), recordLength, segmentLength);
    }

    /** That what is measured can do with. */
    int leastRecordLength()
    {
        return 0;
    }

    /** What --scale leaves of the time that counts. */
    final int ms()
    {
        return (int)options.scaled(countedMs);
    }

    /** Tells a case what all have in common. */
    final Subject timed(final Subject subject)
    {
        return lengths(subject).told("warmUpMs", warmUpMs).told("ms", ms());
    }

    /** Of records that come at a rate, at most. */
    final long neededBytes(final long recordsPerSecond)
    {
        return JournalLengths.neededBytes(
            JournalLengths.count(recordsPerSecond, warmUpMs + options.scaled(countedMs)), recordLength, segmentLength);
    }

    @Override
    protected double seconds(final List<Subject> subjects)
    {
        return seconds(subjects.size(), 1);
    }

    /** What so many cases take if the time of each is so many times longer. */
    final double seconds(final int cases, final int times)
    {
        return options.rounds * cases * (overheadSeconds + times * ((double)warmUpMs + ms()) / MS_PER_S);
    }
}
