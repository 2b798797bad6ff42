package io.journal.testkit;

/**
 * The pieces in which a device writes: each outlives a loss of power as a whole or not at all.
 */
public enum Tearing
{
    /** 512 bytes: what any device writes as a whole. */
    SECTORS(512),
    /** 4096 bytes: what the operating system writes back as a whole, to a device that does not tear it. */
    PAGES(4096);

    private final int length;

    Tearing(final int length)
    {
        this.length = length;
    }

    /**
     * Length of a piece.
     *
     * @return length in bytes.
     */
    public int length()
    {
        return length;
    }
}
