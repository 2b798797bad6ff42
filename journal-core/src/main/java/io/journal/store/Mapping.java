// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteOrder;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

import org.jspecify.annotations.Nullable;

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
                throw new IllegalStateException("mapping still in use", ex);
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
            return Runtime.version().feature() >= 22 ? new ArenaUnmapper() : new CleanerUnmapper();
        }
        catch (final ReflectiveOperationException ex)
        {
            // Without explicit unmapping, the garbage collector unmaps.
            return (channel, mode, length) -> new Mapping(channel.map(mode, 0, length), () ->
            {
            });
        }
    }

    private static final class ArenaUnmapper implements Unmapper
    {
        private final MethodHandle ofShared;
        private final MethodHandle map;
        private final MethodHandle asByteBuffer;

        ArenaUnmapper() throws ReflectiveOperationException
        {
            final MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            final Class<?> arena = Class.forName("java.lang.foreign.Arena");
            final Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            ofShared = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
            map = lookup.findVirtual(FileChannel.class, "map", MethodType.methodType(
                segment, FileChannel.MapMode.class, long.class, long.class, arena));
            asByteBuffer = lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
        }

        @Override
        public Mapping map(final FileChannel channel, final FileChannel.MapMode mode, final long length)
            throws IOException
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
                closeQuietly(arena, ex);
                if (ex instanceof IOException)
                {
                    throw (IOException)ex;
                }
                throw new IOException("cannot map", ex);
            }
        }

        private static void closeQuietly(final @Nullable AutoCloseable arena, final Throwable cause)
        {
            try
            {
                if (null != arena)
                {
                    arena.close();
                }
            }
            catch (final Exception ex)
            {
                cause.addSuppressed(ex);
            }
        }
    }

    private static final class CleanerUnmapper implements Unmapper
    {
        private final MethodHandle invokeCleaner;

        CleanerUnmapper() throws ReflectiveOperationException
        {
            final Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
            final Field field = unsafeClass.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            invokeCleaner = MethodHandles.lookup()
                .findVirtual(unsafeClass, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
                .bindTo(field.get(null));
        }

        @Override
        public Mapping map(final FileChannel channel, final FileChannel.MapMode mode, final long length)
            throws IOException
        {
            final MappedByteBuffer buffer = channel.map(mode, 0, length);
            return new Mapping(buffer, () -> clean(buffer));
        }

        private void clean(final ByteBuffer buffer)
        {
            try
            {
                invokeCleaner.invoke(buffer);
            }
            catch (final Throwable ex)
            {
                throw new IllegalStateException("cannot unmap", ex);
            }
        }
    }
}
