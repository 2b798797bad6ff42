package io.journal.bench.run;

/**
 * Ends a command that was asked only what it would do.
 */
public final class Planned extends RuntimeException
{
    private static final long serialVersionUID = 1;

    private final double seconds;

    Planned(final double seconds)
    {
        super("planned only", null, false, false);
        this.seconds = seconds;
    }

    /**
     * What it would take, about.
     */
    public double seconds()
    {
        return seconds;
    }
}
