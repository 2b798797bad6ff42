// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A name refers to something other than a regular file: a directory, a symbolic link, a pipe. It was not opened.
 */
public final class NotRegularFileException extends IOException
{
    private static final long serialVersionUID = 1L;

    public NotRegularFileException(final Path path)
    {
        super("not a regular file: file=" + path);
    }
}
