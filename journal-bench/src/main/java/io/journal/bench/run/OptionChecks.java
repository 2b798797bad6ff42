package io.journal.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Validates options before anything is started.
 */
public final class OptionChecks
{
    private final CommandSpec spec;

    public OptionChecks(final CommandSpec spec)
    {
        this.spec = spec;
    }

    /**
     * @return this.
     * @throws ParameterException if a number is too small.
     */
    public OptionChecks atLeast(final long least, final String option, final long number)
    {
        if (number < least)
        {
            throw refused(String.format(Locale.ROOT, "%s must be %,d or more", option, least));
        }

        return this;
    }

    public OptionChecks within(final long least, final long most, final String option, final long number)
    {
        if (number < least || number > most)
        {
            throw refused(String.format(Locale.ROOT, "%s must be from %,d to %,d", option, least, most));
        }

        return this;
    }

    public OptionChecks within(
        final long least, final long most, final String option, final List<? extends Number> numbers)
    {
        numbers.forEach((number) -> within(least, most, option, number.longValue()));
        return this;
    }

    /**
     * @param wrong the error message.
     * @return this.
     * @throws ParameterException unless the condition holds.
     */
    public OptionChecks that(final boolean holds, final String wrong)
    {
        if (!holds)
        {
            throw refused(wrong);
        }

        return this;
    }

    /**
     * Checks that a file can be written, without touching it.
     *
     * @param file to be written, or null.
     * @return this.
     * @throws ParameterException if it is not writable.
     */
    public OptionChecks writable(final String option, final Path file)
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
