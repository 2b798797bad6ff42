package io.journal.bench.run;

import java.util.Locale;

/** What a run will do, how long it takes, and when it would take longer. */
public record Plan(String text, double seconds, String unless)
{
    public static Plan of(final double seconds, final String format, final Object... arguments)
    {
        return new Plan(String.format(Locale.ROOT, format, arguments), seconds, "");
    }

    /** Adds when the run takes longer. */
    public Plan unless(final String other)
    {
        return new Plan(text, seconds, other);
    }

    String takes()
    {
        return "about " + BenchmarkRun.duration(seconds) + unless;
    }
}
