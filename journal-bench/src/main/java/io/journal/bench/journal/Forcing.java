package io.journal.bench.journal;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.ForcePolicy;
import io.journal.bench.run.OptionChecks;

/**
 * A force policy by its name in options and results: {@code manual}, {@code everyRecord}, or {@code every10ms} with any
 * number of milliseconds.
 */
enum Forcing
{
    /** The application forces. */
    MANUAL,

    /** At fixed intervals. */
    PERIODIC,

    /** An append returns when its record is durable. */
    EVERY_RECORD;

    private static final Pattern INTERVAL = Pattern.compile("every(\\d{1,7})ms");

    /**
     * @throws IllegalArgumentException if there is no policy of that name.
     */
    static Forcing of(final String name)
    {
        if ("manual".equals(name))
        {
            return MANUAL;
        }

        if ("everyRecord".equals(name))
        {
            return EVERY_RECORD;
        }

        if (INTERVAL.matcher(name).matches())
        {
            return PERIODIC;
        }

        throw new IllegalArgumentException("no such policy: " + name);
    }

    static void check(final OptionChecks checks, final String option, final List<String> names)
    {
        for (final String name : names)
        {
            try
            {
                policy(name);
            }
            catch (final IllegalArgumentException ex)
            {
                checks.that(false, option + " has " + ex.getMessage());
            }
        }
    }

    static ForcePolicy policy(final String name)
    {
        switch (of(name))
        {
            case MANUAL:
                return ForcePolicy.manual();

            case EVERY_RECORD:
                return ForcePolicy.everyRecord();

            default:
                final Matcher matcher = INTERVAL.matcher(name);
                if (!matcher.matches())
                {
                    throw new IllegalArgumentException("no interval: " + name);
                }
                return ForcePolicy.every(Duration.ofMillis(Long.parseLong(matcher.group(1))));
        }
    }
}
