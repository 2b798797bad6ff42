package io.journal.bench.report;

import io.journal.bench.run.Spread;

import java.util.Comparator;
import java.util.List;

/**
 * The one description of a chart: the page draws it, and the images of the documents are drawn from it by the page.
 *
 * @param name   of its image: the same for the same experiment every time.
 * @param isBars a horizontal bar for each series; else a line.
 * @param panels small multiples that share their axes.
 */
record Chart(String name, String title, String subtitle, boolean isBars, Axis x, Axis y, List<Panel> panels)
{
    /** More than six lines in one plot cannot be told apart. */
    static final int MOST_LINES = 6;

    /** How a value becomes a place on an axis. */
    enum Scale
    {
        LINEAR,
        LOG,
        /** Lengths in bytes, with ticks at powers of two. */
        BYTES,
        /** Percent of all samples: each further 9 as far from the one before. */
        PERCENTILE,
        /** Whole numbers, such as rounds and threads, each at the same distance from the next. */
        COUNT
    }

    /**
     * An axis.
     *
     * @param divisor of a value, to be the number that is shown.
     * @param zooms   upper ends that the reader may choose from; 0: everything.
     */
    record Axis(String title, Scale scale, double divisor, List<Double> zooms)
    {
        Axis(final String title, final Scale scale, final double divisor)
        {
            this(title, scale, divisor, List.of());
        }
    }

    /** One of the small multiples. */
    record Panel(String title, List<Series> series)
    {
    }

    /**
     * A line or a bar.
     *
     * @param family      {@link Names#family}, which has one colour and one place everywhere.
     * @param isPublished by an article, not measured here: drawn hollow.
     */
    record Series(String name, String family, boolean isPublished, List<Point> points)
    {
        Series
        {
            points = points.stream().sorted(Comparator.comparingDouble(Point::x)).toList();
        }
    }

    /** A value with its interval. */
    record Point(double x, double y, double low, double high)
    {
        static Point of(final double x, final double y)
        {
            return new Point(x, y, y, y);
        }

        static Point of(final double x, final Spread value)
        {
            return new Point(x, value.median(), value.min(), value.max());
        }
    }
}
