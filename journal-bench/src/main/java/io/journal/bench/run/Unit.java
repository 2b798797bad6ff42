// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Unit of a value, from the suffix of its key; and how numbers, sizes and durations are written.
 */
public enum Unit
{
    BYTES_PER_SECOND("BytesPerSecond", true, new Shown("kB/s", 1e3), new Shown("MB/s", 1e6)),
    PER_SECOND("PerSecond", true, new Shown("/s", 1)),
    NANOSECONDS("Ns", false, times(1)),
    MICROSECONDS("Us", false, times(1e3)),
    MILLISECONDS("Ms", false, times(1e6)),
    KIBIBYTES("Kib", false, new Shown("KiB", 1)),
    BYTES("Bytes", false, new Shown("B", 1), new Shown("MB", 1e6)),
    PERCENT("Percent", false, new Shown("%", 1)),
    COUNT("Count", false, new Shown("", 1)),
    NONE("", false, new Shown("", 1));

    public static final double NS_PER_S = 1e9;
    public static final double NS_PER_MS = 1e6;
    public static final double NS_PER_US = 1e3;
    /** Bytes. */
    public static final int MB = 1_000_000;

    public static final int KIB = 1024;
    public static final int MIB = KIB * KIB;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int MINUTES_SHOWN = 100;

    public final boolean isHigherBetter;
    private final String suffix;
    private final List<Shown> shown;

    /** A displayed unit, and how many units of the key make up one displayed unit. */
    public record Shown(String title, double divisor)
    {
    }

    Unit(final String suffix, final boolean isHigherBetter, final Shown... shown)
    {
        this.suffix = suffix;
        this.isHigherBetter = isHigherBetter;
        this.shown = List.of(shown);
    }

    private static Shown[] times(final double nsPerUnit)
    {
        return new Shown[]{
            new Shown("ns", 1 / nsPerUnit), new Shown("µs", 1e3 / nsPerUnit), new Shown("ms", 1e6 / nsPerUnit),
            new Shown("s", 1e9 / nsPerUnit) };
    }

    public static Unit of(final String key)
    {
        return Stream.of(values()).filter((unit) -> key.endsWith(unit.suffix)).findFirst().orElseThrow();
    }

    public String strip(final String key)
    {
        return key.endsWith(suffix) ? key.substring(0, key.length() - suffix.length()) : key;
    }

    /** The unit that suits values of a key up to a maximum. */
    public Shown shown(final String key, final double largest)
    {
        final String what = strip(key);
        return PER_SECOND == this ? new Shown((what.matches("forced\\d+") ? "records" : what) + "/s", 1) :
            shown.stream().filter((each) -> each.divisor() <= largest).reduce((first, next) -> next)
                .orElse(shown.get(0));
    }

    /** A number with three or four significant digits. */
    public static String number(final double value)
    {
        final double size = Math.abs(value);
        if (size >= MB)
        {
            return number(value / MB) + " M";
        }
        final int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    /** A length in bytes, in GiB, MiB or KiB if it is a multiple. */
    public static String bytes(final long length)
    {
        return length >= (long)KIB * MIB && 0 == length % ((long)KIB * MIB) ? length / MIB / KIB + " GiB" :
            length >= MIB && 0 == length % MIB ? length / MIB + " MiB" :
                length >= KIB && 0 == length % KIB && length < MIB ? length / KIB + " KiB" :
                    length < MIB ? String.format(Locale.ROOT, "%,d B", length) :
                        number((double)length / MB).replace(" M", "") + " MB";
    }

    public static String duration(final double seconds)
    {
        final long whole = (long)Math.ceil(seconds);
        return whole < SECONDS_PER_MINUTE ? whole + " s" :
            whole < MINUTES_SHOWN * SECONDS_PER_MINUTE ? Math.round(seconds / SECONDS_PER_MINUTE) + " min" :
                String.format(Locale.ROOT, "%.1f h", seconds / SECONDS_PER_MINUTE / SECONDS_PER_MINUTE);
    }
}
