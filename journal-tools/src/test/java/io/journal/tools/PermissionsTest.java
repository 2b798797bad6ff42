// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.journal.Journal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Files that the library and the command create are accessible to their owner only. */
class PermissionsTest extends ToolsFixture
{
    @BeforeEach
    void skipWithoutModes()
    {
        assumeTrue(temp.getFileSystem().supportedFileAttributeViews().contains("posix"), "no modes here");
    }

    private Path journalWithCursor()
    {
        final Path journal = temp.resolve("orders");
        try (Journal open = builder(journal).open())
        {
            append(open, 300);
            open.cursor("mails").save(20);
        }

        return journal;
    }

    /** Returns the modes of a directory and of everything in it, by name. */
    private static Map<String, String> modes(final Path directory) throws IOException
    {
        final Map<String, String> modes = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory))
        {
            for (final Path path : (Iterable<Path>)paths::iterator)
            {
                modes.put(
                    directory.relativize(path).toString(),
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS)));
            }
        }

        return modes;
    }

    private static void assertOwnerOnly(final Path directory, final String... names) throws IOException
    {
        final Map<String, String> modes = modes(directory);
        modes.forEach((name, mode) -> assertEquals(
            Files.isDirectory(directory.resolve(name)) ? "rwx------" : "rw-------", mode, name));
        for (final String name : names)
        {
            assertTrue(modes.keySet().stream().anyMatch((path) -> path.matches(name)), () -> name + " in " + modes);
        }
    }

    @Test
    void journalIsAccessibleToItsOwnerOnly() throws IOException
    {
        final Path journal = journalWithCursor();

        assertOwnerOnly(
            journal, "journal\\.control", "journal\\.lock", "\\d{20}\\.journal");
    }

    @Test
    void repairedFilesAreAccessibleToTheirOwnerOnly() throws IOException
    {
        final Path journal = journalWithCursor();
        Files.delete(journal.resolve("journal.control"));
        flip(segment(journal, 1), 20_000);

        run("repair", "--apply", "--accept-loss", journal).assertExit(ExitCode.OK);

        assertOwnerOnly(
            journal, "journal\\.control", "\\d{20}\\.journal");
    }

    @Test
    void copiesAreAccessibleToTheirOwnerOnly() throws IOException
    {
        final Path journal = journalWithCursor();

        run("backup", journal, temp.resolve("copy")).assertExit(ExitCode.OK);
        run("salvage", journal, temp.resolve("anew")).assertExit(ExitCode.OK);

        assertOwnerOnly(temp, "copy", "copy/journal\\.control");
        assertOwnerOnly(temp, "anew", "anew/journal\\.control", "anew/\\d{20}\\.journal");
    }

    @Test
    void commandsThatOnlyReadChangeNothing() throws IOException
    {
        final Path journal = journalWithCursor();
        final Map<String, String> before = picture(journal);
        for (final String command : new String[]{ "info", "dump", "tail", "verify", "cursors", "repair" })
        {
            run(command, journal).assertExit(ExitCode.OK);
        }
        run("stats", "--every", 0.01, journal).assertExit(ExitCode.OK);

        assertEquals(before, picture(journal));
    }
}
