// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs the command on the module path, where picocli and Jackson can access only packages that the module opens to
 * them.
 */
@Tag("slow")
class ModuleTest
{
    @Test
    void commandRunsOnTheModulePath() throws IOException, InterruptedException
    {
        assertTrue(run(0, "help", "verify").contains("Usage: journal verify"));
        assertTrue(run(3, "verify", "--json", "absent").contains("no journal here"));
    }

    private static String run(final int expected, final String... words) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--module-path",
            System.getProperty("java.class.path"), "--module", "io.journal.tools/" + Main.class.getName()));
        command.addAll(List.of(words));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(expected, process.waitFor(), printed);
        return printed;
    }
}
