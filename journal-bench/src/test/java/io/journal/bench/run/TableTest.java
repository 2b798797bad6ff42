package io.journal.bench.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TableTest
{
    private final Table table = new Table("MB/s", "write", "read").row("mapped", "1,000", "7").row("b", "9");

    @Test
    void columnsAreAsWideAsTheirWidestCell()
    {
        assertEquals(List.of("MB/s    write  read", "mapped  1,000     7", "b           9"), printed(80));
        assertEquals(printed(80), printed(19));
    }

    @Test
    void wideRowPutsItsNameOnALineOfItsOwn()
    {
        assertEquals(
            List.of("MB/s", "  write  read", "mapped", "  1,000     7", "b", "      9"), printed(18));
    }

    @Test
    void wideCellsAreOnLinesOfTheirOwn()
    {
        assertEquals(
            List.of("MB/s", "mapped", "  write: 1,000", "  read: 7", "b", "  write: 9"), printed(12));
    }

    private List<String> printed(final int columns)
    {
        final StringWriter out = new StringWriter();
        table.print(new PrintWriter(out, true), columns);
        return out.toString().lines().toList();
    }
}
