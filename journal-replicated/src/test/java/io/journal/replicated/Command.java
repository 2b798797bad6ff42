// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a command of the operating system. */
final class Command
{
    private Command()
    {
    }

    /** @throws IOException with what the command said, if it does not exist or fails. */
    static void run(final String... command) throws IOException
    {
        run(List.of(command));
    }

    static void run(final List<String> command) throws IOException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        if (0 != process.onExit().join().exitValue())
        {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    static boolean isRootOnLinux()
    {
        return "Linux".equals(System.getProperty("os.name")) && "root".equals(System.getProperty("user.name"));
    }
}
