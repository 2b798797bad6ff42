package io.journal.peers;

import java.util.List;
import java.util.stream.Stream;

/**
 * Tables of {@link Growth}: one for each axis and workload, a row for each value of the axis, a column for each
 * backend.
 */
final class GrowthTables
{
    private final List<Result> results;

    GrowthTables(final List<Result> results)
    {
        this.results = results.stream().filter((result) -> !result.axis().isEmpty()).toList();
    }

    void print(final StringBuilder text)
    {
        for (final String axis : results.stream().map(Result::axis).distinct().sorted().toList())
        {
            for (final Workload workload : Workload.values())
            {
                if (of(axis, workload).findAny().isPresent())
                {
                    print(text, axis, workload);
                }
            }
        }
    }

    private Stream<Result> of(final String axis, final Workload workload)
    {
        return results.stream()
            .filter((result) -> axis.equals(result.axis()) && workload == result.measured().workload());
    }

    private void print(final StringBuilder text, final String axis, final Workload workload)
    {
        final List<PeerKind> peers = of(axis, workload).map((result) -> result.measured().peer()).distinct().sorted()
            .toList();
        final MarkdownTable table = new MarkdownTable(
            text, workload.title() + " by " + axis + ", " + workload.mainValue(),
            peers.stream().map(PeerKind::title).toList());
        of(axis, workload).map((result) -> position(axis, result.measured())).distinct().sorted().forEach(
            (position) -> table.row(
                label(axis, position), peers.stream().map((peer) -> Summary.of(
                    of(axis, workload).filter((result) -> peer == result.measured().peer() &&
                        position == position(axis, result.measured())).toList(),
                    workload.mainValue()))
                    .map((summary) -> null == summary ? "–" : summary.text()).toList()));
    }

    /** Value of a case on an axis. */
    static long position(final String axis, final Case measured)
    {
        return switch (axis)
        {
            case Growth.RECORD_LENGTH -> measured.recordLength();
            case Growth.SEGMENT_LENGTH -> measured.segmentLength();
            case Growth.HISTORY -> measured.amount();
            default -> measured.threads();
        };
    }

    static String label(final String axis, final long position)
    {
        return Growth.THREADS.equals(axis) ? String.valueOf(position) : Case.length(position);
    }
}
