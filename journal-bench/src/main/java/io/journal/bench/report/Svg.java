package io.journal.bench.report;

import java.util.Locale;

/**
 * Writes the elements of one SVG image. Colours are those of classes, so that they follow the reader's scheme; text
 * stays text.
 */
final class Svg
{
    private final StringBuilder out = new StringBuilder();

    /**
     * @param style sheet to be within, for an image that stands alone; null for one in a page that has it.
     */
    Svg(final String name, final double width, final double height, final String title, final String description,
        final String style)
    {
        out.append(String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %s %s\" class=\"chart\" role=\"img\" " +
                "aria-labelledby=\"%s-title %s-description\"",
            number(width), number(height), name, name));
        if (null != style)
        {
            out.append(String.format(Locale.ROOT, " width=\"%s\" height=\"%s\"", number(width), number(height)));
        }
        out.append(">\n");
        out.append("<title id=\"").append(name).append("-title\">").append(Html.escape(title)).append("</title>\n");
        out.append("<desc id=\"").append(name).append("-description\">").append(Html.escape(description))
            .append("</desc>\n");
        if (null != style)
        {
            out.append("<style>\n").append(style).append("</style>\n");
            rect(0, 0, width, height, "paper");
        }
    }

    void line(final double x1, final double y1, final double x2, final double y2, final String style)
    {
        out.append(String.format(
            Locale.ROOT, "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>", number(x1), number(y1),
            number(x2), number(y2), style)).append('\n');
    }

    void rect(final double x, final double y, final double width, final double height, final String style)
    {
        out.append(String.format(
            Locale.ROOT, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" class=\"%s\"/>", number(x), number(y),
            number(width), number(height), style)).append('\n');
    }

    void path(final String points, final String style)
    {
        out.append("<path d=\"").append(points).append("\" class=\"").append(style).append("\"/>\n");
    }

    /**
     * @param anchor start, middle or end: which part of the text is at x.
     */
    void text(final double x, final double y, final String anchor, final String style, final String text)
    {
        out.append(String.format(
            Locale.ROOT, "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" class=\"%s\">%s</text>", number(x), number(y),
            anchor, style, Html.escape(text))).append('\n');
    }

    /**
     * A mark of a form of its own for each series: not by colour alone are they told apart.
     */
    void marker(final int form, final double x, final double y, final double size, final String style)
    {
        final double r = size / 2;
        switch (form % 4)
        {
            case 0 -> out.append(String.format(
                Locale.ROOT, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" class=\"%s\"/>", number(x), number(y), number(r),
                style)).append('\n');
            case 1 -> rect(x - r * 0.9, y - r * 0.9, size * 0.9, size * 0.9, style);
            case 2 -> path(move(x, y - r * 1.15) + next(x + r * 1.1, y + r * 0.85) + next(x - r * 1.1, y + r * 0.85) +
                "Z", style);
            default -> path(move(x, y - r * 1.25) + next(x + r * 1.25, y) + next(x, y + r * 1.25) +
                next(x - r * 1.25, y) + "Z", style);
        }
    }

    static String move(final double x, final double y)
    {
        return "M" + number(x) + " " + number(y);
    }

    static String next(final double x, final double y)
    {
        return "L" + number(x) + " " + number(y);
    }

    /**
     * About how wide a text is: whose fonts it will be drawn in is not known here, so it is rather more than less.
     */
    static double widthOf(final String text, final double size)
    {
        double widths = 0;
        for (int i = 0; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            widths += " .,:;'|!()[]ijlt/".indexOf(c) >= 0 ? 0.36 : Character.isUpperCase(c) || "mw".indexOf(c) >= 0 ?
                0.7 : 0.58;
        }

        return widths * size;
    }

    String end()
    {
        return out.append("</svg>\n").toString();
    }

    private static String number(final double value)
    {
        final String text = String.format(Locale.ROOT, "%.1f", value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
