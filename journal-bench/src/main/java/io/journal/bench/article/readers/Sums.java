package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Interface of the copies of {@link SumLoops}.
 */
interface Sums
{
    long bytes(ByteRead in) throws IOException;

    long arrays(ArrayRead in, byte[] array) throws IOException;

    long gets(ByteBuffer buffer);

    long arrayGets(ByteBuffer buffer, byte[] array);

    long buffers(ReadableByteChannel in, ByteBuffer buffer) throws IOException;

    long bufferArrays(ReadableByteChannel in, ByteBuffer buffer, byte[] array) throws IOException;

    /** Common to InputStream and RandomAccessFile. */
    interface ByteRead
    {
        int read() throws IOException;
    }

    /** The same for arrays. */
    interface ArrayRead
    {
        int read(byte[] array) throws IOException;
    }
}
