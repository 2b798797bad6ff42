package io.journal.bench.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import javax.imageio.ImageIO;

import io.journal.bench.report.LineChart.Point;
import io.journal.bench.report.LineChart.Scale;
import io.journal.bench.run.Spread;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.HorizontalBarChart;
import org.knowm.xchart.HorizontalBarSeries;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws charts as PNG, for where SVG is not taken. It is the only part that needs fonts of the machine.
 */
final class PngDrawing
{
    private static final String FORMAT = "png";
    private static final int WIDTH = 960;
    private static final int LINES_HEIGHT = 600;
    private static final int HEAD_HEIGHT = 140;
    private static final int BAR_HEIGHT = 26;
    private static final int GROUP_HEIGHT = 16;
    private static final Color INK = new Color(0x1C2126);
    private static final Color RULE = new Color(0xDFE3E7);
    private static final Color[] COLOURS = {
        new Color(0x0067A5), new Color(0xC14A09), new Color(0x00805F), new Color(0x8D3F9E), new Color(0x8A6A00),
        new Color(0xB8326B), new Color(0x4F5D6B) };
    private static final Color[] REFERENCES = { new Color(0xBFA873), new Color(0x8BA3B8), new Color(0xB88BA3) };
    private static final Marker[] MARKERS =
        { SeriesMarkers.CIRCLE, SeriesMarkers.SQUARE, SeriesMarkers.TRIANGLE_UP, SeriesMarkers.DIAMOND };
    private static final BasicStroke LINE = new BasicStroke(2);
    private static final BasicStroke THIN = new BasicStroke(1);
    private static final BasicStroke DASHED = new BasicStroke(
        2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, new float[]{ 6, 5 }, 0);

    private PngDrawing()
    {
    }

    /**
     * Draws charts, each into a file of its own name.
     *
     * @return which could not be drawn, and why: all of them on a machine without fonts, for example.
     */
    static List<String> write(final List<Chart> charts, final Path directory) throws IOException
    {
        System.setProperty("java.awt.headless", "true");
        try
        {
            tryToDraw();
        }
        catch (final LinkageError | InternalError | RuntimeException ex)
        {
            // What is thrown where there are no fonts, or no part of the JDK that draws, differs from JDK to JDK.
            return List.of(
                "No PNG files were written: this machine cannot draw text, has it fonts and fontconfig? " + ex);
        }

        final List<String> failed = new ArrayList<>();
        for (final Chart chart : charts)
        {
            try
            {
                final IChart drawn = chart instanceof BarChart bars ? of(bars) : of((LineChart)chart);
                ImageIO.write(
                    BitmapEncoder.getBufferedImage(drawn), FORMAT,
                    directory.resolve(chart.name() + ".png").toFile());
            }
            catch (final RuntimeException ex)
            {
                // The machine can draw, so it is this chart.
                failed.add("No PNG file was written of " + chart.name() + ": " + ex);
            }
        }

        return failed;
    }

    /**
     * Draws a word, and throws what the JDK throws where that cannot be.
     */
    private static void tryToDraw() throws IOException
    {
        final BufferedImage image = new BufferedImage(WIDTH, HEAD_HEIGHT, BufferedImage.TYPE_INT_RGB);
        final Graphics2D graphics = image.createGraphics();
        graphics.setFont(font(15));
        graphics.drawString("MB/s", 0, HEAD_HEIGHT / 2);
        graphics.dispose();
        ImageIO.write(image, FORMAT, OutputStream.nullOutputStream());
    }

    private static IChart of(final BarChart bars)
    {
        final int rows = bars.groups().size() * (bars.series().size() * BAR_HEIGHT + GROUP_HEIGHT);
        final HorizontalBarChart chart = new HorizontalBarChart(WIDTH, HEAD_HEIGHT + rows);
        chart.setTitle(bars.title() + ": " + bars.subtitle());
        chart.setXAxisTitle(bars.unit().name() + ", medians");
        style(chart.getStyler());
        chart.getStyler().setDecimalPattern(bars.largest() / bars.unit().divisor() < 100 ? "#,##0.00" : "#,##0");
        chart.getStyler().setLabelsVisible(true).setLabelsFont(font(11)).setLabelsPosition(0.5);

        // Drawn from the bottom up.
        final List<String> groups = new ArrayList<>(bars.groups());
        Collections.reverse(groups);
        int measured = 0;
        int referenced = 0;
        for (final BarChart.Series each : bars.series())
        {
            final List<Double> medians = new ArrayList<>();
            for (final Spread value : each.values())
            {
                final double median = null == value ? 0 : value.median() / bars.unit().divisor();
                medians.add(median);
            }
            Collections.reverse(medians);
            final HorizontalBarSeries series = chart.addSeries(each.name(), medians, groups);
            series.setFillColor(each.isReference() ?
                REFERENCES[referenced++ % REFERENCES.length] : COLOURS[measured++ % COLOURS.length]);
        }

        return chart;
    }

