package io.journal.bench.run;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * A text table with right-aligned columns. If rows are wider than the terminal, the row name gets a line of its own; if
 * that is not enough, so does each cell.
 */
public final class Table
{
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    /**
     * @param title of the first column, the row names.
     */
    public Table(final String title, final String... columns)
    {
        row(title, columns);
    }

    /** A table with a row for each case, to which columns are added. */
    public static Table of(final String title, final List<BenchmarkCase> benchmarks)
    {
        final Table table = new Table(title);
        benchmarks.forEach((each) -> table.row(each.label()));
        return table;
    }

    /** Adds a column, whose cells follow from the names of the rows. */
    public Table column(final String title, final UnaryOperator<String> cell)
    {
        rows.get(0).add(title);
        rows.subList(1, rows.size()).forEach((row) -> row.add(cell.apply(row.get(0))));
        return this;
    }

    public Table row(final String name, final String... cells)
    {
        final List<String> row = new ArrayList<>(List.of(name));
        row.addAll(List.of(cells));
        rows.add(row);
        return this;
    }

    public static String number(final String format, final double value)
    {
        return String.format(Locale.ROOT, format, value);
    }

    public void print(final PrintWriter out)
    {
        print(out, Terminal.is(1) ? Terminal.columns() : Integer.MAX_VALUE);
    }

    void print(final PrintWriter out, final int columns)
    {
        final List<String> titles = rows.get(0);
        final int[] widths = new int[rows.stream().mapToInt(List::size).max().orElseThrow()];
        int total = -GAP.length();
        for (int i = 0; i < widths.length; i++)
        {
            final int column = i;
            widths[i] = rows.stream().filter((row) -> row.size() > column).mapToInt((row) -> row.get(column).length())
                .max().orElse(0);
            total += GAP.length() + widths[i];
        }
        final boolean isNameAlone = total > columns;
        final boolean isCellAlone = total - widths[0] > columns;
        for (final List<String> row : rows)
        {
            final StringBuilder line = new StringBuilder(row.get(0));
            line.append(isNameAlone ? System.lineSeparator() : " ".repeat(widths[0] - row.get(0).length()));
            for (int i = 1; i < row.size(); i++)
            {
                final String cell = row.get(i);
                if (!isCellAlone)
                {
                    line.append(GAP).append(" ".repeat(widths[i] - cell.length())).append(cell);
                }
                else if (titles != row && !cell.isEmpty())
                {
                    line.append(GAP).append(titles.get(i)).append(": ").append(cell).append(System.lineSeparator());
                }
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
