package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * What each copy of {@link SumLoops} can do, with its own compiled code.
 */
interface Sums
{
    long bytes(ByteRead in) throws IOException;

    long arrays(ArrayRead in, byte[] array) throws IOException;

    long gets(ByteBuffer buffer);

    long arrayGets(ByteBuffer buffer, byte[] array);

    long buffers(ReadableByteChannel in, ByteBuffer buffer) throws IOException;

    long bufferArrays(ReadableByteChannel in, ByteBuffer buffer, byte[] array) throws IOException;

    /** Of an InputStream or a RandomAccessFile, which have no type in common. */
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
