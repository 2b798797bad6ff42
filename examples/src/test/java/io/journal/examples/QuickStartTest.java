// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

class QuickStartTest
{
    @TempDir
    Path tempDir;

    @Test
    void eachRunReadsWhatAllRunsHaveAppended()
    {
        assertEquals(List.of("1: 3 apples"), linesOfRun());

        assertEquals(List.of("1: 3 apples", "2: 3 apples"), linesOfRun());
    }

    private List<String> linesOfRun()
    {
        final PrintStream console = System.out;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, UTF_8));
        try
        {
            QuickStart.run(tempDir);
        }
        finally
        {
            System.setOut(console);
        }

        return bytes.toString(UTF_8).lines().toList();
    }
}
