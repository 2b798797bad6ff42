package io.journal.store;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Under a file's name is something else: a directory, a link, a pipe. It was not opened.
 */
public final class NotRegularFileException extends IOException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param path of what is there.
     */
    public NotRegularFileException(final Path path)
    {
        super("not a regular file: file=" + path);
    }
}
