// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;

/**
 * Cleans up after a failure, whose exception is more useful than a failure of the clean-up.
 */
public interface CleanUp
{
    void run() throws IOException;

    static void after(final Throwable failure, final CleanUp cleanUp)
    {
        try
        {
            cleanUp.run();
        }
        catch (final IOException | RuntimeException ex)
        {
            failure.addSuppressed(ex);
        }
    }

    /** Cleans up after a result that matters more than a failure of the clean-up. */
    static void quietly(final CleanUp cleanUp)
    {
        try
        {
            cleanUp.run();
        }
        catch (final IOException ignore)
        {
            // What is left does no harm.
        }
    }
}
