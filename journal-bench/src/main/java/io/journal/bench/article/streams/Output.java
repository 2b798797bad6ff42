package io.journal.bench.article.streams;

import java.io.Closeable;
import java.io.IOException;

/**
 * A file that is written from its beginning, by bytes or by arrays.
 */
interface Output extends Closeable
{
    void write(byte next) throws IOException;

    void write(byte[] source, int offset, int count) throws IOException;

    /**
     * Has the device take all that was written.
     */
    void force() throws IOException;
}
