package io.journal.bench.report;

import java.util.ArrayList;
import java.util.List;

import io.journal.bench.report.LineChart.Point;
import io.journal.bench.run.Spread;

/**
 * Draws charts as SVG.
 */
final class SvgDrawing
{
    private static final double WIDTH = 480;
    private static final double PLOT_HEIGHT = 250;
    private static final double EDGE = 8;
    private static final double TITLE_SIZE = 14.5;
    private static final double LABEL_SIZE = 12.5;
    private static final double TEXT_SIZE = 11.5;
    private static final double LINE_HEIGHT = 18;
    private static final double BAR_HEIGHT = 11;
    private static final double BAR_STEP = 17;
    private static final double GROUP_GAP = 9;
    private static final double MARKER = 7;
    private static final int POINTS_PER_MARKER = 14;
    private static final int COLOURS = 7;

    private final Chart chart;
    private final String style;
    private Svg svg;
    private double height;

    private SvgDrawing(final Chart chart, final String style)
    {
        this.chart = chart;
        this.style = style;
    }

    /**
     * For a page that has the style sheet.
     */
    static String inPage(final Chart chart)
    {
        return new SvgDrawing(chart, null).draw();
    }

    /**
     * For a file of its own.
     */
    static String alone(final Chart chart, final String style)
    {
        return new SvgDrawing(chart, style).draw();
    }

    /**
     * Which of the colours, from 1, a series of some place among its kind has.
     */
    static int colour(final int series)
    {
        return 1 + series % COLOURS;
    }

    private String draw()
    {
        return chart instanceof BarChart bars ? draw(bars) : draw((LineChart)chart);
    }

    private String draw(final BarChart bars)
    {
        final double top = headHeight(bars.series().stream().map(BarChart.Series::name).toList());
        double bottom = top;
        for (int group = 0; group < bars.groups().size(); group++)
        {
            bottom += groupHeight(bars, group);
        }
        begin(bottom + 2 * LINE_HEIGHT + EDGE);
        head(bars.series().stream().map(BarChart.Series::name).toList(),
            bars.series().stream().map(BarChart.Series::isReference).toList(), true);

        final double valueWidth = valueWidth(bars);
        final double right = WIDTH - EDGE - valueWidth;
        final Ticks ticks = Ticks.of(
            new LineChart.Axis("", LineChart.Scale.LINEAR, bars.unit(), 0), 0, Math.max(bars.largest(), 1e-12));
        final double perUnit = (right - EDGE) / ticks.last();
        for (final Ticks.Tick tick : ticks.all())
        {
            final double x = EDGE + tick.place() * perUnit;
            svg.line(x, top, x, bottom, "grid");
            svg.text(x, bottom + LINE_HEIGHT - 3, 0 == tick.place() ? "start" : "middle", "tick", tick.label());
        }
        svg.text(EDGE, bottom + 2 * LINE_HEIGHT - 5, "start", "tick", bars.unit().name() + "; median [min..max]");

        double y = top;
        for (int group = 0; group < bars.groups().size(); group++)
        {
            double below = y;
            for (final String line : wrapped(bars.groups().get(group), LABEL_SIZE))
            {
                svg.text(EDGE, below + LINE_HEIGHT - 5, "start", "label", line);
                below += LINE_HEIGHT;
            }
            bars(bars, group, below, perUnit);
            y += groupHeight(bars, group);
        }

        return svg.end();
    }

    private static double groupHeight(final BarChart bars, final int group)
    {
        final long drawn = bars.series().stream()
            .filter((each) -> !each.isReference() && null != each.values().get(group)).count();
        return wrapped(bars.groups().get(group), LABEL_SIZE).size() * LINE_HEIGHT + drawn * BAR_STEP + GROUP_GAP;
    }

