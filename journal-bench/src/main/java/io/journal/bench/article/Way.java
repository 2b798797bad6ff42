package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A way to write a file from its beginning to its end, and to read it.
 * <p>
 * The bytes are those of their own number: {@code (byte)i} at offset {@code i}. Both directions return their sum.
 */
interface Way
{
    int write(Path file, long length, int pageLength) throws IOException;

    int read(Path file, int pageLength) throws IOException;
}
