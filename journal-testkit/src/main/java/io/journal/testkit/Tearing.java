// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

/**
 * The unit of an atomic write: a power loss leaves each unit either wholly written or not written at all.
 */
public enum Tearing
{
    /** 512 bytes: atomic on any device. */
    SECTORS(512),
    /** 4096 bytes: the unit of the operating system's writeback, on a device that does not tear it. */
    PAGES(4096);

    private final int length;

    Tearing(final int length)
    {
        this.length = length;
    }

    /**
     * Length of a unit.
     *
     * @return length in bytes.
     */
    public int length()
    {
        return length;
    }
}