    private void bars(final BarChart bars, final int group, final double top, final double perUnit)
    {
        double y = top;
        int series = 0;
        int reference = 0;
        for (final BarChart.Series each : bars.series())
        {
            final Spread value = each.values().get(group);
            if (each.isReference())
            {
                // Beside the measured bar of the same place among its kind, which has been drawn by now.
                final double middle = top + reference * BAR_STEP + BAR_HEIGHT / 2;
                if (null != value)
                {
                    whisker(EDGE + value.min() * perUnit, EDGE + value.max() * perUnit, middle, "whisker reference");
                    svg.marker(3, EDGE + value.median() * perUnit, middle, MARKER + 1, "hollow reference");
                }
                reference++;
            }
            else
            {
                if (null != value)
                {
                    svg.rect(EDGE, y, Math.max(0.5, value.median() * perUnit), BAR_HEIGHT, "fill s" + colour(series));
                    whisker(EDGE + value.min() * perUnit, EDGE + value.max() * perUnit, y + BAR_HEIGHT / 2, "whisker");
                    svg.text(WIDTH - EDGE, y + BAR_HEIGHT - 1.5, "end", "value", range(bars.unit(), value));
                    y += BAR_STEP;
                }
                series++;
            }
        }
    }

    private void whisker(final double from, final double to, final double y, final String kind)
    {
        if (to > from)
        {
            svg.line(from, y, to, y, kind);
            svg.line(from, y - 3, from, y + 3, kind);
            svg.line(to, y - 3, to, y + 3, kind);
        }
    }

    private static double valueWidth(final BarChart bars)
    {
        double widest = 0;
        for (final BarChart.Series each : bars.series())
        {
            for (final Spread value : each.values())
            {
                widest = null == value || each.isReference() ? widest :
                    Math.max(widest, Svg.widthOf(range(bars.unit(), value), TEXT_SIZE));
            }
        }

        return widest + EDGE;
    }

    private static String range(final Unit.Display unit, final Spread value)
    {
        final String median = unit.format(value.median());
        return value.min() == value.max() ? median :
            median + " [" + unit.format(value.min()) + ".." + unit.format(value.max()) + "]";
    }

    private String draw(final LineChart lines)
    {
        final List<String> names = lines.series().stream().map(LineChart.Series::name).toList();
        final double head = headHeight(names);
        final double top = head + LINE_HEIGHT;
        final double bottom = top + PLOT_HEIGHT;
        begin(bottom + 2 * LINE_HEIGHT + EDGE);
        head(names, lines.series().stream().map(LineChart.Series::isReference).toList(), false);

        final Ticks x = xTicks(lines);
        final Ticks y = yTicks(lines);
        final double left = EDGE + 6 +
            y.all().stream().mapToDouble((tick) -> Svg.widthOf(tick.label(), TEXT_SIZE)).max().orElse(0);
        final double right = WIDTH - 2 * EDGE - 6;
        final Frame frame = new Frame(left, right, top, bottom, x, y, lines);
        svg.text(EDGE, head + LINE_HEIGHT - 9, "start", "tick", lines.y().title());
        axes(frame);
        svg.text(right, bottom + 2 * LINE_HEIGHT - 1, "end", "tick", lines.x().title());
        for (int i = lines.series().size() - 1; i >= 0; i--)
        {
            draw(frame, lines.series().get(i), place(lines.series(), i));
        }

        return svg.end();
    }

    private void axes(final Frame frame)
    {
        double lastY = Double.MAX_VALUE;
        for (final Ticks.Tick tick : frame.y.all())
        {
            final double at = frame.placeY(tick.place());
            svg.line(frame.left, at, frame.right, at, "grid");
            if (lastY - at > TEXT_SIZE)
            {
                svg.text(frame.left - 6, at + 4, "end", "tick", tick.label());
                lastY = at;
            }
        }

        double free = 0;
        for (final Ticks.Tick tick : frame.x.all())
        {
            final double at = frame.placeX(tick.place());
            final double half = Svg.widthOf(tick.label(), TEXT_SIZE) / 2;
            svg.line(at, frame.bottom, at, frame.bottom + 4, "axis");
            if (at - half >= free && at + half <= WIDTH)
            {
                svg.text(at, frame.bottom + LINE_HEIGHT - 2, "middle", "tick", tick.label());
                free = at + half + 6;
            }
        }
        svg.line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
    }

