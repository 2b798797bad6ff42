package io.journal.bench.report;

import java.util.Locale;

/**
 * Unit of a value, from the suffix of its key.
 */
enum Unit
{
    BYTES_PER_SECOND("BytesPerSecond", true),
    PER_SECOND("PerSecond", true),
    NANOSECONDS("Ns", false),
    MICROSECONDS("Us", false),
    MILLISECONDS("Ms", false),
    KIBIBYTES("Kib", false),
    BYTES("Bytes", false),
    COUNT("Count", false),
    NONE("", false);

    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_S = 1e9;

    private final String suffix;
    private final boolean isHigherBetter;

    Unit(final String suffix, final boolean isHigherBetter)
    {
        this.suffix = suffix;
        this.isHigherBetter = isHigherBetter;
    }

    /**
     * Display unit of a chart or column.
     *
     * @param divisor from a value to the number shown.
     * @param name    of the unit.
     */
    record Display(double divisor, String name)
    {
        String format(final double value)
        {
            return number(value / divisor);
        }
    }

    static Unit of(final String key)
    {
        for (final Unit unit : values())
        {
            if (key.endsWith(unit.suffix))
            {
                return unit;
            }
        }

        return NONE;
    }

    /**
     * A number with three or four significant digits.
     */
    static String number(final double value)
    {
        final double size = Math.abs(value);
        final int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    boolean isHigherBetter()
    {
        return isHigherBetter;
    }

    /**
     * Key of a value without its unit.
     */
    String strip(final String key)
    {
        return key.substring(0, key.length() - suffix.length());
    }

    /**
     * Display unit for values up to a maximum.
     */
    Display display(final String key, final double largest)
    {
        return switch (this)
        {
            case BYTES_PER_SECOND -> largest < 1e6 ? new Display(1e3, "kB/s") : new Display(1e6, "MB/s");
            case PER_SECOND -> new Display(1, (strip(key).matches("forced\\d+") ? "records" : strip(key)) + "/s");
            case NANOSECONDS -> time(largest, 1);
            case MICROSECONDS -> time(largest * NS_PER_US, NS_PER_US);
            case MILLISECONDS -> time(largest * NS_PER_MS, NS_PER_MS);
            case KIBIBYTES -> new Display(1, "KiB");
            case BYTES -> largest < 1e6 ? new Display(1, "B") : new Display(1e6, "MB");
            case COUNT, NONE -> new Display(1, "");
        };
    }

    private static Display time(final double largestNs, final double nsPerUnit)
    {
        return largestNs < NS_PER_US ? new Display(1 / nsPerUnit, "ns") :
            largestNs < NS_PER_MS ? new Display(NS_PER_US / nsPerUnit, "µs") :
                largestNs < NS_PER_S ? new Display(NS_PER_MS / nsPerUnit, "ms") :
                    new Display(NS_PER_S / nsPerUnit, "s");
    }
}
