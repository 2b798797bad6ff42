package io.journal.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The charts of results: peers side by side, and growth.
 */
final class Charts
{
    private static final int RECORD_LENGTH = 256;

    private Charts()
    {
    }

    static List<Chart> of(final List<Result> results)
    {
        final List<Chart> charts = new ArrayList<>();
        final List<Result> compared = results.stream().filter((result) -> result.axis().isEmpty()).toList();
        if (!compared.isEmpty())
        {
            charts.add(new Chart("peers", "The journal beside other journals and plain I/O", comparison(compared)));
        }
        if (compared.size() < results.size())
        {
            charts.add(new Chart("growth", "How the journal's figures grow", growth(results)));
        }
        return charts;
    }

    private static List<Chart.Panel> comparison(final List<Result> results)
    {
        final List<Chart.Panel> panels = new ArrayList<>();
        panels.add(
            bars(of(results, Workload.PREPARED, 1), "append inside a prepared segment, 256 B, records/s", Trial.RATE));
        panels.add(
            bars(of(results, Workload.SUSTAINED, 1), "append over several segments, 256 B, records/s", Trial.RATE));
        panels.add(bars(of(results, Workload.REPLAY, 1), "replay, 256 B, records/s", Trial.RATE));
        for (final Workload workload : List.of(
            Workload.SHARED, Workload.DURABLE, Workload.PIPELINED, Workload.LOOKUP))
        {
            results.stream().filter((result) -> workload == result.measured().workload())
                .map((result) -> result.measured().threads()).distinct().sorted().forEach(
                    (threads) -> panels.add(bars(
                        of(results, workload, threads), title(workload, threads), Trial.RATE)));
        }
        panels.add(bars(
            of(results, Workload.PACED, 1), "append at 100,000/s, 256 B, p99.9 since due, us; less is better",
            PacedTrial.P99_9));
        panels.add(bars(
            of(results, Workload.FOLLOWED, 1), "delivery at 100,000/s, 256 B, p50 since due, us; less is better",
            PacedTrial.P50));
        for (final Workload workload : List.of(Workload.OPEN, Workload.OPEN_DURABLE))
        {
            panels.add(bars(
                of(results, workload, 1), workload.title() + ", ms; less is better", OpenTrial.OPEN_MS));
        }
        panels.removeIf((panel) -> panel.categories().isEmpty());
        return panels;
    }

    private static String title(final Workload workload, final int threads)
    {
        return workload.shortTitle() + ", " + Case.length(workload.recordLengths().get(0)) + ", " +
            workload.column(threads) + ", records/s";
    }

    private static List<Result> of(final List<Result> results, final Workload workload, final int threads)
    {
        return results.stream().map((result) -> result)
            .filter((result) -> workload == result.measured().workload() && threads == result.measured().threads() &&
                (1 == workload.recordLengths().size() || RECORD_LENGTH == result.measured().recordLength()))
            .toList();
    }

    private static Chart.Panel bars(final List<Result> results, final String title, final String value)
    {
        final List<PeerKind> peers = results.stream().filter((result) -> result.values().containsKey(value))
            .map((result) -> result.measured().peer()).distinct().sorted().toList();
        return new Chart.Panel(title, true, peers.stream().map(PeerKind::title).toList(), List.of(new Chart.Series(
            "", peers.stream().map((peer) -> Summary.of(
                results.stream().filter((result) -> peer == result.measured().peer()).toList(), value)).toList(),
            peers.stream().map(Charts::group).toList())));
    }

    private static String group(final PeerKind peer)
    {
        if (peer.isJournal())
        {
            return "ours";
        }
        return peer.name().startsWith("JDK") ? "plain" : "peer";
    }

    private static List<Chart.Panel> growth(final List<Result> results)
    {
        final List<Chart.Panel> panels = new ArrayList<>();
        for (final String axis : List.of(
            Growth.RECORD_LENGTH, Growth.SEGMENT_LENGTH, Growth.HISTORY, Growth.THREADS))
        {
            for (final Workload workload : Workload.values())
            {
                final List<Result> found = results.stream()
                    .filter((result) -> axis.equals(result.axis()) && workload == result.measured().workload())
                    .toList();
                if (!found.isEmpty())
                {
                    panels.add(lines(found, axis, workload));
                }
            }
        }
        return panels;
    }

    private static Chart.Panel lines(final List<Result> results, final String axis, final Workload workload)
    {
        final List<Long> positions = results.stream().map((result) -> GrowthTables.position(axis, result.measured()))
            .distinct().sorted().toList();
        final Stream<PeerKind> peers = results.stream().map((result) -> result.measured().peer()).distinct().sorted();
        final boolean isByBytes = Growth.RECORD_LENGTH.equals(axis);
        return new Chart.Panel(
            workload.title() + " by " + axis + ", " + (isByBytes ? "MB/s" : workload.mainValue()), false,
            positions.stream().map((position) -> GrowthTables.label(axis, position)).toList(),
            peers.map((peer) -> new Chart.Series(
                peer.title(), positions.stream().map((position) -> scaled(Summary.of(
                    results.stream().filter((result) -> peer == result.measured().peer() &&
                        position == GrowthTables.position(axis, result.measured())).toList(),
                    workload.mainValue()), isByBytes ? position / 1e6 : 1)).toList(),
                List.of())).toList());
    }

    /** Rates of records of several lengths compare in bytes. */
    private static Summary scaled(final Summary summary, final double factor)
    {
        return null == summary ? null : new Summary(
            summary.median() * factor, summary.min() * factor, summary.max() * factor, summary.rounds());
    }
}
