package io.journal.bench.run;

/**
 * Ends a command that ran with {@code --plan}, carrying its estimated duration.
 */
public final class PlanOnlyException extends RuntimeException
{
    private static final long serialVersionUID = 1;

    private final double seconds;

    PlanOnlyException(final double seconds)
    {
        super("planned only", null, false, false);
        this.seconds = seconds;
    }

    /**
     * The estimate.
     */
    public double seconds()
    {
        return seconds;
    }
}
