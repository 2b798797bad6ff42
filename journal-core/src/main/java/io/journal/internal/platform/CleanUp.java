// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;

/**
 * What is done after a failure, which is the more useful one to report.
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
}
