package io.journal.bench.article.readers;

import java.util.ArrayList;
import java.util.List;

/**
 * What of a way can be short or long: a buffer within, the array of who reads, both or neither.
 */
enum Lengths
{
    NONE,
    BUFFER,
    ARRAY,
    BOTH;

    /** That of a buffer or an array while the other is varied: the JDK's own for streams. */
    static final int FIXED_LENGTH = 8192;

    /**
     * Points to measure: each length by itself, the other as it is by default, and both together.
     */
    List<Point> points(final String way, final List<Integer> sizes)
    {
        final List<Point> points = new ArrayList<>();
        switch (this)
        {
            case NONE -> points.add(new Point(way, "none", 0, 0));
            case BUFFER -> sizes.forEach((size) -> points.add(new Point(way, "buffer", size, 0)));
            case ARRAY -> sizes.forEach((size) -> points.add(new Point(way, "array", 0, size)));
            case BOTH ->
            {
                sizes.forEach((size) -> points.add(new Point(way, "buffer", size, FIXED_LENGTH)));
                sizes.forEach((size) -> points.add(new Point(way, "array", FIXED_LENGTH, size)));
                sizes.forEach((size) -> points.add(new Point(way, "both", size, size)));
            }
            default -> throw new AssertionError(this);
        }

        return points;
    }
}
