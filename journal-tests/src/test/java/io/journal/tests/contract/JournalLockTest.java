// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
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
    private static final String OWN_PID = "pid=" + ProcessHandle.current().pid();

    private static Journal openWithoutThread(final Path path, final Backend backend)
    {
        return builder(path, backend).backgroundThread(false).open();
    }

    @EachBackend
    void secondWriterInTheSameProcessIsRejectedWithTheOwner(final Backend backend) throws IOException
    {
        // A background thread could prepare a segment meanwhile and change the directory.
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            appendNumbered(journal, 3, 10);
            final Map<String, String> before = picture(directory());

            for (final Backend other : UsableBackends.in(temp))
            {
                assertRefused(OWN_PID, () -> openWithoutThread(directory(), other));
                assertEquals(before, picture(directory()));
            }

            appendNumbered(journal, 3, 10);
            journal.force();
            assertNumbered(1, 6, readAll(journal));
        }
        assertNumbered(1, 6, readAll(directory(), backend));
    }

    @EachBackend
    void rejectedSecondOpenDoesNotReleaseTheLock(final Backend backend) throws Exception
    {
        try (Journal journal = openWithoutThread(directory(), backend))
        {
            appendNumbered(journal, 3, 10);
            for (int i = 0; i < 3; i++)
            {
                assertRefused(OWN_PID, () -> openWithoutThread(directory(), backend));
            }

            try (Child child = Child.start(directory(), backend))
            {
                assertRefused(OWN_PID, child);
            }

            appendNumbered(journal, 3, 10);
            assertNumbered(1, 6, readAll(journal));
        }
        final Child child = closing(Child.start(directory(), backend));
        child.assertOpen(6);
    }

    @EachBackend
    void lockOfAKilledProcessIsReleasedAtOnce(final Backend backend) throws Exception
    {
        try (Child child = Child.start(directory(), backend))
        {
            child.assertOpen(0);
            final Map<String, String> before = pictureOfContent(directory());
            assertRefused("pid=" + child.pid(), () -> openWithoutThread(directory(), backend));
            assertEquals(before, pictureOfContent(directory()));
            child.append(5);
            assertRefused("pid=" + child.pid(), () -> openWithoutThread(directory(), backend));

            child.kill();
            try (Journal journal = openWithoutThread(directory(), backend))
            {
                assertNumbered(1, 5, readAll(journal));
                appendNumbered(journal, 1, 10);
            }
        }
        assertNumbered(1, 6, readAll(directory(), backend));
    }

    @Test
    void writerOfAnotherProcessLeavesTheLockWhenItCloses() throws Exception
    {
        final Child child = closing(Child.start(directory(), Backend.MAPPED));
        child.assertOpen(0);
        child.append(5);
        child.finish();
        assertNumbered(1, 5, readAll(directory(), Backend.MAPPED));
    }

    @Test
    void lockHoldsOnOtherPathsToTheDirectory() throws Exception
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
                for (final Path other : ways)
                {
                    assertRefused(OWN_PID, () -> openWithoutThread(other, Backend.FILE_CHANNEL));
                }
            }
        }

        try (Journal journal = openWithoutThread(link, Backend.MAPPED);
            Child child = Child.start(directory(), Backend.MAPPED))
        {
            assertRefused(OWN_PID, child);
            appendNumbered(journal, 1, 10);
        }
        final Child child = closing(Child.start(link, Backend.MAPPED));
        child.assertOpen(ways.size() + 1);
        assertRefused("pid=" + child.pid(), () -> openWithoutThread(directory(), Backend.MAPPED));
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
            assertTrue(refusal.getCause().getMessage().contains(OWN_PID), refusal.getCause().getMessage());
            try (Child child = Child.start(directory(), Backend.MAPPED))
            {
                assertRefused(OWN_PID, child);
            }
            assertNumbered(1, 3, readAll(journal));
        }

        final Object journal = otherJournal.getMethod("open", Path.class).invoke(null, directory());
        try
        {
            assertEquals(3L, otherJournal.getMethod("lastSequence").invoke(journal));
            assertRefused(OWN_PID, () -> openWithoutThread(directory(), Backend.MAPPED));
            try (Child child = Child.start(directory(), Backend.MAPPED))
            {
                assertRefused(OWN_PID, child);
            }
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
    void journalsInDifferentDirectoriesDoNotExcludeEachOther()
    {
        try (Journal one = openWithoutThread(temp.resolve("one"), Backend.MAPPED);
            Journal two = openWithoutThread(temp.resolve("two"), Backend.MAPPED))
        {
            appendNumbered(one, 2, 10);
            appendNumbered(two, 3, 10);
            assertNumbered(1, 2, readAll(one));
            assertNumbered(1, 3, readAll(two));
        }
    }

    @Test
    void directoryThatWasMovedKeepsItsLock() throws IOException
    {
        final Path moved = temp.resolve("moved");
        final Journal journal = openWithoutThread(directory(), Backend.MAPPED);
        Files.move(directory(), moved);
        appendNumbered(journal, 1, 10);
        assertRefused(OWN_PID, () -> openWithoutThread(moved, Backend.MAPPED));
        try (Journal fresh = openWithoutThread(directory(), Backend.MAPPED))
        {
            assertTrue(fresh.recoveryReport().isNew());
        }
        assertRefused(OWN_PID, () -> openWithoutThread(moved, Backend.MAPPED));
        // Records appended since then may be in no directory that a user looks into, so closing throws.
        assertThrows(JournalException.class, journal::close);
        openWithoutThread(moved, Backend.MAPPED).close();
    }

    @Test
    void contentOfTheLockFileDoesNotLock() throws IOException
    {
        try (Journal journal = openWithoutThread(directory(), Backend.MAPPED))
        {
            appendNumbered(journal, 3, 10);
        }
        Files.writeString(directory().resolve("journal.lock"), "pid=1, since=2000-01-01T00:00:00Z, and more");

        final Journal journal = closing(openWithoutThread(directory(), Backend.MAPPED));
        assertNumbered(1, 3, readAll(journal));
        final String owner = Files.readString(directory().resolve("journal.lock"));
        assertTrue(owner.matches(OWN_PID + ", since=\\S+"), owner);
        assertRefused(OWN_PID, () -> openWithoutThread(directory(), Backend.MAPPED));
    }

    private interface Opening
    {
        Journal open();
    }

    private void assertRefused(final String owner, final Opening opening)
    {
        final JournalLockedException refusal = assertThrows(
            JournalLockedException.class,
            () ->
            {
                // Close the journal in case the opening succeeds.
                opening.open().close();
            });
        assertTrue(refusal.getMessage().matches("(?s).*\\b" + owner + "\\b.*"), refusal.getMessage());
    }

    private static void assertRefused(final String owner, final Child child) throws IOException
    {
        final String answer = child.answer();
        assertTrue(answer.startsWith("refused " + JournalLockedException.class.getName()), answer);
        assertTrue(answer.matches(".*\\b" + owner + "\\b.*"), answer);
    }

    /** A JVM that opens a journal and executes commands from its standard input. */
    static final class Child implements AutoCloseable
    {
        private final Process process;
        private final BufferedReader output;
        private final PrintStream input;

        private Child(final Process process)
        {
            this.process = process;
            output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        }

        static Child start(final Path directory, final Backend backend) throws IOException
        {
            final ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-ea",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.toString(),
                backend.name());
            builder.redirectError(ProcessBuilder.Redirect.INHERIT);
            return new Child(builder.start());
        }

        String answer() throws IOException
        {
            final String line = output.readLine();
            return null == line ? "ended" : line;
        }

        void assertOpen(final long lastSequence) throws IOException
        {
            assertEquals("open " + lastSequence, answer());
        }

        void append(final int count) throws IOException
        {
            input.println(count);
            assertEquals("appended", answer());
        }

        void finish() throws IOException, InterruptedException
        {
            input.close();
            assertEquals("closed", answer());
            assertEquals(0, process.waitFor());
        }

        void kill() throws InterruptedException
        {
            process.destroyForcibly().waitFor();
        }

        long pid()
        {
            return process.pid();
        }

        @Override
        public void close() throws IOException
        {
            process.destroyForcibly().onExit().join();
            output.close();
            input.close();
        }

        public static void main(final String[] args) throws IOException
        {
            final BufferedReader commands =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            try (Journal journal = openWithoutThread(Path.of(args[0]), Backend.valueOf(args[1])))
            {
                System.out.println("open " + journal.lastSequence());
                for (String line = commands.readLine(); null != line; line = commands.readLine())
                {
                    appendNumbered(journal, Integer.parseInt(line), 100);
                    System.out.println("appended");
                }
            }
            catch (final JournalException ex)
            {
                System.out.println("refused " + ex.toString().replaceAll("\\s", " "));
                return;
            }
            System.out.println("closed");
        }
    }
}
