// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/** A store that asks a test before each call of it, of its subdirectories and of their files. */
final class StoreProxy
{
    private StoreProxy()
    {
    }

    /** Called before every call; an exception replaces the call. */
    @FunctionalInterface
    interface Calls
    {
        /**
         * @param name   of the file, or empty for a call of the store itself.
         * @param method that is called.
         */
        void before(String name, String method, Object... args) throws IOException;
    }

    static SegmentStore of(final SegmentStore store, final Calls calls)
    {
        return proxy(SegmentStore.class, (proxy, method, args) ->
        {
            calls.before("", method.getName(), args);
            final Object result = call(store, method, args);
            if (result instanceof final SegmentStore child)
            {
                return of(child, calls);
            }
            return result instanceof final SegmentFile file ? of(file, (String)args[0], calls) : result;
        });
    }

    private static SegmentFile of(final SegmentFile file, final String name, final Calls calls)
    {
        return proxy(SegmentFile.class, (proxy, method, args) ->
        {
            calls.before(name, method.getName(), args);
            return call(file, method, args);
        });
    }

    private static Object call(final Object target, final Method method, final Object... args) throws Throwable
    {
        try
        {
            return method.invoke(target, args);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    private static <T> T proxy(final Class<T> type, final InvocationHandler handler)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{ type }, handler));
    }
}
