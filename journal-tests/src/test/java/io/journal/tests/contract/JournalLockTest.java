// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.store.Backend;
import io.journal.tests.faults.FaultedWriter;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
class JournalLockTest extends JournalFixture
{
    private static final long OWN_PID = ProcessHandle.current().pid();

    private static Journal openWithoutThread(final Path path, final Backend backend)
    {
        return builder(path, backend).backgroundThread(false).open();
    }

    private ChildJvm child(final Path directory, final Backend backend)
    {
        return closing(startChild(temp, directory, backend));
    }

    /** A JVM that opens a journal, and appends as many records as it is told to. */
    static ChildJvm startChild(final Path temp, final Path directory, final Backend backend)
    {
        return new ChildJvm(temp, List.of(), JournalLockTest.class, directory, backend);
    }

    public static void main(final String[] args) throws IOException
    {
        final BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Journal journal = openWithoutThread(Path.of(args[0]), Backend.valueOf(args[1])))
        {
            FaultedWriter.say("pid", OWN_PID);
            FaultedWriter.say("open", journal.lastSequence());
            for (String line = commands.readLine(); !"0".equals(line); line = commands.readLine())
            {
                appendNumbered(journal, Integer.parseInt(line), 100);
                FaultedWriter.say("last", journal.lastSequence());
            }
        }
        catch (final JournalLockedException ex)
        {
            FaultedWriter.say("locked", ownerOf(ex));
        }
    }

    private static long ownerOf(final JournalLockedException refusal)
    {
        assertTrue(refusal.getMessage().contains(refusal.owner()), refusal::toString);
        return Long.parseLong(refusal.owner().replaceFirst(".*\\bpid=(\\d+)\\b.*", "$1"));
    }

    private static void assertLockedBy(final long pid, final Path path, final Backend backend)
    {
        assertEquals(pid, ownerOf(
            assertThrows(JournalLockedException.class, () -> openWithoutThread(path, backend).close())));
    }

    @EachBackend
    void rejectedOpeningChangesNothingAndReleasesNothing(final Backend backend) throws IOException
    {
        try (Journal journal = openWithoutThread(directory(), backend))
        {
            appendNumbered(journal, 3, 10);
            assertEquals(OWN_PID, child(directory(), backend).await("locked"));
            // Only now, because reading the lock file ends the lock that other processes see.
            final Map<String, String> before = picture(directory());
            for (final Backend other : UsableBackends.in(temp))
            {
                assertLockedBy(OWN_PID, directory(), other);
                assertEquals(before, picture(directory()));
            }
            appendNumbered(journal, 3, 10);
            journal.force();
            assertNumbered(1, 6, readAll(journal));
        }
        assertEquals(6, child(directory(), backend).await("open"));
    }

    @EachBackend
    void lockOfAKilledProcessIsReleasedAtOnce(final Backend backend) throws IOException
    {
        final ChildJvm child = child(directory(), backend);
        assertEquals(0, child.await("open"));
        final Map<String, String> before = pictureOfContent(directory());
        assertLockedBy(child.highest("pid"), directory(), backend);
        assertEquals(before, pictureOfContent(directory()));
        child.send("5");
        child.await("last");
        assertLockedBy(child.highest("pid"), directory(), backend);
        child.kill();

        assertNumbered(1, 5, readAll(directory(), backend));
    }

    @Test
    void writerOfAnotherProcessLeavesTheLockWhenItCloses() throws IOException
    {
        final ChildJvm child = child(directory(), Backend.MAPPED);
        child.send("5");
        assertEquals(5, child.await("last"));
        child.send("0");
        assertEquals(0, child.awaitEnd());
        assertNumbered(1, 5, readAll(directory(), Backend.MAPPED));
    }

    @Test
    void lockHoldsOnOtherPathsToTheDirectory() throws IOException
    {
        final Path link = temp.resolve("link");
        final Path linkedParent = temp.resolve("up");
        Files.createDirectory(directory());
        Files.createSymbolicLink(link, directory());
        Files.createSymbolicLink(linkedParent, temp);
        final List<Path> ways = List.of(
            directory(),
            link,
            linkedParent.resolve("journal"),
            temp.resolve(".").resolve("journal").resolve("..").resolve("journal"),
            Path.of("").toAbsolutePath().relativize(directory().toAbsolutePath()));
        for (final Path way : ways)
        {
            try (Journal journal = openWithoutThread(way, Backend.MAPPED))
            {
                appendNumbered(journal, 1, 10);
                ways.forEach((other) -> assertLockedBy(OWN_PID, other, Backend.FILE_CHANNEL));
            }
        }
        try (Journal journal = openWithoutThread(link, Backend.MAPPED))
        {
            assertEquals(OWN_PID, child(directory(), Backend.MAPPED).await("locked"));
            appendNumbered(journal, 1, 10);
        }
        final ChildJvm child = child(link, Backend.MAPPED);
        assertEquals(ways.size() + 1, child.await("open"));
        assertLockedBy(child.highest("pid"), directory(), Backend.MAPPED);
    }

    @Test
    void lockHoldsAcrossClassLoaders() throws Exception
    {
        final URLClassLoader other = closing(new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader()));
        final Class<?> otherJournal = other.loadClass(Journal.class.getName());
        assertNotSame(Journal.class, otherJournal);
        try (Journal journal = openWithoutThread(directory(), Backend.MAPPED))
        {
            appendNumbered(journal, 3, 10);
            final InvocationTargetException refusal = assertThrows(
                InvocationTargetException.class,
                () -> otherJournal.getMethod("open", Path.class).invoke(null, directory()));
            assertEquals(JournalLockedException.class.getName(), refusal.getCause().getClass().getName());
            assertTrue(refusal.getCause().getMessage().contains("pid=" + OWN_PID), refusal.getCause()::getMessage);
            assertEquals(OWN_PID, child(directory(), Backend.MAPPED).await("locked"));
            assertNumbered(1, 3, readAll(journal));
        }

        final Object journal = otherJournal.getMethod("open", Path.class).invoke(null, directory());
        try
        {
            assertEquals(3L, otherJournal.getMethod("lastSequence").invoke(journal));
            assertLockedBy(OWN_PID, directory(), Backend.MAPPED);
            assertEquals(OWN_PID, child(directory(), Backend.MAPPED).await("locked"));
        }
        finally
        {
            otherJournal.getMethod("close").invoke(journal);
        }
        assertNumbered(1, 3, readAll(directory(), Backend.MAPPED));
    }

    private static URL[] classPath() throws MalformedURLException
    {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator))
        {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    @Test
    void directoryThatWasMovedKeepsItsLock() throws IOException
    {
        final Path moved = temp.resolve("moved");
        final Journal journal = openWithoutThread(directory(), Backend.MAPPED);
        Files.move(directory(), moved);
        appendNumbered(journal, 1, 10);
        assertLockedBy(OWN_PID, moved, Backend.MAPPED);
        try (Journal fresh = openWithoutThread(directory(), Backend.MAPPED))
        {
            assertTrue(fresh.recoveryReport().isNew());
        }
        assertLockedBy(OWN_PID, moved, Backend.MAPPED);
        // Records appended since then may be in no directory that a user looks into, so closing throws.
        assertThrows(JournalException.class, journal::close);
        openWithoutThread(moved, Backend.MAPPED).close();
    }

    @Test
    void contentOfTheLockFileDoesNotLock() throws IOException
    {
        openWithoutThread(directory(), Backend.MAPPED).close();
        Files.writeString(directory().resolve("journal.lock"), "pid=1, since=2000-01-01T00:00:00Z, and more");

        closing(openWithoutThread(directory(), Backend.MAPPED));
        final String owner = Files.readString(directory().resolve("journal.lock"));
        assertTrue(owner.matches("pid=" + OWN_PID + ", since=\\S+"), owner);
        assertLockedBy(OWN_PID, directory(), Backend.MAPPED);
    }
}
