package io.journal.bench.article.streams;

import java.io.Closeable;
import java.io.IOException;

/**
 * A file that is read from its beginning, by bytes or by arrays.
 */
interface Input extends Closeable
{
    /**
     * @return the next byte, 0 to 255, or -1 at the end.
     */
    int read() throws IOException;

    /**
     * @return how many bytes are in the array, or -1 at the end.
     */
    int read(byte[] target) throws IOException;
}
