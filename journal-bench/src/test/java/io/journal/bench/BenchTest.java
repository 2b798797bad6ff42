// SPDX-License-Identifier: Apache-2.0
package io.journal.bench;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BenchTest
{
    @Test
    void helpNamesEveryCommandAndEveryCommandHasHelp()
    {
        final CommandLine bench = Bench.commandLine();

        final String text = help(bench);

        assertTrue(bench.getSubcommands().size() > 2, text);
        for (final String name : bench.getSubcommands().keySet())
        {
            assertTrue(text.contains(name), name);
            assertTrue(help(Bench.commandLine(), name).startsWith("Usage: journal-bench "), name);
        }
    }

    private static String help(final CommandLine commandLine, final String... command)
    {
        final StringWriter out = new StringWriter();
        final String[] args = command.length > 0 ? new String[]{ command[0], "--help" } : new String[]{ "--help" };
        assertEquals(CommandLine.ExitCode.OK, commandLine.setOut(new PrintWriter(out)).execute(args));
        return out.toString();
    }
}
