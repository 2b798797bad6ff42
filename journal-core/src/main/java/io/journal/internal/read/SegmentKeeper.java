// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import io.journal.internal.control.History;

/**
 * Keeps segments open between the calls that use them. Thread-safe.
 */
interface SegmentKeeper extends AutoCloseable
{
    /**
     * Closes the segments that are not in use and may not belong to the log. Segments in use are closed when their use
     * ends.
     */
    void clear(History now);

    /** Closes all segments that are not in use, and keeps none open from now on. */
    @Override
    void close();
}
