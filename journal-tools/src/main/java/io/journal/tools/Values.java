package io.journal.tools;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads values of options, and reports what is expected where one cannot be read.
 */
final class Values
{
    private Values()
    {
    }

    static void register(final CommandLine commandLine)
    {
        commandLine.registerConverter(Long.class, Values::number);
        commandLine.registerConverter(long.class, Values::number);
        commandLine.registerConverter(int.class, (text) -> Math.toIntExact(bounded(number(text), text)));
        commandLine.registerConverter(double.class, Values::decimal);
        commandLine.registerConverter(Instant.class, Values::time);
    }

    private static long number(final String text)
    {
        try
        {
            return Long.parseLong(text.replace(",", "").replace("_", ""));
        }
        catch (final NumberFormatException ex)
        {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
    }

    private static long bounded(final long number, final String text)
    {
        if (number != (int)number)
        {
            throw new TypeConversionException("'" + text + "' is too large");
        }
        return number;
    }

    private static double decimal(final String text)
    {
        try
        {
            return Double.parseDouble(text);
        }
        catch (final NumberFormatException ex)
        {
            throw new TypeConversionException("'" + text + "' is not a number");
        }
    }

    private static Instant time(final String text)
    {
        try
        {
            final boolean isDate = !text.contains("T");
            if (isDate)
            {
                return LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
            }

            final String time = text.substring(text.indexOf('T'));
            return time.endsWith("Z") || time.contains("+") || time.contains("-") ?
                OffsetDateTime.parse(text).toInstant() : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        }
        catch (final DateTimeException ex)
        {
            throw new TypeConversionException(
                "'" + text + "' is not a time, like 2026-01-31, 2026-01-31T12:00 or 2026-01-31T12:00:00+01:00; " +
                    "without a zone it is in UTC");
        }
    }
}
