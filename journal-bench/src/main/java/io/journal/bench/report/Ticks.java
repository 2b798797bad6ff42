package io.journal.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.report.LineChart.Axis;
import io.journal.bench.report.LineChart.Scale;

/**
 * Where an axis begins and ends, and which of its values are named.
 *
 * @param first place on the axis: a value as its scale has it.
 * @param last  place on the axis.
 * @param all   that are named.
 */
record Ticks(double first, double last, List<Tick> all)
{
    /** Where nothing is drawn on a logarithmic axis: the article drew it at 0.1 kB. */
    static final double NO_BUFFER = 102.4;

    private static final int KIB = 1024;
    private static final int MOST = 7;
    private static final double[] STEPS = { 1, 2, 5, 10 };

    /**
     * A value that is named.
     */
    record Tick(double place, String label)
    {
    }

    /**
     * Of an axis for values between two.
     */
    static Ticks of(final Axis axis, final double smallest, final double largest)
    {
        return switch (axis.scale())
        {
            case LINEAR -> linear(axis, Math.min(0, smallest), 0 == axis.largest() ? largest : axis.largest());
            case LOG -> log(axis, smallest, largest);
            case LOG_BYTES -> bytes(smallest, largest);
            case PERCENTILE -> percentiles(largest);
        };
    }

    /**
     * Of numbered things, from the first to the last.
     */
    static Ticks ofNumbers(final double smallest, final double largest)
    {
        final double step = Math.max(1, Math.ceil((largest - smallest) / MOST));
        final List<Tick> all = new ArrayList<>();
        for (double value = smallest; value <= largest; value += step)
        {
            all.add(new Tick(value, Unit.number(value)));
        }

        return new Ticks(smallest, Math.max(smallest + 1, largest), all);
    }

    private static Ticks linear(final Axis axis, final double smallest, final double largest)
    {
        final double divisor = axis.unit().divisor();
        final double step = step((largest - smallest) / divisor) * divisor;
        final double top = 0 == axis.largest() ? Math.ceil(largest / step - 1e-9) * step : largest;
        final List<Tick> all = new ArrayList<>();
        for (int i = 0; smallest + i * step <= top * (1 + 1e-9); i++)
        {
            all.add(new Tick(smallest + i * step, shortest((smallest + i * step) / divisor)));
        }

        return new Ticks(smallest, Math.max(top, smallest + step), all);
    }

    private static double step(final double range)
    {
        final double rough = Math.max(range, Double.MIN_NORMAL) / 5;
        final double decade = Math.pow(10, Math.floor(Math.log10(rough)));
        for (final double each : STEPS)
        {
            if (each * decade >= rough)
            {
                return each * decade;
            }
        }

        return 10 * decade;
    }

    private static Ticks log(final Axis axis, final double smallest, final double largest)
    {
        checkLogarithmic(smallest, largest);
        final double divisor = axis.unit().divisor();
        final int low = (int)Math.floor(Math.log10(smallest / divisor) + 1e-9);
        final int high = Math.max(low + 1, (int)Math.ceil(Math.log10(largest / divisor) - 1e-9));
        final List<Tick> all = new ArrayList<>();
        final double shift = Math.log10(divisor);
        for (int decade = low; decade <= high; decade++)
        {
            for (final double each : high - low > 2 ? new double[]{ 1 } : new double[]{ 1, 2, 5 })
            {
                final double value = each * Math.pow(10, decade);
                if (value <= Math.pow(10, high) * (1 + 1e-9))
                {
                    all.add(new Tick(Math.log10(value) + shift, shortest(value)));
                }
            }
        }

        return new Ticks(low + shift, high + shift, all);
    }

    private static Ticks bytes(final double smallest, final double largest)
    {
        checkLogarithmic(smallest, largest);
        final boolean hasNone = NO_BUFFER == smallest;
        final int low = hasNone ? 10 : (int)Math.floor(Scale.LOG_BYTES.place(smallest) + 1e-9);
        final int high = Math.max(low + 1, (int)Math.ceil(Scale.LOG_BYTES.place(largest) - 1e-9));
        final int step = Math.max(1, (high - low + MOST - 1) / MOST);
        final List<Tick> all = new ArrayList<>();
        if (hasNone)
        {
            all.add(new Tick(Scale.LOG_BYTES.place(NO_BUFFER), "none"));
        }
        for (int power = low; power <= high; power += step)
        {
            all.add(new Tick(power, lengthOf(power)));
        }

        return new Ticks(hasNone ? Scale.LOG_BYTES.place(NO_BUFFER) - 0.3 : low, high, all);
    }

    /**
     * What is not above 0 is infinitely far to the left: there would be no end of ticks.
     */
    private static void checkLogarithmic(final double smallest, final double largest)
    {
        if (!(0 < smallest && smallest <= largest && largest < Double.POSITIVE_INFINITY))
        {
            throw new IllegalArgumentException(
                "no logarithmic axis: smallest=" + smallest + ", largest=" + largest + ", both must be above 0");
        }
    }

    private static Ticks percentiles(final double largest)
    {
        final double last = Math.max(2, Scale.PERCENTILE.place(largest));
        final List<Tick> all = new ArrayList<>(List.of(new Tick(0, "0"), new Tick(Scale.PERCENTILE.place(50), "50")));
        String label = "90";
        for (int nines = 1; nines <= last + 1e-9; nines++)
        {
            all.add(new Tick(nines, label));
            label = 1 == nines ? "99" : 2 == nines ? "99.9" : label + "9";
        }

        return new Ticks(0, last, all);
    }

    private static String lengthOf(final int power)
    {
        final long length = 1L << power;
        return length >= (long)KIB * KIB * KIB ? (length >> 30) + " GiB" : Names.bytes(Long.toString(length));
    }

    private static String shortest(final double value)
    {
        if (value == Math.rint(value) && Math.abs(value) >= 1)
        {
            return String.format(Locale.ROOT, "%,.0f", value);
        }

        return BigDecimal.valueOf(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
    }
}