    private void draw(final Frame frame, final LineChart.Series series, final int place)
    {
        final String colour = series.isReference() ? "reference r" + (1 + place % 3) : "s" + colour(place);
        final StringBuilder path = new StringBuilder();
        Point before = null;
        for (final Point point : series.points())
        {
            // What leaves the frame is drawn up to its edge.
            if (null != before && (frame.isInside(before) || frame.isInside(point)))
            {
                final Point from = frame.clipped(before, point);
                final Point to = frame.clipped(point, before);
                path.append(Svg.move(frame.atX(from), frame.atY(from))).append(Svg.next(frame.atX(to), frame.atY(to)));
            }
            before = point;
        }
        if (!path.isEmpty())
        {
            svg.path(path.toString(), "line " + colour + (place >= COLOURS ? " dashed" : ""));
        }

        for (int i = 0; i < series.points().size(); i++)
        {
            final Point point = series.points().get(i);
            if (frame.isInside(point))
            {
                if (point.hasWhisker())
                {
                    svg.line(frame.atX(point), frame.atY(point.low()), frame.atX(point), frame.atY(point.high()),
                        "spread " + colour);
                }
                // Of a curve of many points a few are marked, each line's at places of its own.
                if (series.hasMarkers() || 0 == (i + place * 2) % POINTS_PER_MARKER)
                {
                    svg.marker(place, frame.atX(point), frame.atY(point), MARKER,
                        (series.isReference() ? "hollow " : "fill ") + colour);
                }
            }
        }
    }

    private static Ticks xTicks(final LineChart lines)
    {
        final double[] values = lines.series().stream().flatMap((series) -> series.points().stream())
            .mapToDouble(Point::x).sorted().toArray();
        return LineChart.Scale.LINEAR == lines.x().scale() ? Ticks.ofNumbers(values[0], values[values.length - 1]) :
            Ticks.of(lines.x(), values[0], values[values.length - 1]);
    }

    private static Ticks yTicks(final LineChart lines)
    {
        double low = Double.MAX_VALUE;
        double high = Double.MIN_VALUE;
        for (final LineChart.Series series : lines.series())
        {
            for (final Point point : series.points())
            {
                low = Math.min(low, point.low());
                high = Math.max(high, point.high());
            }
        }

        return Ticks.of(lines.y(), low, high);
    }

    /** Where values are in the picture. */
    private static final class Frame
    {
        final double left;
        final double right;
        final double top;
        final double bottom;
        final Ticks x;
        final Ticks y;
        final LineChart lines;

        Frame(
            final double left,
            final double right,
            final double top,
            final double bottom,
            final Ticks x,
            final Ticks y,
            final LineChart lines)
        {
            this.left = left;
            this.right = right;
            this.top = top;
            this.bottom = bottom;
            this.x = x;
            this.y = y;
            this.lines = lines;
        }

        double placeX(final double place)
        {
            return left + (place - x.first()) / (x.last() - x.first()) * (right - left);
        }

        double placeY(final double place)
        {
            final double share = (place - y.first()) / (y.last() - y.first());
            return bottom - Math.max(0, Math.min(1, share)) * (bottom - top);
        }

        double atX(final Point point)
        {
            return placeX(lines.x().scale().place(point.x()));
        }

        double atY(final Point point)
        {
            return atY(point.y());
        }

        double atY(final double value)
        {
            return placeY(lines.y().scale().place(value));
        }

        boolean isInside(final Point point)
        {
            return lines.y().scale().place(point.y()) <= y.last() * (1 + 1e-9);
        }

        /**
         * A point, or where the way to it from another one leaves at the top.
         */
        Point clipped(final Point point, final Point other)
        {
            if (isInside(point))
            {
                return point;
            }

            final double share = (y.last() - other.y()) / (point.y() - other.y());
            final double x1 = lines.x().scale().place(other.x());
            final double x2 = lines.x().scale().place(point.x());
            return new Point(unplace(x1 + share * (x2 - x1)), y.last());
        }

