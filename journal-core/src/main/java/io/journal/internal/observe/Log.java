// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.observe;

/**
 * The log of the library: through {@link System.Logger}, under the name of the class Journal, which users know.
 */
public final class Log
{
    private static final String LOGGER = "io.journal.Journal";

    private Log()
    {
    }

    /**
     * @param error its cause, or null.
     */
    public static void warn(final String message, final Throwable error)
    {
        System.getLogger(LOGGER).log(System.Logger.Level.WARNING, message, error);
    }
}
