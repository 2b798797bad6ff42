// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.journal.store.Backend;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Backends that the file system of a test's directory supports. A test of an unsupported backend is skipped with the
 * reason.
 */
public final class UsableBackends implements InvocationInterceptor
{
    @Override
    public void interceptTestTemplateMethod(
        final Invocation<Void> invocation,
        final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) throws Throwable
    {
        final Path directory = context.getRequiredTestInstance() instanceof final JournalFixture fixture ?
            fixture.directory() : Path.of(System.getProperty("java.io.tmpdir"));
        for (final Object argument : method.getArguments())
        {
            final String reason = argument instanceof final Backend backend ? reasonAgainst(backend, directory) : null;
            if (null != reason)
            {
                invocation.skip();
                throw new TestAbortedException(reason);
            }
        }
        invocation.proceed();
    }

    /** Backends that this build tests: all, or {@code journal.test.backend}, or the first if that is excepted. */
    public static List<Backend> tested(final Backend... except)
    {
        final List<Backend> backends = new ArrayList<>(List.of(Backend.values()));
        backends.removeAll(List.of(except));
        final String only = System.getProperty("journal.test.backend", "");
        return only.isEmpty() ? backends :
            List.of(backends.stream().filter((each) -> each.name().equals(only)).findFirst().orElse(backends.get(0)));
    }

    /** Backends that a directory supports, in the order of the enum. */
    public static List<Backend> in(final Path directory)
    {
        return Arrays.stream(Backend.values()).filter((backend) -> null == reasonAgainst(backend, directory)).toList();
    }

    /** A backend that a directory supports; the same number selects the same backend. */
    public static Backend one(final long number, final Path directory)
    {
        final List<Backend> backends = in(directory);
        return backends.get((int)Math.floorMod(number, (long)backends.size()));
    }

    private static String reasonAgainst(final Backend backend, final Path directory)
    {
        try
        {
            backend.store(directory).checkFileSystem();
            return null;
        }
        catch (final UnsupportedFileSystemException ex)
        {
            return ex.getMessage();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
