// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

import org.agrona.CloseHelper;

/**
 * A file mapping that can be unmapped explicitly, without a JVM flag and without a warning.
 * <p>
 * On JDK 22 and newer a shared arena owns the memory. Older JDKs unmap with {@code Unsafe.invokeCleaner}, which newer
 * JDKs warn about. After {@link #close()} an access throws on the former and crashes the JVM on the latter, so only the
 * owner of a mapping may close it, once it is no longer in use.
 */
final class Mapping implements AutoCloseable
{
    private static final Unmapper UNMAPPER = unmapper();

    private final MappedByteBuffer buffer;
    private final AutoCloseable owner;
    private boolean isClosed;

    private Mapping(final MappedByteBuffer buffer, final AutoCloseable owner)
    {
        this.buffer = buffer;
        this.owner = owner;
        buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    static Mapping map(final FileChannel channel, final FileChannel.MapMode mode, final long length) throws IOException
    {
        return UNMAPPER.map(channel, mode, length);
    }

    MappedByteBuffer buffer()
    {
        return buffer;
    }

    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            try
            {
                owner.close();
            }
            catch (final Exception ex)
            {
                throw new IllegalStateException("cannot unmap", ex);
            }
        }
    }

    private interface Unmapper
    {
        Mapping map(FileChannel channel, FileChannel.MapMode mode, long length) throws IOException;
    }

    private static Unmapper unmapper()
    {
        try
        {
            return Runtime.version().feature() >= 22 ? arenas() : cleaner();
        }
        catch (final ReflectiveOperationException ex)
        {
            // Without explicit unmapping, the garbage collector unmaps.
            return (channel, mode, length) -> new Mapping(channel.map(mode, 0, length), () ->
            {
            });
        }
    }

    private static Unmapper arenas() throws ReflectiveOperationException
    {
        final MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        final Class<?> arenaClass = Class.forName("java.lang.foreign.Arena");
        final Class<?> segmentClass = Class.forName("java.lang.foreign.MemorySegment");
        final MethodHandle ofShared = lookup.findStatic(arenaClass, "ofShared", MethodType.methodType(arenaClass));
        final MethodHandle map = lookup.findVirtual(FileChannel.class, "map", MethodType.methodType(
            segmentClass, FileChannel.MapMode.class, long.class, long.class, arenaClass));
        final MethodHandle asByteBuffer =
            lookup.findVirtual(segmentClass, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
        return (channel, mode, length) ->
        {
            AutoCloseable arena = null;
            try
            {
                arena = (AutoCloseable)ofShared.invoke();
                final Object segment = map.invoke(channel, mode, 0L, length, arena);
                return new Mapping((MappedByteBuffer)asByteBuffer.invoke(segment), arena);
            }
            catch (final Throwable ex)
            {
                CloseHelper.quietClose(arena);
                throw ex instanceof final IOException io ? io : new IOException("cannot map", ex);
            }
        };
    }

    private static Unmapper cleaner() throws ReflectiveOperationException
    {
        final Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
        final Field field = unsafeClass.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        final MethodHandle invokeCleaner = MethodHandles.lookup()
            .findVirtual(unsafeClass, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
            .bindTo(field.get(null));
        return (channel, mode, length) ->
        {
            final MappedByteBuffer buffer = channel.map(mode, 0, length);
            return new Mapping(buffer, () ->
            {
                try
                {
                    invokeCleaner.invoke(buffer);
                }
                catch (final Error | Exception ex)
                {
                    throw ex;
                }
                catch (final Throwable ex)
                {
                    throw new IllegalStateException(ex);
                }
            });
        };
    }
}
