// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * The loops that sum the bytes.
 * <p>
 * Each strategy uses its own copy of them, defined as a hidden class, so that the JIT compiler sees only the types of
 * that strategy even in a faithful run, where all share one JVM. The article has separate methods.
 */
interface Sums
{
    long bytes(ByteRead in) throws IOException;

    long arrays(ArrayRead in, byte[] array) throws IOException;

    long gets(ByteBuffer buffer);

    long arrayGets(ByteBuffer buffer, byte[] array);

    long buffers(ReadableByteChannel in, ByteBuffer buffer) throws IOException;

    long bufferArrays(ReadableByteChannel in, ByteBuffer buffer, byte[] array) throws IOException;

    /** Reads a byte; common to InputStream and RandomAccessFile. */
    interface ByteRead
    {
        int read() throws IOException;
    }

    /** Reads into an array; common to InputStream and RandomAccessFile. */
    interface ArrayRead
    {
        int read(byte[] array) throws IOException;
    }

    /** @param isUnsigned whether single bytes are summed as {@code read()} returns them, 0 to 255. */
    static Sums copy(final boolean isUnsigned)
    {
        try (InputStream in = Sums.class.getResourceAsStream("Sums$Loops.class"))
        {
            return (Sums)MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), true).lookupClass()
                .getDeclaredConstructor(boolean.class).newInstance(isUnsigned);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("cannot define a copy of the loops", ex);
        }
    }

    /** The original of the copies. */
    final class Loops implements Sums
    {
        private final boolean isUnsigned;

        Loops(final boolean isUnsigned)
        {
            this.isUnsigned = isUnsigned;
        }

        @Override
        public long bytes(final ByteRead in) throws IOException
        {
            return isUnsigned ? unsignedBytes(in) : signedBytes(in);
        }

        private static long signedBytes(final ByteRead in) throws IOException
        {
            long sum = 0;
            for (int next = in.read(); next >= 0; next = in.read())
            {
                sum += (byte)next;
            }
            return sum;
        }

        private static long unsignedBytes(final ByteRead in) throws IOException
        {
            long sum = 0;
            for (int next = in.read(); next >= 0; next = in.read())
            {
                sum += next;
            }
            return sum;
        }

        @Override
        public long arrays(final ArrayRead in, final byte[] array) throws IOException
        {
            long sum = 0;
            for (int count = in.read(array); count >= 0; count = in.read(array))
            {
                for (int i = 0; i < count; i++)
                {
                    sum += array[i];
                }
            }
            return sum;
        }

        @Override
        public long gets(final ByteBuffer buffer)
        {
            long sum = 0;
            while (buffer.hasRemaining())
            {
                sum += buffer.get();
            }
            return sum;
        }

        @Override
        public long arrayGets(final ByteBuffer buffer, final byte[] array)
        {
            long sum = 0;
            while (buffer.hasRemaining())
            {
                final int count = Math.min(buffer.remaining(), array.length);
                buffer.get(array, 0, count);
                for (int i = 0; i < count; i++)
                {
                    sum += array[i];
                }
            }
            return sum;
        }

        @Override
        public long buffers(final ReadableByteChannel in, final ByteBuffer buffer) throws IOException
        {
            long sum = 0;
            while (in.read(buffer) >= 0)
            {
                sum += gets(buffer.flip());
                buffer.clear();
            }
            return sum;
        }

        @Override
        public long bufferArrays(final ReadableByteChannel in, final ByteBuffer buffer, final byte[] array)
            throws IOException
        {
            long sum = 0;
            while (in.read(buffer) >= 0)
            {
                sum += arrayGets(buffer.flip(), array);
                buffer.clear();
            }
            return sum;
        }
    }
}
