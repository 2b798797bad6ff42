// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A table with right-aligned columns, as text or as Markdown. If rows are wider than a narrow terminal, the row name
 * gets a line of its own; if that is not enough, so does each cell. By hand, since picocli's tables align to the left
 * and wrap within a cell.
 */
public final class Table
{
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    /** @param title of the first column, the row names. */
    public Table(final String title, final List<String> columns)
    {
        row(title, columns);
    }

    public Table row(final String name, final List<String> cells)
    {
        final List<String> row = new ArrayList<>(List.of(name));
        row.addAll(cells);
        rows.add(row);
        return this;
    }

    public String markdown()
    {
        final StringBuilder text = new StringBuilder();
        rows.forEach((row) ->
        {
            text.append("| ").append(String.join(" | ", row).replace('\n', ' ')).append(" |\n");
            if (row == rows.get(0))
            {
                text.append("| ").append(String.join(" | ", Collections.nCopies(row.size(), "---"))).append(" |\n");
            }
        });
        return text.toString();
    }

    public void print(final PrintWriter out)
    {
        final List<String> titles = rows.get(0);
        final int[] widths = new int[titles.size()];
        int total = -GAP.length();
        for (int i = 0; i < widths.length; i++)
        {
            final int column = i;
            final int cells = rows.stream().skip(1).mapToInt((row) -> row.get(column).length()).max().orElse(0);
            widths[i] = Math.max(cells, Stream.of(titles.get(i).split(" ")).mapToInt(String::length).max().orElse(0));
            total += GAP.length() + widths[i];
        }
        final boolean isNameAlone = total > Terminal.COLUMNS;
        if (isNameAlone && total - widths[0] > Terminal.COLUMNS)
        {
            rows.stream().skip(1).forEach((row) -> printCells(out, row));
            return;
        }
        final List<List<String>> wrapped =
            IntStream.range(0, widths.length).mapToObj((i) -> wrapped(titles.get(i), widths[i])).toList();
        for (int i = 0; i < wrapped.stream().mapToInt(List::size).max().orElse(0); i++)
        {
            final int line = i;
            print(out, wrapped.stream().map((each) -> line < each.size() ? each.get(line) : "").toList(), widths,
                isNameAlone);
        }
        rows.stream().skip(1).forEach((row) -> print(out, row, widths, isNameAlone));
    }

    /** Titles are broken between words, so that they do not widen their columns. */
    private static List<String> wrapped(final String title, final int width)
    {
        return title.isEmpty() ? List.of() : title.replaceAll("(.{1," + width + "})(?: |$)", "$1\n").lines().toList();
    }

    private static void print(
        final PrintWriter out, final List<String> row, final int[] widths, final boolean isNameAlone)
    {
        final StringBuilder line = new StringBuilder(Terminal.wrap(0, row.get(0)));
        line.append(isNameAlone && !row.get(0).isEmpty() ? System.lineSeparator() :
            " ".repeat(isNameAlone ? 0 : widths[0] - row.get(0).length()));
        for (int i = 1; i < row.size(); i++)
        {
            line.append(GAP).append(" ".repeat(widths[i] - row.get(i).length())).append(row.get(i));
        }
        out.println(line.toString().stripTrailing());
    }

    private void printCells(final PrintWriter out, final List<String> row)
    {
        out.println(Terminal.wrap(0, row.get(0)));
        for (int i = 1; i < row.size(); i++)
        {
            if (!row.get(i).isEmpty())
            {
                out.println(GAP + Terminal.wrap(GAP.length(), rows.get(0).get(i) + ": " + row.get(i)));
            }
        }
    }
}