    private static IChart of(final LineChart lines)
    {
        final XYChart chart = new XYChart(WIDTH, LINES_HEIGHT);
        chart.setTitle(lines.title() + ": " + lines.subtitle());
        chart.setXAxisTitle(lines.x().title());
        chart.setYAxisTitle(lines.y().title());
        style(chart.getStyler());
        chart.getStyler().setXAxisTickLabelsFormattingFunction((place) -> label(lines.x(), place));
        chart.getStyler().setYAxisTickLabelsFormattingFunction((place) -> label(lines.y(), place));
        if (Scale.LINEAR == lines.y().scale())
        {
            chart.getStyler().setYAxisMin(0.0);
        }
        if (0 < lines.y().largest())
        {
            chart.getStyler().setYAxisMax(lines.y().largest());
        }

        int measured = 0;
        int referenced = 0;
        for (final LineChart.Series each : lines.series())
        {
            final int place = each.isReference() ? referenced++ : measured++;
            final Color colour = each.isReference() ? REFERENCES[place % REFERENCES.length] :
                COLOURS[place % COLOURS.length];
            add(chart, lines, each, place, colour);
            addWhiskers(chart, lines, each, colour);
        }

        return chart;
    }

    private static void add(
        final XYChart chart,
        final LineChart lines,
        final LineChart.Series each,
        final int place,
        final Color colour)
    {
        final XYSeries series = chart.addSeries(
            each.name(), each.points().stream().mapToDouble((point) -> lines.x().scale().place(point.x())).toArray(),
            each.points().stream().mapToDouble((point) -> cut(lines, point.y())).toArray());
        series.setLineColor(colour).setLineStyle(each.isReference() || place >= COLOURS.length ? DASHED : LINE);
        series.setMarkerColor(colour).setMarker(each.hasMarkers() ? MARKERS[place % MARKERS.length] :
            SeriesMarkers.NONE);
    }

    /**
     * XChart's error bars are as long to both sides; those here are not.
     */
    private static void addWhiskers(
        final XYChart chart, final LineChart lines, final LineChart.Series each, final Color colour)
    {
        final List<Double> xs = new ArrayList<>();
        final List<Double> ys = new ArrayList<>();
        for (final Point point : each.points())
        {
            if (point.hasWhisker())
            {
                final double x = lines.x().scale().place(point.x());
                xs.addAll(List.of(x, x, x));
                ys.addAll(List.of(cut(lines, point.low()), cut(lines, point.high()), Double.NaN));
            }
        }
        if (!xs.isEmpty())
        {
            final XYSeries whiskers = chart.addSeries(each.name() + ", extremes", xs, ys);
            whiskers.setMarker(SeriesMarkers.NONE);
            whiskers.setLineColor(colour).setLineStyle(THIN).setShowInLegend(false);
        }
    }

    private static double cut(final LineChart lines, final double value)
    {
        return 0 < lines.y().largest() && value > lines.y().largest() ? Double.NaN : lines.y().scale().place(value);
    }

    private static String label(final LineChart.Axis axis, final double place)
    {
        final boolean isWhole = Math.abs(place - Math.rint(place)) < 1e-6;
        return switch (axis.scale())
        {
            case LINEAR -> Unit.number(place / axis.unit().divisor());
            case LOG -> isWhole ? Unit.number(Math.pow(10, place) / axis.unit().divisor()) : "";
            case LOG_BYTES -> isWhole ? Names.bytes(Long.toString(Math.round(Math.pow(2, place)))) : "";
            case PERCENTILE -> isWhole ? Unit.number(100 * (1 - Math.pow(10, -place))) : "";
        };
    }

    private static void style(final AxesChartStyler styler)
    {
        styler.setLocale(Locale.ROOT);
        styler.setChartBackgroundColor(Color.WHITE).setChartFontColor(INK).setPlotBackgroundColor(Color.WHITE)
            .setPlotBorderVisible(false).setChartPadding(16).setChartTitleBoxVisible(false).setChartTitleFont(font(15))
            .setLegendPosition(Styler.LegendPosition.OutsideS).setLegendLayout(Styler.LegendLayout.Horizontal)
            .setLegendBorderColor(Color.WHITE).setLegendFont(font(12)).setMarkerSize(7);
        styler.setPlotGridLinesColor(RULE).setPlotGridLinesStroke(THIN).setAxisTickLabelsFont(font(12))
            .setAxisTitleFont(font(12)).setAxisTickMarksColor(RULE);
    }

    private static Font font(final int size)
    {
        return new Font(Font.SANS_SERIF, Font.PLAIN, size);
    }
}
