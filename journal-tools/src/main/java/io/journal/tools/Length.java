package io.journal.tools;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses lengths: 65536, 64KiB, 64k.
 */
final class Length implements ITypeConverter<Integer>
{
    private static final Pattern PATTERN = Pattern.compile("(\\d{1,10})\\s*(?:([kmg])(?:i?b)?)?");

    @Override
    public Integer convert(final String value)
    {
        final Matcher matcher = PATTERN.matcher(value.toLowerCase(Locale.ROOT));
        if (!matcher.matches())
        {
            throw new TypeConversionException("'" + value + "' is not a length, like 65536, 64KiB or 16MiB");
        }
        final int shift = null == matcher.group(2) ? 0 : 10 * (1 + "kmg".indexOf(matcher.group(2)));
        final long number = Long.parseLong(matcher.group(1));
        // Compared before it is shifted, which may overflow.
        if (number > Integer.MAX_VALUE >> shift)
        {
            throw new TypeConversionException("'" + value + "' is too long: at most 1GiB");
        }

        return (int)(number << shift);
    }
}
