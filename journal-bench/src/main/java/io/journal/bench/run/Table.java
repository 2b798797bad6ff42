package io.journal.bench.run;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

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

    public Table row(final String name, final String... cells)
    {
        final List<String> row = new ArrayList<>(List.of(name));
        row.addAll(List.of(cells));
        rows.add(row);
        return this;
    }

    public void print(final PrintWriter out)
    {
        print(out, Terminal.columnsOfOutput());
    }

    void print(final PrintWriter out, final int columns)
    {
        final int[] widths = new int[rows.stream().mapToInt(List::size).max().orElseThrow()];
        int cells = 0;
        for (int i = 0; i < widths.length; i++)
        {
            final int column = i;
            widths[i] = rows.stream().filter((row) -> row.size() > column).mapToInt((row) -> row.get(column).length())
                .max().orElse(0);
            cells += 0 == i ? 0 : GAP.length() + widths[i];
        }
        for (final List<String> row : rows)
        {
            if (cells > columns)
            {
                printCells(out, row);
            }
            else
            {
                out.println(line(row, widths, widths[0] + cells > columns).stripTrailing());
            }
        }
    }

    private void printCells(final PrintWriter out, final List<String> row)
    {
        final List<String> titles = rows.get(0);
        out.println(row.get(0));
        for (int i = 1; i < row.size() && titles != row; i++)
        {
            if (!row.get(i).isEmpty())
            {
                out.println(GAP + titles.get(i) + ": " + row.get(i));
            }
        }
    }

    private static String line(final List<String> row, final int[] widths, final boolean isNameAlone)
    {
        final StringBuilder line = new StringBuilder(row.get(0));
        line.append(isNameAlone ? System.lineSeparator() : " ".repeat(widths[0] - row.get(0).length()));
        for (int i = 1; i < row.size(); i++)
        {
            line.append(GAP).append(" ".repeat(widths[i] - row.get(i).length())).append(row.get(i));
        }
        return line.toString();
    }
}
