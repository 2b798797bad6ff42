package io.journal.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.journal.bench.report.Chart.Axis;

/**
 * Unit of a value, from the suffix of its key.
 */
enum Unit
{
    BYTES_PER_SECOND("BytesPerSecond", true, in("kB/s", 1e3), in("MB/s", 1e6)),
    PER_SECOND("PerSecond", true),
    NANOSECONDS("Ns", false, times(1)),
    MICROSECONDS("Us", false, times(1e3)),
    MILLISECONDS("Ms", false, times(1e6)),
    KIBIBYTES("Kib", false, in("KiB", 1)),
    BYTES("Bytes", false, in("B", 1), in("MB", 1e6)),
    COUNT("Count", false, in("", 1)),
    NONE("", false, in("", 1));

    private final String suffix;
    final boolean isHigherBetter;
    private final List<Axis> axes;

    Unit(final String suffix, final boolean isHigherBetter, final Axis... axes)
    {
        this.suffix = suffix;
        this.isHigherBetter = isHigherBetter;
        this.axes = List.of(axes);
    }

    private static Axis in(final String title, final double divisor)
    {
        return new Axis(title, Chart.Scale.LINEAR, divisor);
    }

    private static Axis[] times(final double nsPerUnit)
    {
        return new Axis[]{
            in("ns", 1 / nsPerUnit), in("µs", 1e3 / nsPerUnit), in("ms", 1e6 / nsPerUnit),
            in("s", 1e9 / nsPerUnit) };
    }

    static Unit of(final String key)
    {
        return Stream.of(values()).filter((unit) -> key.endsWith(unit.suffix)).findFirst().orElseThrow();
    }

    /** A number with three or four significant digits. */
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

    /** The axis, in the unit that suits values up to a maximum. */
    Axis axis(final String key, final double largest)
    {
        return PER_SECOND == this ? in((strip(key).matches("forced\\d+") ? "records" : strip(key)) + "/s", 1) :
            axes.stream().filter((axis) -> axis.divisor() <= largest).reduce((first, next) -> next).orElse(axes.get(0));
    }
}
