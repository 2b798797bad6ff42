// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WordWrapTest
{
    private static final String FACT = Machine.line(
        "file system", "ext4, /dev/vda on / (rw,relatime,discard,resv_strict,resuid=65534,resgid=65534), 80 MB free");

    @Test
    void lineThatFitsStaysAsItIs()
    {
        assertEquals(List.of("a  b   c", "", "  d"), wrapped(8, String.format("a  b   c%n%n  d%n")));
    }

    @Test
    void factContinuesBelowItsText()
    {
        assertEquals(
            List.of(
                "file system  ext4, /dev/vda on /",
                "             (rw,relatime,discard,resv_strict,resuid=65534,resgid=65534), 80",
                "             MB free"),
            wrapped(77, FACT));
    }

    @Test
    void reasonContinuesBelowItsText()
    {
        assertEquals(List.of("  - one", "    two", "    three"), wrapped(10, String.format("  - one two three%n")));
    }

    @Test
    void sentenceContinuesAtTheMargin()
    {
        assertEquals(List.of("one two", "three"), wrapped(9, String.format("one two three%n")));
    }

    @Test
    void wordThatIsTooLongStaysWhole()
    {
        assertEquals(List.of("0123456789abc", "d", "0123456789abc"), wrapped(4, "0123456789abc d 0123456789abc"));
    }

    @ParameterizedTest
    @ValueSource(ints = { 59, 79, 119 })
    void noLineIsWiderThanTheTerminalAndNoWordBroken(final int columns)
    {
        final String text = FACT.repeat(3) + Machine.line("plan", "some words of a plan. ".repeat(20));

        final List<String> lines = wrapped(columns, text);

        final String longestWord = "(rw,relatime,discard,resv_strict,resuid=65534,resgid=65534),";
        assertTrue(
            lines.stream().allMatch((line) -> line.length() <= columns || line.strip().equals(longestWord)),
            lines::toString);
        assertFalse(lines.stream().anyMatch(String::isBlank));
        assertEquals(
            List.of(text.strip().split("\\s+")), List.of(String.join(" ", lines).strip().split("\\s+")));
    }

    private static List<String> wrapped(final int columns, final String text)
    {
        final StringWriter printed = new StringWriter();
        final PrintWriter out = new PrintWriter(new Terminal.WordWrap(new PrintWriter(printed), columns));
        // In pieces, as a formatter writes.
        text.chars().forEach((each) -> out.write(each));
        out.flush();
        return printed.toString().lines().toList();
    }
}
