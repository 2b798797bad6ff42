// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.testkit.FaultStore;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Checksums cover record lengths, and a journal in which they do not is detected. Storage cannot simulate such a
 * journal: two classes of the core are compiled from a modified source.
 */
class DamageTest
{
    private static final Path SOURCE = Path.of("..", "journal-core", "src", "main", "java");
    private static final int SOAK_TIMES = 20;
    private static final String FORMAT = "io/journal/internal/format";

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    @TempDir
    private Path classes;

    @EachBackend(except = Backend.DIRECT)
    void damagedLengthIsNeverTrusted(final Backend backend)
    {
        assertTrue(Damages.run(backend, directory, Workload.APPEND_AND_FORCE, 1) > 50);
        assertTrue(Damages.run(backend, directory, Workload.ROLL, 2) > 50);
    }

    @EachBackend(except = Backend.DIRECT)
    void lengthOutsideTheChecksumIsDetected(final Backend backend) throws Exception
    {
        assertCaught(backend, 1, 1);
    }

    @Tag("soak")
    @EachBackend(except = Backend.DIRECT)
    void lengthOutsideTheChecksumIsDetectedEachTime(final Backend backend) throws Exception
    {
        assertCaught(backend, Long.getLong("journal.test.seed", System.nanoTime()), SOAK_TIMES);
    }

    private void assertCaught(final Backend backend, final long firstSeed, final int times) throws Exception
    {
        final Path source = Path.of(System.getProperty("basedir", ".")).resolve(SOURCE);
        assumeTrue(Files.isDirectory(source), "sources of the core are not there");
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(null != compiler, "no compiler");
        compileBroken(compiler, source);

        try (URLClassLoader loader = new BrokenLoader(classes.toUri().toURL()))
        {
            final Method run = loader.loadClass(Damages.class.getName())
                .getDeclaredMethod("run", loader.loadClass(Backend.class.getName()), Path.class,
                    loader.loadClass(Workload.class.getName()), long.class);
            run.setAccessible(true);
            final Object backendThere = constant(loader, Backend.class, backend.name());
            final Object workload = constant(loader, Workload.class, Workload.APPEND_AND_FORCE.name());
            for (long seed = firstSeed; seed < firstSeed + times; seed++)
            {
                final long number = seed;
                final InvocationTargetException ex = assertThrows(
                    InvocationTargetException.class, () -> run.invoke(null, backendThere, directory, workload, number),
                    () -> "not caught: seed=" + number);
                assertInstanceOf(AssertionError.class, ex.getCause());
            }
        }
    }

    /** The checksum covers the padding as well, so that it is the same for lengths that are padded alike. */
    private void compileBroken(final JavaCompiler compiler, final Path source) throws IOException
    {
        final Path format = source.resolve(FORMAT);
        final String mixed = replace(
            Files.readString(format.resolve("FrameHeader.java")),
            "((long)offset << 32) | (storedLength & 0xFFFF_FFFFL)", "(long)offset << 32");
        final Path header = classes.resolve("FrameHeader.java");
        Files.writeString(header, replace(mixed, "index + checkedLength", "index + align(checkedLength)"));
        assertEquals(0, compiler.run(null, null, null, "-d", classes.toString(), header.toString()));
    }

    private static String replace(final String text, final String from, final String to)
    {
        final String replaced = text.replace(from, to);
        assertNotEquals(text, replaced, () -> "not there any more: " + from);
        return replaced;
    }

    private static Object constant(final ClassLoader loader, final Class<?> type, final String name) throws Exception
    {
        final Method valueOf = loader.loadClass(type.getName()).getMethod("valueOf", String.class);
        valueOf.setAccessible(true);
        return valueOf.invoke(null, name);
    }

    /** Loads the journal, and what tests it, anew, from the broken classes first. */
    private static final class BrokenLoader extends URLClassLoader
    {
        BrokenLoader(final URL broken) throws MalformedURLException
        {
            super(
                new URL[]{ broken, locationOf(Journal.class), locationOf(FaultStore.class),
                    locationOf(Damages.class) },
                DamageTest.class.getClassLoader());
        }

        private static URL locationOf(final Class<?> type)
        {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException
        {
            synchronized (getClassLoadingLock(name))
            {
                final Class<?> loaded = findLoadedClass(name);
                return null != loaded ? loaded :
                    name.startsWith("io.journal.") ? findClass(name) : super.loadClass(name, resolve);
            }
        }
    }
}
