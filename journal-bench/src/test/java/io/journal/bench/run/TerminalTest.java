// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TerminalTest
{
    private static final String OPTIONS =
        "(rw,relatime,discard,resv_strict,resuid=65534,resgid=65534,errors=remount-ro)";

    @Test
    void factContinuesBelowItsText()
    {
        assertEquals(
            List.of(
                "file system  ext4, /dev/vda on / (rw,relatime,discard,resv_strict), and in the",
                "             trash, 80 MB free"),
            Machine.line("file system", "ext4, /dev/vda on / (rw,relatime,discard,resv_strict), and in the trash, " +
                "80 MB free").lines().toList());
    }

    @ParameterizedTest
    @CsvSource({ "0,'a  b   c'", "4,'  - one two three'", "0,''" })
    void lineThatFitsStaysAsItIs(final int indent, final String line)
    {
        assertEquals(line, Terminal.wrap(indent, line));
    }

    @ParameterizedTest
    @CsvSource({ "0", "2", "13" })
    void noLineIsWiderThanTheTerminalAndNoWordIsBroken(final int indent)
    {
        final String text = "some words of a plan, " + OPTIONS + "; " + "and some more. ".repeat(20).strip();

        final List<String> lines = Terminal.wrap(indent, text).lines().toList();

        assertTrue(
            lines.stream().allMatch((line) -> line.length() <= Terminal.COLUMNS || line.strip().equals(OPTIONS + ";")),
            lines::toString);
        assertTrue(lines.stream().skip(1).allMatch((line) -> line.startsWith(" ".repeat(indent))), lines::toString);
        assertEquals(text, String.join(" ", lines.stream().map(String::strip).toList()));
    }
}
