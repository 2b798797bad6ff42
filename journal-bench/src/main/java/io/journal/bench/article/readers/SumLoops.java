package io.journal.bench.article.readers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * The loops that add up what is read.
 * <p>
 * The article's methods are compiled one by one. Here one class has the loops of all strategies, so each strategy takes
 * a copy of the class: in a faithful run, which is of one JVM, the compiler sees no types but the strategy's own.
 */
final class SumLoops implements Sums
{
    private final boolean isUnsigned;

    SumLoops(final boolean isUnsigned)
    {
        this.isUnsigned = isUnsigned;
    }

    /**
     * @param isUnsigned whether bytes that are read one by one are added up as {@code read()} gives them, 0 to 255.
     */
    static Sums copy(final boolean isUnsigned)
    {
        try (InputStream in = SumLoops.class.getResourceAsStream("SumLoops.class"))
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
            throw new IllegalStateException("the loops cannot be copied", ex);
        }
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
