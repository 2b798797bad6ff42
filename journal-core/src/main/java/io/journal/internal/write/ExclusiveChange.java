// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;

/**
 * A change of the journal during which nothing is appended.
 */
public interface ExclusiveChange
{
    void make() throws IOException;

    /** Runs changes while it excludes appends. */
    interface Gate
    {
        /**
         * @throws IllegalStateException if a claim is open, or another thread is appending; nothing was changed.
         */
        void exclusively(ExclusiveChange change) throws IOException;
    }
}