        private double unplace(final double place)
        {
            return switch (lines.x().scale())
            {
                case LINEAR -> place;
                case LOG -> Math.pow(10, place);
                case LOG_BYTES -> Math.pow(2, place);
                case PERCENTILE -> 100 * (1 - Math.pow(10, -place));
            };
        }
    }

    private void begin(final double wantedHeight)
    {
        height = wantedHeight;
        svg = new Svg(chart.name(), WIDTH, height, chart.title(), chart.description(), style);
    }

    private double headHeight(final List<String> names)
    {
        final double titles = EDGE + LINE_HEIGHT * (wrapped(chart.title(), TITLE_SIZE).size() +
            wrapped(chart.subtitle(), TEXT_SIZE).size());
        return titles + (names.size() > 1 ? legend(names).get(names.size() - 1)[1] + LINE_HEIGHT : 0) + EDGE;
    }

    private void head(final List<String> names, final List<Boolean> areReferences, final boolean isBars)
    {
        double y = EDGE - 4;
        for (final String line : wrapped(chart.title(), TITLE_SIZE))
        {
            y += LINE_HEIGHT;
            svg.text(EDGE, y, "start", "title", line);
        }
        for (final String line : wrapped(chart.subtitle(), TEXT_SIZE))
        {
            y += LINE_HEIGHT;
            svg.text(EDGE, y, "start", "subtitle", line);
        }

        if (names.size() > 1)
        {
            final List<double[]> places = legend(names);
            int measured = 0;
            int referenced = 0;
            for (int i = 0; i < names.size(); i++)
            {
                final double x = EDGE + places.get(i)[0];
                final double middle = y + LINE_HEIGHT + places.get(i)[1] - 4;
                key(x, middle, areReferences.get(i), areReferences.get(i) ? referenced++ : measured++, isBars);
                svg.text(x + 26, middle + 4, "start", "key", names.get(i));
            }
        }
    }

    private void key(
        final double x, final double y, final boolean isReference, final int place, final boolean isBars)
    {
        if (isBars)
        {
            if (isReference)
            {
                svg.marker(3, x + 11, y, MARKER + 1, "hollow reference");
            }
            else
            {
                svg.rect(x, y - BAR_HEIGHT / 2, 20, BAR_HEIGHT, "fill s" + colour(place));
            }
            return;
        }

        final String colour = isReference ? "reference r" + (1 + place % 3) : "s" + colour(place);
        svg.line(x, y, x + 22, y, "line " + colour + (place >= COLOURS ? " dashed" : ""));
        svg.marker(place, x + 11, y, MARKER, (isReference ? "hollow " : "fill ") + colour);
    }

    /**
     * Places of the names of series, line by line.
     */
    private static List<double[]> legend(final List<String> names)
    {
        final List<double[]> places = new ArrayList<>();
        double x = 0;
        double y = 0;
        for (final String name : names)
        {
            final double width = 26 + Svg.widthOf(name, TEXT_SIZE);
            if (x > 0 && x + width > WIDTH - 2 * EDGE)
            {
                x = 0;
                y += LINE_HEIGHT;
            }
            places.add(new double[]{ x, y });
            x += width + 14;
        }

        return places;
    }

    private static List<String> wrapped(final String text, final double size)
    {
        final List<String> lines = new ArrayList<>();
        final StringBuilder line = new StringBuilder();
        for (final String word : text.split(" "))
        {
            if (!line.isEmpty() && Svg.widthOf(line + " " + word, size) > WIDTH - 2 * EDGE)
            {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (!line.isEmpty())
        {
            lines.add(line.toString());
        }

        return lines;
    }

    private static int place(final List<LineChart.Series> series, final int index)
    {
        final boolean isReference = series.get(index).isReference();
        return (int)series.subList(0, index).stream().filter((each) -> each.isReference() == isReference).count();
    }
}
