package io.journal.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Refuses options that cannot be run, before anything is.
 */
public final class Checks
{
    private final CommandSpec spec;

    public Checks(final CommandSpec spec)
    {
        this.spec = spec;
    }

    /**
     * @return this.
     * @throws ParameterException if a number is too small.
     */
    public Checks atLeast(final long least, final String option, final long number)
    {
        if (number < least)
        {
            throw refused(String.format(Locale.ROOT, "%s must be %,d or more", option, least));
        }

        return this;
    }

    /**
     * The same for numbers that are too large as well.
     */
    public Checks within(final long least, final long most, final String option, final long number)
    {
        if (number < least || number > most)
        {
            throw refused(String.format(Locale.ROOT, "%s must be from %,d to %,d", option, least, most));
        }

        return this;
    }

    /**
     * The same for each of a list.
     */
    public Checks within(
        final long least, final long most, final String option, final List<? extends Number> numbers)
    {
        numbers.forEach((number) -> within(least, most, option, number.longValue()));
        return this;
    }

    /**
     * @param wrong what is told as it is.
     * @return this.
     * @throws ParameterException unless it holds.
     */
    public Checks that(final boolean holds, final String wrong)
    {
        if (!holds)
        {
            throw refused(wrong);
        }

        return this;
    }

    /**
     * Leaves the file as it is.
     *
     * @param file that will be written, or null.
     * @return this.
     * @throws ParameterException if it cannot.
     */
    public Checks writable(final String option, final Path file)
    {
        if (null != file)
        {
            final Path parent = file.toAbsolutePath().getParent();
            final boolean isWritable = Files.exists(file) ? !Files.isDirectory(file) && Files.isWritable(file) :
                null != parent && Files.isDirectory(parent) && Files.isWritable(parent);
            that(isWritable, option + " cannot be written: " + file);
        }

        return this;
    }

    private ParameterException refused(final String message)
    {
        return new ParameterException(spec.commandLine(), message);
    }
}
