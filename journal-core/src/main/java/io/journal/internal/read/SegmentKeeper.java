// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

/**
 * Keeps segments open between the calls that use them. Thread-safe.
 */
interface SegmentKeeper extends AutoCloseable
{
    /** Closes the segments that are not in use. Those in use are closed when their use ends. */
    void clear();

    /** Likewise, and keeps none open from now on. */
    @Override
    void close();
}
