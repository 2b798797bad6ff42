package io.journal.bench.report;

import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;

/**
 * A line for each of several things, over something that varies.
 *
 * @param x of the axes.
 * @param y of the axes.
 */
record LineChart(String name, String title, String subtitle, Axis x, Axis y, List<Series> series) implements Chart
{
    /** How a value becomes a place on an axis. */
    enum Scale
    {
        LINEAR((value) -> value),

        LOG(Math::log10),

        /** Lengths in bytes: ticks at powers of two. */
        LOG_BYTES((value) -> Math.log(value) / Math.log(2)),

        /** Shares of all in percent: each further 9 as far from the one before. */
        PERCENTILE((value) -> -Math.log10(1 - value / 100));

        private final DoubleUnaryOperator place;

        Scale(final DoubleUnaryOperator place)
        {
            this.place = place;
        }

        double place(final double value)
        {
            return place.applyAsDouble(value);
        }
    }

    /**
     * An axis.
     *
     * @param largest to be drawn; what is above is cut off. 0: everything.
     */
    record Axis(String title, Scale scale, Unit.Display unit, double largest)
    {
        Axis(final String title, final Scale scale)
        {
            this(title, scale, new Unit.Display(1, ""), 0);
        }
    }

    /**
     * A point.
     *
     * @param low  end of its whisker; its y if there is none.
     * @param high end of its whisker.
     */
    record Point(double x, double y, double low, double high)
    {
        Point(final double x, final double y)
        {
            this(x, y, y, y);
        }

        boolean hasWhisker()
        {
            return low < high;
        }
    }

    /**
     * A line.
     *
     * @param isReference published, not measured here.
     * @param hasMarkers  at each of its points; else it is a curve, and some are marked.
     */
    record Series(String name, boolean isReference, boolean hasMarkers, List<Point> points)
    {
        Series
        {
            // From the left to the right, whatever order the cases were in.
            points = points.stream().sorted(Comparator.comparingDouble(Point::x)).toList();
        }
    }

    @Override
    public String description()
    {
        return title + ", " + subtitle + ". " + y.title() + " over " + x.title() + ", a line for each of: " +
            series.stream().map(Series::name).collect(Collectors.joining(", ")) + ". The table has the numbers.";
    }
}
