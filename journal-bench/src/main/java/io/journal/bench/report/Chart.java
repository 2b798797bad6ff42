// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import io.journal.bench.run.Interval;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Description of a chart, from which the page draws it. The images of the documents are rendered by the page as well.
 *
 * @param name   stable for an experiment.
 * @param image  name of the image that the documents show; empty if they do not.
 * @param isBars a horizontal bar per series; else a line.
 * @param panels small multiples that share their axes.
 */
record Chart(
    String name, String image, String title, String subtitle, boolean isBars, Axis x, Axis y, List<Panel> panels)
{
    /** More lines in one plot cannot be distinguished. */
    static final int MAX_LINES = 6;

    enum Scale
    {
        LINEAR,
        LOG,
        /** Lengths in bytes, with ticks at powers of two. */
        BYTES,
        /** Percentiles with equidistant nines. */
        PERCENTILE,
        /** Equidistant integers, such as rounds and threads. */
        COUNT
    }

    /**
     * An axis.
     *
     * @param divisor from a value to the number shown.
     * @param zooms   upper bounds to choose from; 0: everything.
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
        /** Splits lines into panels of few enough lines, by family; published series are repeated in each panel. */
        Stream<Panel> split()
        {
            if (series.size() <= MAX_LINES)
            {
                return Stream.of(this);
            }

            final List<Series> published = series.stream().filter(Series::isPublished).toList();
            final int most = Math.max(1, MAX_LINES - 1 - published.size());
            final List<Panel> panels = new ArrayList<>();
            series.stream().filter((each) -> !each.isPublished())
                .collect(Collectors.groupingBy(Series::family, TreeMap::new, Collectors.toList()))
                .forEach((family, own) ->
                {
                    for (int i = 0; i < own.size(); i += most)
                    {
                        final List<Series> part = new ArrayList<>(own.subList(i, Math.min(own.size(), i + most)));
                        part.addAll(published);
                        panels.add(new Panel((title.isEmpty() ? "" : title + ": ") + family.substring(2), part));
                    }
                });
            return panels.stream();
        }
    }

    /**
     * A line or a bar.
     *
     * @param family      {@link DisplayNames#family}, which determines colour and order in every chart; the source if
     *                    it is published.
     * @param isPublished published by an article, not measured here: drawn hollow.
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
        private static final MathContext SHOWN = new MathContext(6);

        Point
        {
            y = new BigDecimal(y).round(SHOWN).doubleValue();
            low = new BigDecimal(low).round(SHOWN).doubleValue();
            high = new BigDecimal(high).round(SHOWN).doubleValue();
        }

        static Point of(final double x, final double y)
        {
            return new Point(x, y, y, y);
        }

        static Point of(final double x, final Interval value)
        {
            return new Point(x, value.median(), value.low(), value.high());
        }
    }
}
