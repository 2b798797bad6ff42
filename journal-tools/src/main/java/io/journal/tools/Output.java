// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output. Keeps its first error, because a {@link java.io.PrintWriter} reports only that there was an error.
 */
final class Output extends OutputStream
{
    private final FileOutputStream stream;
    private IOException error;

    Output(final FileOutputStream stream)
    {
        this.stream = stream;
    }

    /**
     * Returns why the output is incomplete, or null. A closed pipe is no failure, because its reader needed no more.
     */
    IOException failure()
    {
        return null == error || isPipeClosed() ? null : error;
    }

    @Override
    public void write(final int value) throws IOException
    {
        write(new byte[]{ (byte)value }, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException
    {
        try
        {
            stream.write(bytes, offset, length);
        }
        catch (final IOException ex)
        {
            error = null == error ? ex : error;
            throw ex;
        }
    }

    // Tests the position, because the message of the error may be in any language: pipes, sockets and terminals have no
    // position.
    private boolean isPipeClosed()
    {
        try
        {
            return stream.getChannel().position() < 0;
        }
        catch (final IOException ignore)
        {
            return true;
        }
    }
}
