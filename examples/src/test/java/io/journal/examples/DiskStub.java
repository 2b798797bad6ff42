package io.journal.examples;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * A journal's files with something to happen before they are used.
 */
public final class DiskStub
{
    private DiskStub()
    {
    }

    /**
     * What happens.
     */
    @FunctionalInterface
    public interface Hook
    {
        /**
         * @param operation name of the method of {@link SegmentStore} or, with a "file." in front, of
         *                  {@link SegmentFile}.
         * @throws IOException instead of the operation.
         */
        void before(String operation) throws IOException;
    }

    /**
     * Puts a hook before all that is done with files.
     */
    public static SegmentStore wrap(final SegmentStore store, final Hook hook)
    {
        return wrap(SegmentStore.class, store, "", hook);
    }

    private static <T> T wrap(final Class<T> type, final T target, final String prefix, final Hook hook)
    {
        final InvocationHandler handler = (proxy, method, args) ->
        {
            hook.before(prefix + method.getName());
            try
            {
                final Object result = method.invoke(target, args);
                return result instanceof SegmentFile file ? wrap(SegmentFile.class, file, "file.", hook) : result;
            }
            catch (final InvocationTargetException ex)
            {
                throw ex.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{ type }, handler));
    }
}
