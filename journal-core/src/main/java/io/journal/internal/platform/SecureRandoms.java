// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;

/**
 * Secure random numbers. The first number loads many classes and files; if a descriptor is missing then, the process
 * can never get a number. So the descriptors are checked before.
 */
public final class SecureRandoms
{
    private static volatile SecureRandom random;

    private SecureRandoms()
    {
    }

    /**
     * Thread-safe.
     *
     * @throws UncheckedIOException if there are too few descriptors for the first number; the next call tries again.
     */
    public static long next()
    {
        SecureRandom known = random;
        if (null == known)
        {
            known = first();
            random = known;
        }

        return known.nextLong();
    }

    private static SecureRandom first()
    {
        try
        {
            FirstChannel.checkDescriptors();
            return new SecureRandom();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
