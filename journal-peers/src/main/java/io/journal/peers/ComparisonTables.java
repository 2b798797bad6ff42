package io.journal.peers;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Tables of {@link Compare}: one for each workload, a row for each peer; and what each peer guarantees.
 */
final class ComparisonTables
{
    private static final String NOTHING = "–";

    private final List<Result> results;

    ComparisonTables(final List<Result> results)
    {
        this.results = results.stream().filter((result) -> result.axis().isEmpty()).toList();
    }

    void print(final StringBuilder text)
    {
        if (results.isEmpty())
        {
            return;
        }
        for (final Workload workload : Workload.values())
        {
            if (of(workload).findAny().isPresent())
            {
                switch (workload)
                {
                    case PACED -> printValues(text, workload, List.of(
                        PacedTrial.CALL_P50, PacedTrial.P50, PacedTrial.P99, PacedTrial.P99_9, PacedTrial.P99_99));
                    case FOLLOWED -> printValues(text, workload, List.of(
                        PacedTrial.P50, PacedTrial.P99, PacedTrial.P99_9, PacedTrial.P99_99));
                    case OPEN, OPEN_DURABLE -> printValues(text, workload, List.of(OpenTrial.OPEN_MS, OpenTrial.LOST));
                    case SUSTAINED ->
                    {
                        printCases(text, workload, workload.mainValue());
                        if (of(workload).anyMatch((result) -> result.values().containsKey(AppendTrial.CPU)))
                        {
                            printCases(text, workload, AppendTrial.CPU);
                        }
                    }
                    default -> printCases(text, workload, workload.mainValue());
                }
            }
        }
        printGuarantees(text);
    }

    private Stream<Result> of(final Workload workload)
    {
        return results.stream().filter((result) -> workload == result.measured().workload());
    }

    private List<PeerKind> peers()
    {
        return results.stream().map((result) -> result.measured().peer()).distinct().sorted().toList();
    }

    /** A column for each of several values of one case. */
    private void printValues(final StringBuilder text, final Workload workload, final List<String> values)
    {
        final MarkdownTable table = new MarkdownTable(text, title(workload), values);
        for (final PeerKind peer : peers())
        {
            final List<Result> found = of(workload).filter((result) -> peer == result.measured().peer()).toList();
            if (!found.isEmpty())
            {
                table.row(peer.title(), values.stream().map((value) -> text(found, value)).toList());
            }
        }
    }

    private String title(final Workload workload)
    {
        final String title = workload.title();
        final Stream<Integer> lengths = of(workload).map((result) -> result.measured().recordLength());
        return title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1) + ", records of " +
            String.join(", ", lengths.distinct().sorted().map(Case::length).toList());
    }

    private static String text(final List<Result> found, final String value)
    {
        final Summary summary = Summary.of(found, value);
        return null == summary ? NOTHING : summary.text();
    }

    /** A column for each case: each record length, or each number of threads. */
    private void printCases(final StringBuilder text, final Workload workload, final String value)
    {
        final List<Integer> columns = of(workload).map((result) -> column(result)).distinct().sorted()
            .toList();
        final MarkdownTable table = new MarkdownTable(
            text, title(workload) + ", " + value,
            columns.stream()
                .map((column) -> workload.isByThreads() ? workload.column(column) : Case.length(column))
                .toList());
        for (final PeerKind peer : peers())
        {
            final List<Result> found = of(workload).filter((result) -> peer == result.measured().peer()).toList();
            if (!found.isEmpty())
            {
                table.row(peer.title(), columns.stream().map(
                    (column) -> text(
                        found.stream().filter((result) -> column == column(result)).toList(), value))
                    .toList());
            }
        }
    }

    private static int column(final Result result)
    {
        return result.measured().workload().isByThreads() ? result.measured().threads() :
            result.measured().recordLength();
    }

    private void printGuarantees(final StringBuilder text)
    {
        final MarkdownTable table = new MarkdownTable(
            text, "What each guarantees, as configured here", List.of("checksum", "durable append", "torn write"));
        for (final PeerKind peer : peers())
        {
            final PeerKind.Guarantees guarantees = peer.guarantees();
            table.row(
                peer.title(), List.of(guarantees.checksum(), guarantees.durability(), guarantees.tornWrites()));
        }
    }
}
