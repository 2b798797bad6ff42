package io.journal.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Unit of a value, from the suffix of its key.
 */
enum Unit
{
    BYTES_PER_SECOND("BytesPerSecond", true, new Display(1e3, "kB/s"), new Display(1e6, "MB/s")),
    PER_SECOND("PerSecond", true),
    NANOSECONDS("Ns", false, times(1)),
    MICROSECONDS("Us", false, times(1e3)),
    MILLISECONDS("Ms", false, times(1e6)),
    KIBIBYTES("Kib", false, new Display(1, "KiB")),
    BYTES("Bytes", false, new Display(1, "B"), new Display(1e6, "MB")),
    COUNT("Count", false, new Display(1, "")),
    NONE("", false, new Display(1, ""));

    private final String suffix;
    final boolean isHigherBetter;
    private final List<Display> displays;

    Unit(final String suffix, final boolean isHigherBetter, final Display... displays)
    {
        this.suffix = suffix;
        this.isHigherBetter = isHigherBetter;
        this.displays = List.of(displays);
    }

    /**
     * Unit in which values are shown.
     *
     * @param divisor from a value to the number shown.
     */
    record Display(double divisor, String name)
    {
    }

    private static Display[] times(final double nsPerUnit)
    {
        return new Display[]{
            new Display(1 / nsPerUnit, "ns"), new Display(1e3 / nsPerUnit, "µs"), new Display(1e6 / nsPerUnit, "ms"),
            new Display(1e9 / nsPerUnit, "s") };
    }

    static Unit of(final String key)
    {
        return Stream.of(values()).filter((unit) -> key.endsWith(unit.suffix)).findFirst().orElseThrow();
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

    String strip(final String key)
    {
        return key.substring(0, key.length() - suffix.length());
    }

    /**
     * Display unit for values up to a maximum.
     */
    Display display(final String key, final double largest)
    {
        if (PER_SECOND == this)
        {
            return new Display(1, (strip(key).matches("forced\\d+") ? "records" : strip(key)) + "/s");
        }

        return displays.stream().filter((display) -> display.divisor() <= largest).reduce((first, next) -> next)
            .orElse(displays.get(0));
    }
}
