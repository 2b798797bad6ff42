package io.journal.bench.article.readers;

import java.util.ArrayList;
import java.util.List;

/**
 * The lengths that a strategy has: an internal buffer, the caller's array, both or neither.
 */
enum Lengths
{
    NONE,
    BUFFER,
    ARRAY,
    BOTH;

    /** Length of the one that is not varied: the default of the JDK's streams. */
    static final int FIXED_LENGTH = 8192;

    /**
     * The points to measure: each length varied alone, and both together.
     */
    List<Point> points(final String strategy, final List<Integer> sizes)
    {
        final List<Point> points = new ArrayList<>();
        switch (this)
        {
            case NONE -> points.add(new Point(strategy, "none", 0, 0));
            case BUFFER -> sizes.forEach((size) -> points.add(new Point(strategy, "buffer", size, 0)));
            case ARRAY -> sizes.forEach((size) -> points.add(new Point(strategy, "array", 0, size)));
            case BOTH ->
            {
                sizes.forEach((size) -> points.add(new Point(strategy, "buffer", size, FIXED_LENGTH)));
                sizes.forEach((size) -> points.add(new Point(strategy, "array", FIXED_LENGTH, size)));
                sizes.forEach((size) -> points.add(new Point(strategy, "both", size, size)));
            }
            default -> throw new AssertionError(this);
        }

        return points;
    }
}
