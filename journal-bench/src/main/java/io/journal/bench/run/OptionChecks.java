package io.journal.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Validates options before anything is started: each check throws a {@link ParameterException} unless it holds.
 */
public record OptionChecks(CommandSpec spec)
{
    public OptionChecks atLeast(final long least, final String option, final long number)
    {
        return that(number >= least, String.format(Locale.ROOT, "%s must be %,d or more", option, least));
    }

    public OptionChecks within(final long least, final long most, final String option, final long number)
    {
        return that(
            number >= least && number <= most,
            String.format(Locale.ROOT, "%s must be from %,d to %,d", option, least, most));
    }

    public OptionChecks within(
        final long least, final long most, final String option, final List<? extends Number> numbers)
    {
        numbers.forEach((number) -> within(least, most, option, number.longValue()));
        return this;
    }

    /**
     * @param wrong the error message.
     */
    public OptionChecks that(final boolean holds, final String wrong)
    {
        if (!holds)
        {
            throw new ParameterException(spec.commandLine(), wrong);
        }

        return this;
    }

    public OptionChecks there(final Path file)
    {
        return that(Files.exists(file), "no such file: " + file);
    }

    /**
     * Checks that a file can be written, without touching it.
     *
     * @param file to be written, or null.
     */
    public OptionChecks writable(final String option, final Path file)
    {
        if (null == file)
        {
            return this;
        }

        final Path parent = file.toAbsolutePath().getParent();
        final boolean isWritable = Files.exists(file) ? !Files.isDirectory(file) && Files.isWritable(file) :
            null != parent && Files.isDirectory(parent) && Files.isWritable(parent);
        return that(isWritable, option + " cannot be written: " + file);
    }
}
