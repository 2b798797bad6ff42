// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TableTest
{
    private static final String LONG = "x".repeat(70);

    private final Table table = new Table("MB/s", List.of("write", "read"));

    @Test
    void columnsAreAsWideAsTheirWidestCell()
    {
        table.row("mapped", List.of("1,000", "7")).row("b", List.of("9", ""));

        assertEquals(List.of("MB/s    write  read", "mapped  1,000     7", "b           9"), printed());
    }

    @Test
    void titlesAreBrokenBetweenWords()
    {
        final Table titled = new Table("", List.of("written to the cache")).row("a", List.of("123,456"));

        assertEquals(List.of("   written", "    to the", "     cache", "a  123,456"), printed(titled));
    }

    @Test
    void wideRowPutsItsNameOnALineOfItsOwn()
    {
        table.row(LONG, List.of("1,000", "7"));

        assertEquals(List.of("MB/s", "  write  read", LONG, "  1,000     7"), printed());
    }

    @Test
    void wideCellsAreOnLinesOfTheirOwn()
    {
        table.row("mapped", List.of(LONG, "y".repeat(20)));

        assertEquals(List.of("mapped", "  write: " + LONG, "  read: " + "y".repeat(20)), printed());
    }

    @Test
    void markdownHasARowForEachRow()
    {
        assertEquals(
            "| MB/s | write | read |\n| --- | --- | --- |\n| a | 1 | 2 |\n",
            table.row("a", List.of("1", "2")).markdown());
    }

    private List<String> printed()
    {
        return printed(table);
    }

    private static List<String> printed(final Table table)
    {
        final StringWriter out = new StringWriter();
        table.print(new PrintWriter(out, true));
        return out.toString().lines().toList();
    }
}
