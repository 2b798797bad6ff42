// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Runs commands on a full disk. */
class FullDiskTest extends ToolsFixture
{
    private Path mount;
    private boolean isMounted;

    @BeforeEach
    void mount() throws Exception
    {
        assumeTrue("Linux".equals(System.getProperty("os.name")), "needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to mount");
        mount = Files.createDirectory(temp.resolve("mount"));
        try
        {
            execute("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount.toString());
            isMounted = true;
        }
        catch (final IOException ex)
        {
            abort("cannot mount here: " + ex.getMessage());
        }
    }

    @AfterEach
    void unmount() throws Exception
    {
        if (isMounted)
        {
            execute("umount", mount.toString());
        }
    }

    @Test
    void repairOnAFullDiskChangesNothingAndSucceedsOnceThereIsSpace() throws IOException
    {
        final Path journal = mount.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 300);
        }
        flip(segment(journal, 1), 20_000);
        // Delete the prepared segment, because a repair that can use it needs no space.
        final JsonNode info = run("info", "--json", journal).json();
        if (1 == info.get("preparedSegments").asLong())
        {
            Files.delete(segment(journal, info.get("segments").asLong()));
        }
        fill();
        final Map<String, String> before = picture(journal);

        final Run full = run("repair", "--apply", "--accept-loss", journal);

        full.assertExit(ExitCode.FAILED);
        assertTrue(full.err().contains("no space"), full.err());
        assertEquals(before, picture(journal));

        Files.delete(mount.resolve("ballast"));
        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);
        run("verify", journal).assertExit(ExitCode.OK);
    }

    @Test
    void backupOnAFullDiskLeavesNothing() throws IOException
    {
        final Path journal = journal(2000);
        final Path target = mount.resolve("copy");

        final Run run = run("backup", journal, target);

        run.assertExit(ExitCode.FAILED);
        assertFalse(Files.exists(target));
        assertFalse(Files.exists(mount.resolve("copy.unfinished-backup")));
        assertHolds(journal, 1, 2000);
    }

    @Test
    void salvageOnAFullDiskLeavesNothing() throws IOException
    {
        final Path journal = journal(2000);
        final Path target = mount.resolve("anew");

        final Run run = run("salvage", journal, target);

        run.assertExit(ExitCode.FAILED);
        assertTrue(run.err().contains("no space"), run.err());
        assertFalse(Files.exists(target));
        assertHolds(journal, 1, 2000);
    }

    @Test
    void journalThatCannotBeCreatedOnAFullDiskLeavesNothing() throws IOException
    {
        final Path journal = journal(10);
        final Path target = mount.resolve("anew");
        fill();

        final Run run = run("salvage", journal, target);

        run.assertExit(ExitCode.FAILED);
        assertEquals("[ballast]", Arrays.toString(mount.toFile().list()));
    }

    private void fill() throws IOException
    {
        try (var output = Files.newOutputStream(mount.resolve("ballast")))
        {
            final byte[] page = new byte[4096];
            while (true)
            {
                output.write(page);
            }
        }
        catch (final IOException ex)
        {
            assertTrue(ex.getMessage().contains("No space"), ex::toString);
        }
    }

    private static void execute(final String... command) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        if (0 != process.waitFor())
        {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }
}
