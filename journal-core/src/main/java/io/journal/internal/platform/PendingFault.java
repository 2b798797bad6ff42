// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.util.Objects;

/**
 * The error of a rejected access to mapped memory, which compiled code of OpenJDK 17 does not throw at once: it skips
 * the access, and the thread throws an {@link InternalError} at some later time. Inside a {@code FileChannel} or a lock
 * that error would leave either unusable.
 */
public final class PendingFault
{
    private PendingFault()
    {
    }

    /**
     * Throws the error if one is pending: the thread checks for it when it comes back from the JVM with an object, but
     * neither when it has yielded nor when it has slept. Takes some microseconds.
     */
    public static void check()
    {
        Objects.requireNonNull(new Throwable().getStackTrace());
    }
}
